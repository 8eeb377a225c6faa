"""Guards: the condition on a write, and what its failure tells.

guard = write_condition_of(request, scope)   # ConditionExpression, or Expected with ConditionalOperator
guard.require(old)                 # ConditionalCheckFailedException unless it holds
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.errors import ConditionalCheckFailed
from tablewright.expressions import Condition, Scope, condition
from tablewright.expressions.legacy_parameters import expected, require_conditional_operator_fits
from tablewright.values.stored_items import StoredItem


class WriteCondition(NamedTuple):
    """A condition that the item must meet before it is written."""

    expression: Condition | None = None
    returns_item: bool = False
    """Whether a failure carries the item (ReturnValuesOnConditionCheckFailure)."""

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The attributes it looks inside of."""
        return self.expression.nested_attributes if self.expression is not None else frozenset()

    def require(self, item: StoredItem | None) -> None:
        """Refuse the write unless the item, or its absence, meets the condition."""
        if self.expression is None or self.expression.matches(item.attributes if item else None):
            return
        raise ConditionalCheckFailed(item=item if self.returns_item else None)


UNCONDITIONAL = WriteCondition()


def write_condition_of(request: Mapping[str, Any], scope: Scope | None = None) -> WriteCondition:
    """The guard of a write request.

    Give a scope when another expression of the request shares the placeholders; finish it when all are bound.
    """
    text = request.get("ConditionExpression")
    if text is not None:
        wanted = condition(text, scope) if scope is not None else _alone(text, request)
    else:
        asked, operator = request.get("Expected"), request.get("ConditionalOperator")
        require_conditional_operator_fits(operator, asked)
        if asked is None:
            return UNCONDITIONAL
        wanted = expected(asked, operator)
    return WriteCondition(wanted, request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD")


def _alone(text: str, request: Mapping[str, Any]) -> Condition:
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    wanted = condition(text, scope)
    scope.finish()
    return wanted
