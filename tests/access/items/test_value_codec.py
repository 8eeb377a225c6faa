"""Python values as attribute values."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tablewright.access.items.value_codec import differs, from_attribute, model_attributes, to_attribute
from tablewright.errors import ValueNotStorable


class Colour(Enum):
    RED = "red"


class Note(BaseModel):
    text: str = "-"
    page: int | None = 1
    marks: set[str] = Field(default_factory=set, alias="m")


@pytest.mark.parametrize(
    ("value", "stored"),
    [
        ("a", {"S": "a"}),
        (True, {"BOOL": True}),
        (1, {"N": "1"}),
        (2.5, {"N": "2.5"}),
        (Decimal("1.10"), {"N": "1.10"}),
        (b"x", {"B": b"x"}),
        (None, {"NULL": True}),
        (Colour.RED, {"S": "red"}),
        (date(2026, 1, 2), {"S": "2026-01-02"}),
        (datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC), {"S": "2026-01-02T03:04:05.000Z"}),
        (UUID(int=1), {"S": "00000000-0000-0000-0000-000000000001"}),
        ({"b", "a"}, {"SS": ["a", "b"]}),
        ({1}, {"NS": ["1"]}),
        ([1, "a"], {"L": [{"N": "1"}, {"S": "a"}]}),
        ({"a": None}, {"M": {"a": {"NULL": True}}}),
    ],
)
def test_values_and_their_stored_form(value: Any, stored: Any) -> None:
    assert to_attribute(value) == stored


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (object(), "a object cannot be stored"),
        (float("nan"), "nan is not a number that DynamoDB can store"),
        (Decimal("Infinity"), "Infinity is not a number"),
        ("\ud800", "unpaired surrogate"),
        ({1, "a"}, "all of one type"),
        (set(), "at least one"),
        ({1: "a"}, "keys of a map must be strings, not int"),
    ],
)
def test_values_that_cannot_be_stored(value: Any, message: str) -> None:
    with pytest.raises(ValueNotStorable, match=message):
        to_attribute(value)


@pytest.mark.parametrize(
    "value", ["a", 1, Decimal("1.5"), b"x", True, None, [1, ["a"]], {"a": {"b": 1}}, {1, 2}]
)
def test_values_are_read_back(value: Any) -> None:
    assert from_attribute(to_attribute(value)) == value


def test_none_and_empty_sets_of_a_model_are_left_out() -> None:
    assert model_attributes(Note(text="t", page=None)) == {"text": {"S": "t"}}


def test_none_and_empty_sets_of_a_nested_model_are_stored_when_they_are_not_the_default() -> None:
    assert to_attribute(Note(page=None)) == {
        "M": {"text": {"S": "-"}, "page": {"NULL": True}, "m": {"L": []}}
    }


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ({"N": "1"}, {"N": "1.0"}, False),
        ({"SS": ["a", "b"]}, {"SS": ["b", "a"]}, False),
        ({"S": "1"}, {"N": "1"}, True),
        ({"S": "a"}, None, True),
        (None, None, False),
    ],
)
def test_values_differ_by_content_and_not_by_notation(one: Any, other: Any, expected: bool) -> None:
    assert differs(one, other) is expected


class Side(StrEnum):
    LEFT = "left"


def test_keys_of_maps_are_plain_text() -> None:
    stored = to_attribute({Side.LEFT: Side.LEFT})
    assert stored == {"M": {"left": {"S": "left"}}}
    ((name, value),) = stored["M"].items()
    assert type(name) is type(value["S"]) is str


def test_decimals_have_at_most_38_digits() -> None:
    for fitting in (10**50, Decimal("1." + "1" * 37), Decimal("0." + "0" * 20 + "1" * 38), -int("1" * 38)):
        assert to_attribute(fitting) == {"N": str(fitting)}
    with pytest.raises(ValueNotStorable, match="a number of 39 significant digits cannot be stored"):
        to_attribute(Decimal("1." + "1" * 38))
