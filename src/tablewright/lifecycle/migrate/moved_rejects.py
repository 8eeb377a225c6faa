"""Rejects that follow their items: when a migration moves an item, the rejects of other migrations get its new key.

A reject names the key of its item. Without this, a retry would find nothing under the old key, and the item would stay
unconverted. The rejects move in the transaction that moves the item, so a run that is killed loses none.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tablewright.access.context import Context
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Action
from tablewright.access.writes.preconditions import Unconditional
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.traversal.checkpoint_records import Reject, reject_item, reject_key
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore


@dataclass(frozen=True, slots=True)
class MovedRejects:
    """The rejects of other migrations, by the key of their item in one table."""

    context: Context
    checkpoints: Table
    rejects: Mapping[ComparableKey, Sequence[tuple[str, Reject]]] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        checkpoints: CheckpointStore,
        context: Context,
        table: Table,
        name: str,
        rejects: Mapping[str, Iterable[Reject]],
    ) -> "MovedRejects":
        """Return the rejects of a table that migrations other than `name` have."""
        stored_in = context.table_name(table)
        found: dict[ComparableKey, list[tuple[str, Reject]]] = defaultdict(list)
        for other, listed in rejects.items():
            for reject in listed:
                if other != name and reject.table == stored_in:
                    found[comparable_key(table, reject.key)].append((other, reject))
        return cls(context, checkpoints.design_table, found)

    def actions(self, table: Table, old: Item, new: Item) -> list[Action]:
        """Return the actions that give the rejects of an item its new key."""
        planned: list[Action] = []
        for name, reject in self.rejects.get(comparable_key(table, old), ()):
            moved = reject_item(name, replace(reject, key={each: new[each] for each in table.key}))
            key = reject_key(name, reject)
            planned.append(actions.delete(self.context, self.checkpoints, key, Unconditional()))
            planned.append(actions.put(self.context, self.checkpoints, moved, Unconditional()))
        return planned
