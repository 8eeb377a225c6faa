"""Guards: the condition on a write, and what its failure tells.

guard = guard_of(request, scope)   # ConditionExpression, or Expected with ConditionalOperator
guard.require(old)                 # ConditionalCheckFailedException unless it holds
"""

from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.errors import ConditionalCheckFailed
from tablewright.expressions import Condition, Scope, condition
from tablewright.expressions.legacy_parameters import expected, require_conditional_operator_fits
from tablewright.values.stored_items import StoredItem


class Guard(NamedTuple):
    """A condition that the item must meet before it is written."""

    condition: Condition | None = None
    tells_item: bool = False
    """Whether a failure carries the item (ReturnValuesOnConditionCheckFailure)."""

    @property
    def nested_attributes(self) -> frozenset[str]:
        """The attributes it looks inside of."""
        return self.condition.nested_attributes if self.condition is not None else frozenset()

    def require(self, item: StoredItem | None) -> None:
        """Refuse the write unless the item, or its absence, meets the condition."""
        if self.condition is None or self.condition.matches(item.attributes if item else None):
            return
        raise ConditionalCheckFailed(item=item if self.tells_item else None)


UNGUARDED = Guard()


def guard_of(request: Mapping[str, Any], scope: Scope | None = None) -> Guard:
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
            return UNGUARDED
        wanted = expected(asked, operator)
    return Guard(wanted, request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD")


def _alone(text: str, request: Mapping[str, Any]) -> Condition:
    scope = Scope(request.get("ExpressionAttributeNames"), request.get("ExpressionAttributeValues"))
    wanted = condition(text, scope)
    scope.finish()
    return wanted
