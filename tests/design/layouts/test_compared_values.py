"""Compared values: a value that a field can never have is rejected, with the values that it can have."""

from contextlib import nullcontext
from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, IntEnum, StrEnum
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field
from pydantic_core import core_schema

from tablewright import fields
from tablewright.design.layouts.compared_values import (
    Use,
    ValueMismatch,
    check_types,
    checked_value,
    stored_kind,
)


class Status(Enum):
    OPEN = "open"
    CLOSED = "closed"


class Level(IntEnum):
    LOW = 0
    HIGH = 1


class Text(StrEnum):
    OPEN = "open"


class Email:
    """A type that pydantic validates as text, as its `EmailStr` is."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> core_schema.CoreSchema:
        return core_schema.no_info_after_validator_function(str.lower, core_schema.str_schema())


class Place(BaseModel):
    city: str
    zip_code: str | None = Field(default=None, alias="zip")
    visits: int = 0


class Town(BaseModel):
    city: str


NOON = datetime(2025, 8, 8, 12, tzinfo=UTC)
ID = UUID("12345678-1234-5678-1234-567812345678")

RIGHT: list[tuple[Any, Any, Any]] = [
    (Status, Status.OPEN, "open"),
    (Status, "closed", "closed"),
    (Status, Text.OPEN, "open"),
    (Level, 1, 1),
    (Level, Level.LOW, 0),
    (Literal["a", 1], 1, 1),
    (bool, True, True),
    (int, 3, 3),
    (int, 2.5, 2.5),
    (Decimal, 1, 1),
    (float, Decimal("1.5"), Decimal("1.5")),
    (Annotated[int, Field(ge=0)] | None, -1, -1),
    (str, "x", "x"),
    (str, Status.OPEN, "open"),
    (str, ID, ID),
    (Email, "ada", "ada"),
    (fields.Timestamp, NOON, NOON),
    (fields.Timestamp, "2025-08-08T12:00:00Z", NOON),
    (date, date(2025, 8, 8), date(2025, 8, 8)),
    (date, "2025-08-08", date(2025, 8, 8)),
    (UUID, str(ID), ID),
    (bytes, b"x", b"x"),
    (list[str], ["a"], ["a"]),
    (set[Status], {Status.OPEN}, {"open"}),
    (dict[str, int], {"a": 1}, {"a": 1}),
    (Place, Place(city="x"), Place(city="x")),
    (Place, {"city": "x"}, Place(city="x")),
    (Place, {"city": "x", "zip_code": "1"}, Place(city="x", zip="1")),
    (Place, {"city": "x", "zip": "1"}, Place(city="x", zip="1")),
    (list[Place], [{"city": "x"}], [Place(city="x")]),
    (dict[str, Place], {"home": {"city": "x"}}, {"home": Place(city="x")}),
    (dict[str, date], {"a": "2025-08-08"}, {"a": date(2025, 8, 8)}),
    (dict[str, int | None], {"a": None}, {"a": None}),
    (list[int | None], [None, 1], [None, 1]),
    (int | str, "x", "x"),
    (Any, 3, 3),
]


@pytest.mark.parametrize(("annotation", "value", "found"), RIGHT)
def test_values_that_the_field_can_have_are_accepted(annotation: Any, value: Any, found: Any) -> None:
    assert checked_value(annotation, value) == found


WRONG: list[tuple[Any, Any, Use, str]] = [
    (
        Status,
        "opne",
        "equal",
        "must be compared with one of 'open', 'closed', got 'opne'; did you mean 'open'?",
    ),
    (Status, "zzz", "equal", "must be compared with one of 'open', 'closed', got 'zzz'"),
    (Status, "OPEN", "equal", "one of 'open', 'closed'"),
    (Level, True, "equal", "one of 0, 1, got True"),
    (Literal["a"], "b", "equal", "one of 'a', got 'b'"),
    (bool, "yes", "equal", "must be compared with a boolean, got 'yes'"),
    (bool, 1, "equal", "a boolean, got 1"),
    (bool, True, "order", "is a boolean, which has no order; compare it with == or !="),
    (int, "3", "equal", "a number, got '3'"),
    (int, True, "equal", "a number, got True"),
    (int, None, "order", "cannot be compared with None, which is not stored; use is_absent"),
    (int, 3, "prefix", "is a number, and begins_with needs text"),
    (int, 3, "element", "is a number, and contains needs text, a list or a set"),
    (str, 3, "equal", "text, got 3"),
    (str, 3, "prefix", "text, got 3"),
    (str, ["a", "b"], "equal", "text, got"),
    (Email, 3, "equal", "text, got 3"),
    (datetime, date(2025, 8, 8), "order", "a datetime, got"),
    (datetime, 1_790_000_000, "order", "a datetime, got 1790000000"),
    (datetime, datetime(2025, 8, 8), "order", "a datetime that has a time zone"),
    (datetime, "2025-08-08", "order", "a datetime that has a time zone"),
    (date, NOON, "equal", "a date, got"),
    (date, "August", "equal", "a date, got 'August'"),
    (UUID, "x", "equal", "a UUID, got 'x'"),
    (list[int], ["a"], "equal", "a number, got 'a'"),
    (list[int], [1], "order", "is a list, which has no order"),
    (list[int], "a", "element", "a number, got 'a'"),
    (set[Status], "opne", "element", "one of 'open', 'closed'"),
    (dict[str, int], "a", "element", "is a map, and contains needs text"),
    (Place, "x", "equal", "a map, got 'x'"),
    (Place, {"town": "x"}, "equal", "must be compared with a value of the class Place: city is required"),
    (Place, Town(city="x"), "equal", "must be compared with a value of the class Place, got Town(city='x')"),
    (list[Place], {"town": "x"}, "element", "of the class Place: city is required"),
    (dict[str, date], {"a": NOON}, "equal", "a date, got"),
    (dict[str, int], {"a": None}, "equal", "cannot be compared with None"),
]


@pytest.mark.parametrize(("annotation", "value", "use", "message"), WRONG)
def test_values_that_the_field_never_has_are_rejected(
    annotation: Any, value: Any, use: Use, message: str
) -> None:
    with pytest.raises(ValueMismatch) as caught:
        checked_value(annotation, value, use)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("annotation", "value", "use"),
    [(Status, "op", "prefix"), (datetime, "2025-08", "prefix"), (list[Status], "open", "element")],
)
def test_parts_of_values_are_accepted(annotation: Any, value: Any, use: Use) -> None:
    assert checked_value(annotation, value, use) == value


@pytest.mark.parametrize(
    ("field", "other", "use", "message"),
    [
        (int, str, "equal", "is a number and never matches text"),
        (Status, Text, "equal", ""),
        (Status, Literal["x"], "equal", "has the values 'open', 'closed' and never matches 'x'"),
        (Status, str, "equal", ""),
        (datetime, date, "order", "never matches a date"),
        (date, datetime, "equal", "never matches a time"),
        (list[int], str, "element", "is a number and never matches text"),
        (list[int], int, "element", ""),
        (bool, bool, "order", "has no order"),
        (int | str, bool, "equal", ""),
    ],
)
def test_types_are_compared(field: Any, other: Any, use: Use, message: str) -> None:
    expected = pytest.raises(ValueMismatch, match=message) if message else nullcontext()
    with expected:
        check_types(field, other, use)


def test_kinds() -> None:
    assert stored_kind(Literal["a", 1]) is None
    assert stored_kind(Level) == "a number"
    assert stored_kind(Email | None) == "text"
