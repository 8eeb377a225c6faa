"""Attribute values: which are valid, their size, and how they compare."""

from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tablewright.dynamodb.values.attributes import AttributeValue, admit, equal, order
from tablewright.dynamodb.values.item_sizes import value_size
from tablewright.errors import SerializationError, ValidationError
from tests.dynamodb.values.strategies import values
from tests.golden import arrows


@pytest.mark.parametrize(("value", "words"), arrows("values/refusals.txt"))
def test_invalid_values(value: str, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        admit(orjson.loads(value))
    assert caught.value.message == words


@pytest.mark.parametrize(
    "value",
    [
        "text",
        5,
        None,
        [],
        {"S": 5},
        {"N": 1},
        {"BOOL": "maybe"},
        {"BOOL": 1},
        {"L": {}},
        {"M": []},
        {"SS": "a"},
        {"B": "a"},
    ],
)
def test_wrong_json_types_are_rejected(value: Any) -> None:
    with pytest.raises((SerializationError, ValidationError)):
        admit(value)


@pytest.mark.parametrize(
    ("given_", "kept"),
    [
        ({"SS": ["b", "", "é", "a"]}, {"SS": ["", "a", "b", "é"]}),
        ({"NS": ["10", "9", "-1", "1e-3"]}, {"NS": ["-1", "0.001", "9", "10"]}),
        ({"BS": ["/w==", "AA==", ""]}, {"BS": ["", "AA==", "/w=="]}),
    ],
)
def test_sets_are_kept_in_their_own_order(given_: AttributeValue, kept: AttributeValue) -> None:
    assert admit(given_)[0] == kept


@given(values())
def test_admitting_twice_changes_nothing(value: AttributeValue) -> None:
    once, size = admit(value)
    assert admit(once) == (once, size)
    assert value_size(once) == size


@given(values(), values())
def test_equality_is_an_equivalence(one: AttributeValue, other: AttributeValue) -> None:
    left, right = admit(one)[0], admit(other)[0]
    assert equal(left, left)
    assert equal(left, right) == equal(right, left)


@given(values(), values())
def test_order_is_antisymmetric_and_agrees_with_equality(one: AttributeValue, other: AttributeValue) -> None:
    left, right = admit(one)[0], admit(other)[0]
    forth, back = order(left, right), order(right, left)
    assert (forth is None) == (back is None)
    if forth is not None and back is not None:
        assert forth == -back
        assert (forth == 0) == equal(left, right)


@pytest.mark.parametrize(("depth", "fits"), [(30, True), (31, True), (32, False)])
@pytest.mark.parametrize("kind", ["L", "M"])
def test_32_levels(kind: str, depth: int, fits: bool) -> None:
    value: AttributeValue = {"S": "leaf"}
    for _ in range(depth):
        value = {"L": [value]} if kind == "L" else {"M": {"k": value}}
    if fits:
        admit(value)
    else:
        with pytest.raises(ValidationError, match="Nesting Levels have exceeded supported limits"):
            admit(value)


@given(st.binary())
def test_bytes_and_base64_are_the_same_binary(raw: bytes) -> None:
    from base64 import b64encode

    assert admit({"B": raw}) == admit({"B": b64encode(raw).decode()})
    assert admit({"B": raw})[1] == len(raw)
