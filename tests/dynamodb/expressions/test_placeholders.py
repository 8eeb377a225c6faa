"""Placeholders: invalid maps are rejected, and every entry must be used by an expression."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope, condition, key_condition, update
from tablewright.dynamodb.values.attributes import AttributeValue
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


NAMES = {"#c": "count"}
COUNT = "SET #c = #c + :n"
COUNTED = {"count": {"N": "40"}}


def test_each_request_has_its_own_values() -> None:
    changes = [update(COUNT, Scope(NAMES, {":n": {"N": added}})) for added in ("1", "2", "1")]
    assert [change.apply(COUNTED)["count"]["N"] for change in changes] == ["41", "42", "41"]


def test_each_request_has_its_own_names() -> None:
    changes = [update("REMOVE #c", Scope({"#c": name})) for name in ("count", "other", "count")]
    assert [change.apply(COUNTED) for change in changes] == [{}, COUNTED, {}]


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({":n": {"S": "1"}}, "operand type: S"),
        ({":m": {"N": "1"}}, "not defined; attribute value: :n"),
    ],
)
def test_an_accepted_expression_is_rejected_with_other_values(
    values: dict[str, AttributeValue], message: str
) -> None:
    update(COUNT, Scope(NAMES, {":n": {"N": "1"}}))
    for _ in range(2):
        with pytest.raises(ValidationError, match=message):
            update(COUNT, Scope(NAMES, values))


def test_an_unused_placeholder_is_noticed_every_time() -> None:
    for _ in range(2):
        scope = Scope(NAMES, {":n": {"N": "1"}, ":unused": {"N": "1"}})
        update(COUNT, scope)
        with pytest.raises(ValidationError, match=r"unused in expressions: keys: {:unused}"):
            scope.finish()


def test_bounds_are_compared_every_time() -> None:
    text = "p = :p AND n BETWEEN :low AND :high"
    values = {":p": {"S": "x"}, ":low": {"N": "1"}, ":high": {"N": "2"}}
    key_condition(text, Scope(None, values))
    with pytest.raises(ValidationError, match="upper bound to be greater"):
        key_condition(text, Scope(None, {**values, ":high": {"N": "0"}}))


@pytest.mark.parametrize("expected", ["x", "y"])
def test_a_key_condition_has_its_own_values(expected: str) -> None:
    chosen = key_condition("p = :p", Scope(None, {":p": {"S": expected}})).match(["p"], [], {"p": "S"})
    assert chosen.hash_values == ({"S": expected},)


def test_a_condition_has_its_own_values() -> None:
    for limit, expected in (("41", True), ("39", False), ("41", True)):
        assert condition("#c <= :n", Scope(NAMES, {":n": {"N": limit}})).matches(COUNTED) is expected


def test_bounds_and_type_names_of_a_condition_are_checked_every_time() -> None:
    between, typed = "#c BETWEEN :low AND :high", "attribute_type(#c, :t)"
    for high, kind in (("2", "N"), ("0", "X"), ("2", "N")):
        bounds = Scope(NAMES, {":low": {"N": "1"}, ":high": {"N": high}})
        name = Scope(NAMES, {":t": {"S": kind}})
        if kind == "N":
            assert not condition(between, bounds).matches(COUNTED)
            assert condition(typed, name).matches(COUNTED)
            continue
        with pytest.raises(ValidationError, match="upper bound to be greater"):
            condition(between, bounds)
        with pytest.raises(ValidationError, match="Invalid attribute type name found; type: X"):
            condition(typed, name)


def test_the_first_problem_is_reported_even_if_only_values_show_it() -> None:
    text = "#c BETWEEN :low AND :high AND begins_with(#c, :low)"
    with pytest.raises(ValidationError, match="upper bound to be greater"):
        condition(text, Scope(NAMES, {":low": {"N": "1"}, ":high": {"N": "0"}}))


def test_long_names_are_not_kept() -> None:
    assert Scope({"#c": "x" * 60_000}).is_large
    assert not Scope(NAMES).is_large
