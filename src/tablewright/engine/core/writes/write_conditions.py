"""Write conditions: the condition on a write, and the error when it fails.

condition = write_condition_of(request, scope)   # ConditionExpression, or Expected with ConditionalOperator
condition.require(old)                           # ConditionalCheckFailedException unless it holds
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.expressions import ItemCondition, Scope, condition
from tablewright.dynamodb.expressions.legacy_parameters import expected, require_conditional_operator_fits
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.errors import ConditionalCheckFailed


class WriteCondition(NamedTuple):
    """A condition that the item must meet before it is written."""

    expression: ItemCondition | None = None
    returns_item: bool = False
    """Whether the error includes the item (ReturnValuesOnConditionCheckFailure)."""

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The attributes of which it reads nested values."""
        return self.expression.nested_attributes if self.expression is not None else frozenset()

    def require(self, item: StoredItem | None) -> None:
        """Raise ConditionalCheckFailed unless the item, or its absence, meets the condition."""
        if self.expression is None or self.expression.matches(item.attributes if item else None):
            return
        raise ConditionalCheckFailed(item=item if self.returns_item else None)


UNCONDITIONAL = WriteCondition()


def write_condition_of(request: Mapping[str, Any], scope: Scope | None = None) -> WriteCondition:
    """The condition of a write request.

    Give a scope when another expression of the request shares the placeholders; finish it when all are bound.
    """
    text = request.get("ConditionExpression")
    if text is not None:
        expression = condition(text, scope) if scope is not None else _alone(text, request)
    else:
        requested, operator = request.get("Expected"), request.get("ConditionalOperator")
        require_conditional_operator_fits(operator, requested)
        if requested is None:
            return UNCONDITIONAL
        expression = expected(requested, operator)
    return WriteCondition(expression, request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD")


def _alone(text: str, request: Mapping[str, Any]) -> ItemCondition:
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    expression = condition(text, scope)
    scope.finish()
    return expression
