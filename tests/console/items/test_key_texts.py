"""Key texts: what a person types or a link contains, as key values, and back."""

import pytest

from tablewright import Index, Table
from tablewright.console.items.key_texts import (
    key_attribute,
    key_from_json,
    partition_key,
    sort_attributes,
    text_key,
    text_of,
    whole_text_key,
    with_bytes,
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


PAIRS = Table("pairs", key=("id", "at"), types={"at": "N"})
FILES = Table("files", key="hash", types={"hash": "B"})


def test_a_key_has_the_types_of_its_table() -> None:
    assert text_key(PAIRS, "a", "7") == {"id": {"S": "a"}, "at": {"N": "7"}}
    assert text_key(FILES, "AP8=", None) == {"hash": {"B": b"\x00\xff"}}


def test_a_partition_has_no_sort_key() -> None:
    assert text_key(PAIRS, "a", None) == {"id": {"S": "a"}}
    with pytest.raises(UsageError, match="the sort key at of the item is missing"):
        whole_text_key(PAIRS, "a", None)
    assert whole_text_key(FILES, "AP8=", None) == {"hash": {"B": b"\x00\xff"}}


def test_wrong_texts_are_errors() -> None:
    with pytest.raises(UsageError, match="this table has no sort key"):
        text_key(FILES, "AP8=", "x")
    with pytest.raises(UsageError, match="hash is base64, got 'no base64!'"):
        text_key(FILES, "no base64!", None)
    with pytest.raises(UsageError, match="id is a key, and a key cannot be empty"):
        text_key(PAIRS, "", None)


def test_base64_becomes_bytes_at_any_depth() -> None:
    given = {"B": {"S": "name"}, "all": {"L": [{"M": {"x": {"BS": ["AP8=", ""]}}}, {"B": "/w=="}]}}
    found = {"B": {"S": "name"}, "all": {"L": [{"M": {"x": {"BS": [b"\x00\xff", b""]}}}, {"B": b"\xff"}]}}
    assert with_bytes(given) == found
    assert with_bytes(found) == found


def test_text_that_is_not_base64_is_an_error() -> None:
    with pytest.raises(UsageError, match="a binary value is base64 text, got 'a b'"):
        with_bytes({"B": "a b"})
