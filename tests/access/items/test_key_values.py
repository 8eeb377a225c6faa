"""Key attributes from templates."""

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tablewright.access.items.key_values import describe_key, is_key, key_of, key_value, key_values, parse_key
from tablewright.design.keys.templates import Template
from tablewright.design.tables.tables import Table
from tablewright.errors import KeyValueError
from tests.access.studio import Artist, main

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
