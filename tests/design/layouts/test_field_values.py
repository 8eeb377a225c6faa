"""Field values: allowed values, cardinality, time fields, identities and widths."""

from datetime import date, datetime
from enum import Enum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tablewright import Entity, Keys, Table, fields
from tablewright.design.keys.templates import Template
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.layouts.field_values import (
    KeyLength,
    allowed_values,
    cardinality,
    estimated_size,
    has_fixed_width,
    is_generated,
    is_identity,
    is_time_field,
    largest_size,
    longest_text,
    type_name,
    value_count,
)
from tablewright.design.layouts.layouts import FieldLayout


class Level(Enum):
    LOW = "low"
    HIGH = "high"


def field(annotation: Any, name: str = "f", *markers: Any) -> FieldLayout:
    return FieldLayout(name, name, annotation, False, markers)


@pytest.mark.parametrize(
    ("annotation", "values"),
    [(Level, ("low", "high")), (Literal["a", 1], ("a", "1")), (bool, ("true", "false")), (str, None)],
)
def test_allowed_values(annotation: Any, values: tuple[str, ...] | None) -> None:
    assert allowed_values(annotation) == values


@pytest.mark.parametrize(
    ("layout", "count"),
    [
        (field(Level), 2),
        (field(str), None),
        (field(str, "f", fields.Cardinality(7)), 7),
        (field(date), 1),
        (field(str, "created_at"), 1),
    ],
)
def test_cardinality(layout: FieldLayout, count: int | None) -> None:
    assert cardinality(layout) == count


@pytest.mark.parametrize(
    ("template", "count"),
    [
        ("{level}", 2),
        ("{level}#{id:shard(8)}", 16),
        ("{level:shard(8)}", 2),
        ("{level}#{id}", None),
        ("A", 1),
    ],
)
def test_the_number_of_keys_is_the_product_of_the_parts(template: str, count: int | None) -> None:
    known = {"level": field(Level, "level"), "id": field(str, "id")}
    assert value_count((part, known[part.name]) for part in Template(template).fields) == count


@pytest.mark.parametrize(
    ("layout", "expected"),
    [
        (field(datetime), True),
        (field(str, "due_on"), True),
        (field(int, "timestamp"), True),
        (field(str, "station"), False),
        (field(list[str], "created_at"), False),
    ],
)
def test_time_fields(layout: FieldLayout, expected: bool) -> None:
    assert is_time_field(layout) == expected


class OrderLine(Entity, table=Table("lines", key=("PK", "SK")), type="LINE"):
    line_id: str
    order_line_id: str
    order_id: str
    token: UUID
    made: str = fields.new_id()
    keys = Keys(primary=("A#{line_id}", "A"))


def test_generated_and_identifying_fields() -> None:
    layout = OrderLine.layout
    assert [name for name, one in layout.fields.items() if is_generated(one, layout)] == ["token", "made"]
    assert [name for name, one in layout.fields.items() if is_identity(one, layout)] == [
        "line_id",
        "order_line_id",
        "token",
        "made",
    ]


@pytest.mark.parametrize(
    ("annotation", "expected"), [(UUID, True), (Level, False), (Literal["on", "of"], True), (int, False)]
)
def test_fixed_width(annotation: Any, expected: bool) -> None:
    assert has_fixed_width(annotation) == expected


def test_type_names_are_short() -> None:
    assert [type_name(kind) for kind in (str, list[str], dict[str, int])] == ["str", "list", "dict"]


class Point(BaseModel):
    x: int
    longitude: int = Field(alias="lon")


class Tree(BaseModel):
    name: str
    left: "Tree | None" = None


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (int, 8),
        (datetime | None, 24),
        (Literal["a", "abc"], 3),
        (list[int], 3 + 1 + 8),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Any, 100),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_estimated_size(annotation: Any, size: int) -> None:
    assert estimated_size(annotation) == size


@pytest.mark.parametrize(
    ("annotation", "size"),
    [
        (str, 36),
        (Annotated[str, Field(max_length=500)] | None, 500),
        (Annotated[list[int], Field(max_length=10)], 3 + 10 * 9),
        (Annotated[dict[str, int], Field(max_length=10)], 3 + 10 * (1 + 36 + 8)),
        (list[Annotated[str, Field(max_length=500)]], 3 + 1 + 36),
        (Point, 3 + (1 + 1 + 8) + (3 + 1 + 8)),
        (Tree, 3 + (4 + 1 + 36) + (4 + 1 + 100)),
    ],
)
def test_largest_size(annotation: Any, size: int) -> None:
    assert largest_size(annotation) == size


class Color(Enum):
    RED = "red"
    GREEN = "green"


class Thing(Entity, table=Table("things", key="thingId")):
    thing_id: str
    name: Annotated[str, Field(max_length=10)] | None = None
    raw: Annotated[bytes, Field(max_length=10)] = b""
    token: Annotated[str, fields.Hashed()] = ""
    color: Color = Color.RED
    made_at: Timestamp
    day: date
    count: int = 0


def test_longest_texts() -> None:
    found = {
        name: (length.characters, length.bytes)
        for name, field in Thing.layout.fields.items()
        if (length := longest_text(field, Thing.layout))
    }
    assert found == {
        "name": (10, 30),
        "raw": (10, 10),
        "token": (64, 64),
        "color": (5, 5),
        "made_at": (24, 24),
        "day": (10, 10),
        "count": (39, 39),
    }


def test_lengths_add_up() -> None:
    assert KeyLength.of("\N{GREEK SMALL LETTER PI}#") + KeyLength(10, 30) == KeyLength(12, 33)
