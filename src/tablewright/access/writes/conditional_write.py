"""Write what was computed from a stored item, with the condition that the item is still as it was read.

When the item has changed, it is read and the actions are computed again, so that no change of another writer is lost.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypeAlias

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.key_values import key_of
from tablewright.access.items.vault import run_with_keys
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes.actions import WriteAction
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.execute import ItemsKeepChanging, WritesFailed, execute
from tablewright.access.writes.preconditions import owner_text
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import (
    InvalidWrite,
    KeyValueError,
    SecretError,
    TransactionCanceled,
    UnknownItem,
    ValidationError,
    ValueNotStorable,
)

PlanItem: TypeAlias = Callable[[Item], Procedure[Sequence[WriteAction]]]
"""Computes the actions from the item as it is stored."""

_REJECTIONS = (
    SecretError,
    KeyValueError,
    InvalidWrite,
    ValueNotStorable,
    ValidationError,
    TransactionCanceled,
)


@dataclass(frozen=True, slots=True)
class ItemPlan:
    """The actions that were computed from one item."""

    actions: Sequence[WriteAction]


def write_item(context: Context, table: Table, item: Item, plan: PlanItem) -> Procedure[bool]:
    """Execute the actions that are computed from an item; return whether there were any.

    Raise `ItemRejected` when the item cannot be written; it then stays as it is.
    """

    def plan_item(is_retry: bool) -> Procedure[Sequence[ItemPlan]]:
        found = (yield from item_at(context, table, key_of(table, item))) if is_retry else item
        actions = () if found is None else (yield from run_with_keys(partial(plan, found)))
        return (ItemPlan(actions),)

    try:
        plans, _ = yield from execute(plan_item, retry_in_doubt=True, returns_item=False)
    except UnknownItem as error:
        raise ItemRejected(error.reason) from None
    except _REJECTIONS as error:
        raise ItemRejected(str(error)) from None
    except WritesFailed as failed:
        (failures,) = failed.failures
        raise ItemRejected("; ".join(f"{each.error}{owner_text(each.found)}" for each in failures)) from None
    except ItemsKeepChanging:
        raise ItemRejected("is changed by other writers in every attempt") from None
    return bool(plans[0].actions)
