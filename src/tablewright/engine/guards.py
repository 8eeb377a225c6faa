"""Guards: the condition on a write, and what its failure tells.

    guard = guard_of(request)      # ConditionExpression, or Expected with ConditionalOperator
    guard.require(old)             # ConditionalCheckFailedException unless it holds
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.errors import ConditionalCheckFailed
from tablewright.expressions import Condition, Scope, condition, expected
from tablewright.values.codec import StoredItem


@dataclass(frozen=True, slots=True)
class Guard:
    """A condition that the item must meet before it is written."""

    condition: Condition | None = None
    tells_item: bool = False
    """Whether a failure carries the item (ReturnValuesOnConditionCheckFailure)."""

    def holds(self, item: StoredItem | None) -> bool:
        """Whether the item, or its absence, meets the condition."""
        return self.condition is None or self.condition.matches(item.attributes if item else None)

    def require(self, item: StoredItem | None) -> None:
        """Refuse the write unless the condition holds."""
        if not self.holds(item):
            raise ConditionalCheckFailed(item=item if self.tells_item else None)


UNGUARDED = Guard()


def guard_of(request: Mapping[str, Any], scope: Scope) -> Guard:
    """The guard of a write request."""
    text = request.get("ConditionExpression")
    if text is not None:
        wanted: Condition | None = condition(text, scope)
    elif request.get("Expected") is not None:
        wanted = expected(request["Expected"], request.get("ConditionalOperator"))
    else:
        return UNGUARDED
    return Guard(wanted, request.get("ReturnValuesOnConditionCheckFailure") == "ALL_OLD")
