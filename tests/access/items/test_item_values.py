"""Python values as attribute values."""

from datetime import UTC, date, datetime
from decimal import Decimal
from enum import Enum, StrEnum
from typing import Any
from uuid import UUID

import pytest
from pydantic import BaseModel, Field

from tablewright.access.items.item_values import (
    describe_key,
    differs,
    from_attribute,
    is_key,
    key_of,
    key_value,
    key_values,
    model_attributes,
    parse_key,
    to_attribute,
)
from tablewright.design.keys.templates import Template
from tablewright.design.tables import Table
from tablewright.errors import KeyValueError, ValueNotStorable
from tests.access.studio import Artist, main


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


plain = Table("plain", key=("PK", "SK"))


def city_key(**values: Any) -> dict[str, Any] | None:
    """Return the GSI1 key of an artist: `CITY#{city}`, `{level:04}#{artist_id}`."""
    (key,) = (each for each in Artist.layout.indexes if each.index is not None and each.index.name == "GSI1")
    return key_values(main, key, values)


def test_all_attributes_of_a_key() -> None:
    assert city_key(city="Oslo", level=7, artist_id="a") == {
        "GSI1PK": {"S": "CITY#Oslo"},
        "GSI1SK": {"S": "0007#a"},
    }


def test_an_index_key_with_an_absent_field_is_none() -> None:
    assert city_key(city=None, level=7, artist_id="a") is None


def test_a_number_key_needs_a_number() -> None:
    assert key_value(main, "rank", Template("{rank}"), {"rank": 7}) == {"N": "7"}
    with pytest.raises(KeyValueError, match="rank = 'first' cannot be rank, a key of type N"):
        key_value(main, "rank", Template("{rank}"), {"rank": "first"})


LATE = datetime(2025, 8, 8, 10, tzinfo=UTC)


@pytest.mark.parametrize(
    ("template", "value", "number"),
    [
        ("{rank}", Decimal("-1.50"), "-1.50"),
        ("{rank}", 0.1, "0.1"),
        ("{rank:epoch}", LATE, "1754647200"),
        ("{rank:epoch_ms}", LATE.replace(year=1969), "-12578400000"),
        ("{rank:%Y%m%d}", date(33, 4, 3), "330403"),
        ("100", None, "100"),
    ],
)
def test_number_keys(template: str, value: Any, number: str) -> None:
    assert key_value(main, "rank", Template(template), {"rank": value}) == {"N": number}


@pytest.mark.parametrize(
    ("attribute", "template", "values"),
    [
        ({"S": "A#00042"}, "A#{n:05}", {"n": "00042"}),
        ({"S": "A#99957"}, "A#{n:05 desc}", {"n": "00042"}),
        ({"S": "B#1"}, "A#{n}", {}),
        ({"N": "1.5"}, "{n}", {"n": Decimal("1.5")}),
        ({"N": "1754647200000"}, "{n:epoch_ms}", {"n": "2025-08-08T10:00:00.000Z"}),
        ({"N": "1754647200"}, "{n:epoch}", {}),
        ({"N": "20250808"}, "{n:%Y%m%d}", {}),
        ({"B": b"x"}, "{n}", {"n": b"x"}),
        ({}, "{n}", {}),
    ],
)
def test_values_are_read_back_from_a_key(
    attribute: dict[str, Any], template: str, values: dict[str, Any]
) -> None:
    assert parse_key(attribute, Template(template)) == values


@pytest.mark.parametrize(
    ("attribute", "text", "message"),
    [
        ("PK", "x" * 2049, "name makes the key PK 2049 bytes long, and DynamoDB allows 2048"),
        ("SK", "é" * 513, "name makes the key SK 1026 bytes long, and DynamoDB allows 1024"),
        ("PK", "\ud800", "name has an unpaired surrogate"),
    ],
)
def test_a_key_that_dynamodb_does_not_take_is_rejected(attribute: str, text: str, message: str) -> None:
    with pytest.raises(KeyValueError, match=message):
        key_value(plain, attribute, Template("{name}"), {"name": text})


def test_the_primary_key_of_an_item() -> None:
    key = {"PK": {"S": "a"}, "SK": {"S": "b"}}
    assert key_of(main, {**key, "city": {"S": "Oslo"}}) == key
    assert describe_key(key) == "PK = 'a', SK = 'b'"


@pytest.mark.parametrize(
    "given",
    [
        None,
        {},
        {"PK": {"S": "a"}},
        {"PK": {"S": ""}, "SK": {"S": "b"}},
        {"PK": {"M": {}}, "SK": {"S": "b"}},
        {"PK": {"N": "1"}, "SK": {"S": "b"}},
        {"PK": {"S": "a"}, "SK": {"S": "b" * 1025}},
        {"PK": {"S": "a"}, "SK": {"S": "b"}, "more": {"S": "c"}},
    ],
)
def test_what_cannot_be_a_primary_key(given: Any) -> None:
    assert not is_key(main, given)
    assert is_key(main, {"PK": {"S": "a" * 2048}, "SK": {"S": "b" * 1024}})
