"""Legacy parameters: golden cases, and those without a case file."""

from typing import Any

import orjson
import pytest

from tablewright.dynamodb.expressions import (
    KeyCondition,
    legacy_parameters,
    require_one_style,
)
from tablewright.errors import ValidationError
from tests.dynamodb.expressions.plain import attribute, plain_item
from tests.dynamodb.expressions.scripts import Scene, play


def test_expected(update_golden: bool) -> None:
    play("expected.txt", _expected, update=update_golden)


def test_attribute_updates(update_golden: bool) -> None:
    play("attribute_updates.txt", _attribute_updates, update=update_golden)


def test_legacy_key_conditions(update_golden: bool) -> None:
    play("legacy_key_conditions.txt", _key_conditions, update=update_golden)


def _expected(text: str, scene: Scene) -> str:
    conditions = _legacy(text)
    legacy_parameters.require_conditional_operator_fits(scene.operator, conditions)
    return str(legacy_parameters.expected(conditions, scene.operator).matches(scene.item)).lower()


def _attribute_updates(text: str, scene: Scene) -> str:
    return plain_item(legacy_parameters.attribute_updates(_legacy(text)).apply(scene.item))


def _key_conditions(text: str, scene: Scene) -> str:
    return _matched(legacy_parameters.key_conditions(_legacy(text)), scene)


def _matched(keys: KeyCondition, scene: Scene) -> str:
    hashes, _, ranges = scene.key.partition("|")
    types = dict(_typed(attribute) for attribute in (hashes + ranges).split())
    hash_names = [_typed(name)[0] for name in hashes.split()]
    range_names = [_typed(name)[0] for name in ranges.split()]
    found = keys.match(hash_names, range_names, types)
    equal = dict(zip(hash_names, found.hash_values, strict=True))
    equal |= dict(zip(range_names, found.prefix, strict=False))
    if found.operator is None:
        return plain_item(equal)
    operands = plain_item({str(at): operand for at, operand in enumerate(found.operands)})
    return f"{plain_item(equal)} {range_names[len(found.prefix)]} {found.operator} {operands}"


def _typed(name: str) -> tuple[str, str]:
    name, _, kind = name.partition(":")
    return name, kind or "S"


def _legacy(text: str) -> dict[str, dict[str, Any]]:
    """A legacy parameter whose values are in plain notation, as DynamoDB takes it."""
    parameter: dict[str, dict[str, Any]] = orjson.loads(text)
    for each in parameter.values():
        if "Value" in each:
            each["Value"] = attribute(each["Value"])
        if "AttributeValueList" in each:
            each["AttributeValueList"] = [attribute(value) for value in each["AttributeValueList"]]
    return parameter


def test_legacy_updates_know_whether_they_only_remove() -> None:
    assert legacy_parameters.attribute_updates({"a": {"Action": "DELETE"}}).actions.only_remove
    assert legacy_parameters.attribute_updates(
        {"a": {"Action": "DELETE", "Value": {"SS": ["x"]}}}
    ).actions.only_remove
    assert not legacy_parameters.attribute_updates(
        {"a": {"Action": "PUT", "Value": {"N": "1"}}}
    ).actions.only_remove
    assert not legacy_parameters.attribute_updates({}).actions.only_remove


def test_legacy_filters_are_conditions() -> None:
    parsed = legacy_parameters.filter_conditions(
        {
            "a": {"ComparisonOperator": "GT", "AttributeValueList": [{"N": "1"}]},
            "b": {"ComparisonOperator": "NULL"},
        }
    )
    assert parsed.matches({"a": {"N": "2"}})
    assert not parsed.matches({"a": {"N": "2"}, "b": {"N": "2"}})
    assert parsed.attributes == ("a", "b")


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["a", "b", "a"], "One or more parameter values were invalid: Duplicate value in attribute name: a"),
        ([""], "One or more parameter values were invalid: Empty attribute name"),
        (
            ["x" * 65536],
            "One or more parameter values were invalid: "
            "Attribute name is too large, must be less than 65536 bytes",
        ),
    ],
)
def test_attributes_to_get_that_are_rejected(names: list[str], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        legacy_parameters.attributes_to_get(names)
    assert caught.value.message == words


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
    with pytest.raises(ValidationError) as caught:
        require_one_style(
            request_, ("UpdateExpression", "ConditionExpression"), ("AttributeUpdates", "Expected")
        )
    assert caught.value.message == words


def test_key_conditions_mix_with_a_filter_but_not_with_a_key_condition_expression() -> None:
    expressions = ("ProjectionExpression", "FilterExpression", "KeyConditionExpression")
    legacy = ("AttributesToGet", "QueryFilter", "ConditionalOperator", "KeyConditions")
    require_one_style({"KeyConditions": {}, "FilterExpression": "a = b"}, expressions, legacy)
    with pytest.raises(ValidationError) as caught:
        require_one_style({"KeyConditions": {}, "KeyConditionExpression": "a = b"}, expressions, legacy)
    assert caught.value.message == (
        f"{_BOTH}Non-expression parameters: {{KeyConditions}} Expression parameters: {{KeyConditionExpression}}"
    )
