"""Write conditions: from either form of the parameters, and the error when they fail."""

from typing import Any

import pytest

from tablewright.dynamodb.expressions import Scope
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.writes.write_conditions import UNCONDITIONAL, write_condition_of
from tablewright.errors import ConditionalCheckFailed, ValidationError

ITEM = StoredItem.of({"n": {"N": "1"}}, 2)
EXPRESSION = {"ConditionExpression": "n = :n", "ExpressionAttributeValues": {":n": {"N": "1"}}}
LEGACY = {"Expected": {"n": {"Value": {"N": "1"}}}}


@pytest.mark.parametrize("request_", [EXPRESSION, LEGACY])
def test_a_condition_holds_for_the_item_it_describes(request_: dict[str, Any]) -> None:
    condition = write_condition_of(request_)
    condition.require(ITEM)
    with pytest.raises(ConditionalCheckFailed):
        condition.require(None)
    with pytest.raises(ConditionalCheckFailed):
        condition.require(StoredItem.of({"n": {"N": "2"}}, 2))


def test_without_parameters_every_item_is_accepted() -> None:
    condition = write_condition_of({})
    assert condition is UNCONDITIONAL
    condition.require(None)
    assert condition.nested_attributes == frozenset()


@pytest.mark.parametrize(("returns", "item"), [("ALL_OLD", ITEM), ("NONE", None)])
def test_the_error_includes_the_item_only_on_request(returns: str, item: StoredItem | None) -> None:
    request = {
        "ConditionExpression": "attribute_not_exists(n)",
        "ReturnValuesOnConditionCheckFailure": returns,
    }
    with pytest.raises(ConditionalCheckFailed) as caught:
        write_condition_of(request).require(ITEM)
    assert caught.value.item is item


def test_unused_placeholders_are_an_error_unless_a_scope_is_shared() -> None:
    request = {**EXPRESSION, "ExpressionAttributeNames": {"#n": "n"}}
    with pytest.raises(ValidationError, match="unused in expressions"):
        write_condition_of(request)
    write_condition_of(request, Scope({"#n": "n"}, EXPRESSION["ExpressionAttributeValues"]))  # type: ignore[arg-type]


def test_an_operator_needs_conditions() -> None:
    with pytest.raises(ValidationError):
        write_condition_of({"ConditionalOperator": "OR"})
