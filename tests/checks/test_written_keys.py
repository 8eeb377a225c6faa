"""Written keys: the keys of entities and of their copies."""

from datetime import date

import pytest

from tablewright import Copy, Design, Entity, Index, Keys, Query, Table
from tablewright.checks.key_languages import language, shared_text
from tablewright.checks.written_keys import clause_on, keys_in, read_language, written_keys
from tablewright.design.keys.templates import Template
from tests.design.definitions import define_pattern

GSI1 = Index("GSI1", ("country", "city"), "street")
main = Table("main", key=("PK", "SK"), indexes=[GSI1])


class Room(Entity, table=main, type="ROOM"):
    room_id: str
    on: date
    days: list[date]
    keys = Keys(primary=("ROOM#{room_id}", "{on:%Y}#{room_id}"), GSI1=("C", "D", "{on}"))
    booked = Copy(each="days", name="day", primary=("DAY#{day}", "ROOM#{room_id}"))


DESIGN = Design("rooms", entities=[Room])


def test_entities_and_copies_write_keys() -> None:
    found = [(key.owner, key.place, str(key)) for key in written_keys(DESIGN)]
    assert found == [
        ("Room", "main", '"ROOM#{room_id}" / "{on:%Y}#{room_id}"'),
        ("Room", "main.GSI1", '"C" / "D" / "{on}"'),
        ("Room.booked", "main", '"DAY#{day}" / "ROOM#{room_id}"'),
    ]
    assert [key.owner for key in keys_in(DESIGN, main, GSI1)] == ["Room"]


def test_partition_and_sort_parts() -> None:
    primary, index, _ = written_keys(DESIGN)
    assert [name for name, _ in primary.partition] == ["PK"]
    assert [name for name, _ in index.partition] == ["country", "city"]
    assert [name for name, _ in index.sort] == ["street"]


def test_whole_fields_exclude_calendar_parts() -> None:
    primary, *_ = written_keys(DESIGN)
    assert [field.name for field in primary.fields_in(primary.sort)] == ["on", "room_id"]
    assert [field.name for field in primary.whole_fields_in(primary.sort)] == ["room_id"]


def test_the_element_of_a_copy_has_the_type_of_the_list() -> None:
    *_, copy = written_keys(DESIGN)
    assert copy.type_of("day") is date
    assert copy.type_of("unknown") is str


class Line(Entity, table=Table("main", key=("PK", "SK")), type="LINE"):
    a: str
    b: str
    keys = Keys(primary=("A#{a}", "{b}"))


@pytest.mark.parametrize(
    ("condition", "text", "expected"),
    [
        ("SK = X#{b}", "X#1", True),
        ("SK = X#{b}", "Y#1", False),
        ("begins_with(SK, X#{b})", "X#1#2", True),
        ("SK BETWEEN X#{b} AND X#{b}~", "X#5", True),
        ("SK BETWEEN X#{b} AND X#{b}~", "Y#5", False),
        ("SK BETWEEN X#{b} AND Y", "A", True),
        ("SK > X#{b}", "A", True),
    ],
)
def test_texts_of_a_clause(condition: str, text: str, expected: bool) -> None:
    plan = define_pattern(Query, Line, {"a": str, "b": str}, key=f"PK = A#{{a}} AND {condition}").__plan__
    found = shared_text(read_language(plan, "SK"), language(Template(text), lambda _: str))
    assert (found is not None) == expected


def test_an_attribute_without_a_clause_matches_every_text() -> None:
    plan = define_pattern(Query, Line, {"a": str}, key="PK = A#{a}").__plan__
    assert clause_on(plan, "SK") is None
    assert shared_text(read_language(plan, "SK"), language(Template("Z"), lambda _: str)) == "Z"
