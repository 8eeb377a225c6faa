"""Field values: allowed values, cardinality, time fields, identities and widths."""

from datetime import date, datetime
from enum import Enum
from typing import Any, Literal
from uuid import UUID

import pytest

from tablewright import Entity, Keys, Table, fields
from tablewright.design.keys.templates import Template
from tablewright.design.layouts.field_values import (
    allowed_values,
    cardinality,
    has_fixed_width,
    is_generated,
    is_identity,
    is_time_field,
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
