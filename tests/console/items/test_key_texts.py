"""Key texts: what a person types or a link contains, as key values, and back."""

import pytest

from tablewright import Index, Table
from tablewright.console.items.key_texts import (
    key_attribute,
    key_from_json,
    partition_key,
    sort_attributes,
    text_of,
)
from tablewright.errors import UsageError

place = Index("place", ("country", "city"))
TABLE = Table("places", key=("id", "at"), indexes=[place], types={"at": "N", "id": "B"})


@pytest.mark.parametrize("value", [{"N": "7"}, {"B": b"\x00\xff"}])
def test_a_key_is_the_same_after_text_and_back(value: dict[str, object]) -> None:
    attribute = "at" if "N" in value else "id"
    assert key_attribute(TABLE, attribute, text_of(value)) == value


@pytest.mark.parametrize(
    ("attribute", "text", "message"),
    [
        ("at", "seven", "at is a number, got 'seven'"),
        ("id", "not base64!", "id is base64"),
        ("id", "", "cannot be empty"),
    ],
)
def test_a_text_that_is_no_key_is_an_error(attribute: str, text: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        key_attribute(TABLE, attribute, text)


def test_a_key_is_read_from_json() -> None:
    assert key_from_json(TABLE, {"id": {"B": "eA=="}, "at": {"N": "1"}}) == {
        "id": {"B": b"x"},
        "at": {"N": "1"},
    }


@pytest.mark.parametrize("given", [None, [], {}, {"id": {"B": "eA=="}}, {"id": {"S": "x"}, "at": {"N": "1"}}])
def test_json_that_is_no_key_is_an_error(given: object) -> None:
    with pytest.raises(UsageError, match="id"):
        key_from_json(TABLE, given)


def test_a_partition_of_an_index_can_have_several_attributes() -> None:
    assert partition_key(TABLE, place, ["FI", "Turku"]) == {"country": {"S": "FI"}, "city": {"S": "Turku"}}
    assert sort_attributes(TABLE, place) == ()
    with pytest.raises(UsageError, match="country, city; got 1"):
        partition_key(TABLE, place, ["FI"])
