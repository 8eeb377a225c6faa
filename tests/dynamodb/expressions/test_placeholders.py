"""Placeholders: invalid maps are rejected, and every entry must be used by an expression."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope, condition, update
from tablewright.errors import ValidationError


@pytest.mark.parametrize(
    ("names", "values", "words"),
    [
        ({}, None, "ExpressionAttributeNames must not be empty"),
        (None, {}, "ExpressionAttributeValues must not be empty"),
        ({}, {}, "ExpressionAttributeNames must not be empty"),
        ({"a": "a"}, {}, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "a"'),
        ({"#": "a"}, None, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#"'),
        ({"#a-b": "a"}, None, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a-b"'),
        ({"#a\n": "a"}, None, 'ExpressionAttributeNames contains invalid key: Syntax error; key: "#a\n"'),
        (
            {"#a": ""},
            None,
            "ExpressionAttributeNames contains invalid value: Empty attribute name for key #a",
        ),
        (None, {"a": {}}, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "a"'),
        (None, {":b": {}, "b": {}}, 'ExpressionAttributeValues contains invalid key: Syntax error; key: "b"'),
        (
            None,
            {":b": {}},
            "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes",
        ),
        (
            None,
            {":a": {"N": "1"}, ":b": {"SS": []}},
            "One or more parameter values were invalid: An string set  may not be empty",
        ),
    ],
)
def test_maps_that_are_rejected(names: Any, values: Any, words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        Scope(names, values)
    assert caught.value.message == words


def test_the_older_layer_names_the_placeholder_of_a_bad_value() -> None:
    with pytest.raises(ValidationError) as caught:
        Scope(None, {":b": {}})
    assert caught.value.older == (
        "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, "
        "must contain exactly one of the supported datatypes for key :b"
    )


def test_unused_placeholders_are_rejected() -> None:
    scope = Scope({"#a": "a", "#b": "b", "#c": "c"}, {":v": {"N": "1"}, ":w": {"N": "2"}})
    condition("#b = :w", scope)
    with pytest.raises(ValidationError) as names:
        scope.finish()
    assert names.value.message == (
        "Value provided in ExpressionAttributeNames unused in expressions: keys: {#a, #c}"
    )
    update("SET #a = #c", scope)
    with pytest.raises(ValidationError) as values:
        scope.finish()
    assert values.value.message == (
        "Value provided in ExpressionAttributeValues unused in expressions: keys: {:v}"
    )
    update("ADD n :v", scope)
    scope.finish()


def test_a_placeholder_in_an_unused_branch_counts_as_used() -> None:
    scope = Scope({"#a": "a", "#b": "b"}, {":v": {"N": "1"}, ":w": {"N": "2"}})
    assert condition("#a = :v OR #b = :w", scope).matches({"a": {"N": "1"}})
    scope.finish()


def test_values_are_normalised() -> None:
    scope = Scope(None, {":v": {"N": "1e1"}, ":b": {"B": b"abc"}})
    assert condition("a = :v AND b = :b", scope).matches({"a": {"N": "10"}, "b": {"B": "YWJj"}})


def error_message(attempt: Callable[[], object]) -> str:
    """The error message of an attempt, or an empty string."""
    try:
        attempt()
    except ValidationError as caught:
        return caught.message
    return ""


@pytest.mark.parametrize("length", [254, 255, 256])
def test_placeholders_have_255_bytes(length: int) -> None:
    long = "x" * (length - 1)
    names = error_message(lambda: Scope({f"#{long}": "a"}))
    values = error_message(lambda: Scope(None, {f":{long}": {"N": "1"}}))
    expected = "contains invalid key: The expression attribute map contains a key that is too long;"
    if length > 255:
        assert names == f"ExpressionAttributeNames {expected} size of key: {length}"
        assert values == f"ExpressionAttributeValues {expected}"
    else:
        assert names == values == ""


@pytest.mark.parametrize("length", [0, 1, 65534, 65535, 65536])
def test_attribute_names_have_1_to_65535_bytes(length: int) -> None:
    said = error_message(lambda: Scope({"#n": "x" * length}))
    if length == 0:
        assert said == "ExpressionAttributeNames contains invalid value: Empty attribute name for key #n"
    else:
        assert ("65536" in said) == (length > 65535)
