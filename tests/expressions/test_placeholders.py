"""Placeholders: which maps are refused, and that every entry must be used by some expression."""

from typing import Any

import pytest

from tablewright.errors import ValidationError
from tablewright.expressions import Scope, condition, require_one_style, update


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
def test_maps_that_are_refused(names: Any, values: Any, words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        Scope(names, values)
    assert refused.value.message == words


def test_the_older_layer_names_the_placeholder_of_a_bad_value() -> None:
    with pytest.raises(ValidationError) as refused:
        Scope(None, {":b": {}})
    assert refused.value.older == (
        "ExpressionAttributeValues contains invalid value: Supplied AttributeValue is empty, "
        "must contain exactly one of the supported datatypes for key :b"
    )


def test_what_no_expression_uses_is_refused() -> None:
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


def test_what_is_used_in_a_branch_never_taken_is_used() -> None:
    scope = Scope({"#a": "a", "#b": "b"}, {":v": {"N": "1"}, ":w": {"N": "2"}})
    assert condition("#a = :v OR #b = :w", scope).matches({"a": {"N": "1"}})
    scope.finish()


def test_values_are_kept_as_the_engine_keeps_them() -> None:
    scope = Scope(None, {":v": {"N": "1e1"}, ":b": {"B": b"abc"}})
    assert condition("a = :v AND b = :b", scope).matches({"a": {"N": "10"}, "b": {"B": "YWJj"}})


_BOTH = "Can not use both expression and non-expression parameters in the same request: "


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (
            {"UpdateExpression": "", "Expected": {}, "AttributeUpdates": {}},
            f"{_BOTH}Non-expression parameters: {{AttributeUpdates, Expected}} "
            "Expression parameters: {UpdateExpression}",
        ),
        (
            {"ExpressionAttributeNames": {}},
            "ExpressionAttributeNames can only be specified when using expressions",
        ),
        (
            {"ExpressionAttributeValues": {}},
            "ExpressionAttributeValues can only be specified when using expressions",
        ),
    ],
)
def test_styles_are_not_mixed(request_: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as refused:
        require_one_style(
            request_, ("UpdateExpression", "ConditionExpression"), ("AttributeUpdates", "Expected")
        )
    assert refused.value.message == words


def test_key_conditions_may_stand_beside_a_filter_but_not_beside_a_key_condition_expression() -> None:
    expressions = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    legacy = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
    require_one_style({"KeyConditions": {}, "FilterExpression": "a = b"}, expressions, legacy)
    with pytest.raises(ValidationError) as refused:
        require_one_style({"KeyConditions": {}, "KeyConditionExpression": "a = b"}, expressions, legacy)
    assert refused.value.message == (
        f"{_BOTH}Non-expression parameters: {{KeyConditions}} Expression parameters: {{KeyConditionExpression}}"
    )
