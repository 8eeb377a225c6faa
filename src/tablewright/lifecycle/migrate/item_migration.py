"""Migrate one item and return its outcome: the same, changed, or rejected."""

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.writes.conditional_write import PlanItem, write_item
from tablewright.access.writes.diff import ItemRejected
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected


def migrate_item(context: Context, table: Table, item: Item, plan: PlanItem) -> Procedure[Outcome]:
    """Execute what a migration plans for an item. A rejected item stays as it is and is listed with the reason."""
    try:
        is_changed = yield from write_item(context, table, item, plan)
    except (ItemRejected, InvalidWrite) as rejected:
        return Rejected(str(rejected))
    return "changed" if is_changed else "same"
