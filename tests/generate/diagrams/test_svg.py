"""Diagrams are readable: no text leaves its box, and no two boxes overlap."""

import re
from dataclasses import dataclass
from typing import Any
from xml.etree import ElementTree

import pytest
from tablewright_systems.registry import SYSTEMS

from tablewright import Design, Entity, Index, Keys, Sparse, Table
from tablewright.generate.diagrams.svg import mono_width, sans_width, svg, wrapped

TABLES = [(system.design, table) for system in SYSTEMS for table in system.design.tables]
IDS = [f"{design.name}-{table.name}" for design, table in TABLES]

long = Table(
    "a-table-with-a-very-long-name" * 4, key=("PK", "SK"), indexes=[Index("by-" + "name" * 30, "GSI1PK")]
)


class AnEntityWithANameThatIsLongerThanAnyCardOfTheDiagram(Entity, table=long, type="LONG"):
    the_identifier_of_this_entity_that_goes_on_and_on: str
    name: str | None = None
    keys = Keys(
        primary=("X" * 90 + "#{the_identifier_of_this_entity_that_goes_on_and_on}", "Y" * 200),
        indexes={"by-" + "name" * 30: Sparse("NAME#{name}", when={"name": "w" * 80})},
    )


EXTREME = Design("long", entities=[AnEntityWithANameThatIsLongerThanAnyCardOfTheDiagram])
TABLES.append((EXTREME, long))
IDS.append("long names")


@dataclass(frozen=True)
class Box:
    left: float
    top: float
    right: float
    bottom: float

    @property
    def area(self) -> float:
        return (self.right - self.left) * (self.bottom - self.top)

    def contains(self, other: "Box") -> bool:
        slack = 0.5
        return (
            self.left - slack <= other.left
            and self.top - slack <= other.top
            and other.right <= self.right + slack
            and other.bottom <= self.bottom + slack
        )

    def overlaps(self, other: "Box") -> bool:
        return (
            self.left < other.right
            and other.left < self.right
            and self.top < other.bottom
            and other.top < self.bottom
        )


def elements(picture: str, tag: str) -> list[Any]:
    return [each for each in ElementTree.fromstring(picture).iter() if each.tag.endswith(f"}}{tag}")]


def boxes(picture: str) -> list[Box]:
    found = []
    for rect in elements(picture, "rect"):
        left, top, width, height = (float(rect.get(name)) for name in ("x", "y", "width", "height"))
        found.append(Box(left, top, left + width, top + height))
    return found


def texts(picture: str) -> list[tuple[str, Box]]:
    found = []
    for element in elements(picture, "text"):
        text, kind = "".join(element.itertext()), element.get("class", "")
        size = 15 if kind == "title" else 12
        width = sans_width(text, size) if kind in ("title", "chip-name") else mono_width(text, size)
        left, base = float(element.get("x")), float(element.get("y"))
        found.append((text, Box(left, base - size * 0.8, left + width, base + size * 0.2)))
    return found


@pytest.mark.parametrize(("design", "table"), TABLES, ids=IDS)
def test_every_text_is_inside_its_box(design: Design, table: Table) -> None:
    picture = svg(design, table)
    rectangles = boxes(picture)
    assert texts(picture)
    for text, box in texts(picture):
        start = Box(box.left, box.top, box.left, box.bottom)
        smallest = min(
            (rectangle for rectangle in rectangles if rectangle.contains(start)),
            key=lambda rectangle: rectangle.area,
        )
        assert smallest.contains(box), text


@pytest.mark.parametrize(("design", "table"), TABLES, ids=IDS)
def test_boxes_are_nested_or_apart(design: Design, table: Table) -> None:
    found = boxes(svg(design, table))
    for place, one in enumerate(found):
        for other in found[place + 1 :]:
            assert not one.overlaps(other) or one.contains(other) or other.contains(one)


@pytest.mark.parametrize(("design", "table"), TABLES, ids=IDS)
def test_texts_do_not_overlap(design: Design, table: Table) -> None:
    found = texts(svg(design, table))
    for place, (text, one) in enumerate(found):
        assert [other for other, box in found[place + 1 :] if one.overlaps(box)] == [], text


@pytest.mark.parametrize(("design", "table"), TABLES[:-1], ids=IDS[:-1])
def test_every_entity_and_index_is_named(design: Design, table: Table) -> None:
    shown = {text for text, _ in texts(svg(design, table))}
    assert {entity.__name__ for entity in design.entities_of(table)} <= shown
    assert {table.name, *(index.name for index in table.indexes)} <= shown


def test_the_picture_is_self_contained_and_accessible() -> None:
    picture = svg(EXTREME, long)
    assert not re.search(r"(?:href|src)=|url\(|@import", picture)
    assert 'role="img"' in picture
    (title,), (summary,) = elements(picture, "title"), elements(picture, "desc")
    labels = ElementTree.fromstring(picture).get("aria-labelledby")
    assert labels == f"{title.get('id')} {summary.get('id')}"
    assert "prefers-color-scheme: dark" in picture


def test_a_table_without_entities_is_shown() -> None:
    table = Table("empty", key="id")
    picture = svg(Design("empty", tables=[table]), table)
    assert [text for text, _ in texts(picture)] == ["empty", "id (table)"]


@pytest.mark.parametrize(
    ("text", "most", "lines"),
    [
        ("USER#{user_id}", 20, ["USER#{user_id}"]),
        ("USER#{user_id}#ORDER", 14, ["USER#{user_id}", "#ORDER"]),
        ("when status is open", 12, ["when status", "is open"]),
        ("{a_very_long_field_name}", 10, ["{a_very_lo", "ng_field_n", "ame}"]),
        ("", 10, [""]),
    ],
)
def test_lines_break_where_parts_begin(text: str, most: int, lines: list[str]) -> None:
    assert wrapped(text, most) == lines


def test_nothing_is_lost() -> None:
    text = "STARTUP#{startup_id}#ROLE#{role_id}" * 3
    for most in range(1, 40):
        lines = wrapped(text, most)
        assert "".join(lines) == text
        assert max(map(len, lines)) <= most
