"""ExclusiveStartKey: a key of the table and index, inside of the range, with keys possible after it."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import KeyRange
from tablewright.engine.core.reads.key_ranges import span_of
from tablewright.engine.core.reads.read_sources import Source
from tablewright.engine.core.reads.start_keys import (
    require_key_parts,
    require_table_key,
    require_within,
    start_key_of,
)
from tablewright.errors import ValidationError
from tests.engine.player_table import LOCAL, PLAYERS

RED = {"S": "red"}
TABLE, LOCAL_SOURCE = Source(PLAYERS), Source(PLAYERS, LOCAL)


def start(team: str = "red", nick: str = "ada") -> dict[str, Any]:
    return {"team": {"S": team}, "nick": {"S": nick}}


def within(chosen: KeyRange, key: dict[str, Any], *, backward: bool = False) -> str | None:
    """The error message for a start key, or None."""
    try:
        require_within(TABLE, chosen, span_of(chosen), key, backward=backward)
    except ValidationError as error:
        return error.message
    return None


def test_values_of_a_start_key_are_normalised_or_rejected() -> None:
    assert start_key_of({}) is None
    assert start_key_of({"ExclusiveStartKey": {"pos": {"N": "1e1"}}}) == {"pos": {"N": "10"}}
    with pytest.raises(ValidationError, match=r"^The provided starting key is invalid: "):
        start_key_of({"ExclusiveStartKey": {"pos": {}}})
    with pytest.raises(ValidationError, match=r"^The parameter cannot be converted to a numeric value"):
        start_key_of({"ExclusiveStartKey": {"pos": {"N": "x"}}})


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (None, "The provided starting key is invalid"),
        ({"N": "1"}, "does not match the schema"),
        ({"S": ""}, "cannot contain an empty string value. Key: nick"),
    ],
)
def test_each_key_attribute_must_be_present_and_of_its_type(value: Any, message: str) -> None:
    key = {"team": RED} if value is None else {"team": RED, "nick": value}
    with pytest.raises(ValidationError, match=message):
        require_key_parts(TABLE, ("team", "nick"), key)


def test_the_start_key_of_an_index_contains_a_key_of_the_table() -> None:
    require_table_key(LOCAL_SOURCE, {**start(), "pos": {"N": "1"}})
    with pytest.raises(ValidationError, match="The provided starting key is invalid"):
        require_table_key(LOCAL_SOURCE, {"team": RED, "pos": {"N": "1"}})


def test_a_start_key_must_be_in_the_partition_and_in_the_range() -> None:
    whole, above = KeyRange((RED,), ()), KeyRange((RED,), (), ">", ({"S": "bob"},))
    assert within(whole, start()) is None
    assert within(above, start(nick="eve")) is None
    assert within(whole, start(team="blue")) == (
        "The provided starting key is outside query boundaries based on provided conditions"
    )
    assert within(above, start(nick="ada")) == (
        "The provided starting key does not match the range key predicate"
    )


def test_a_query_for_one_row_cannot_be_continued() -> None:
    one = KeyRange((RED,), ({"S": "ada"},))
    assert within(one, start()) == "The query can return at most one row and cannot be restarted"
