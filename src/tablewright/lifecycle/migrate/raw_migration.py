"""Migrate the items of a table as they are stored, whatever they are. No index keys, copies or locks follow."""

from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.key_values import key_of
from tablewright.access.items.value_codec import differs
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Action
from tablewright.access.writes.conditional_write import PlanItem
from tablewright.access.writes.diff import ItemRejected, edit_between
from tablewright.access.writes.preconditions import unchanged
from tablewright.design.entities.migrations import Change, Removal, takes_view
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.migrate.conversions import checks, convert
from tablewright.lifecycle.migrate.item_migration import migrate_item
from tablewright.lifecycle.traversal.table_pass import Outcome


@dataclass(frozen=True, slots=True)
class RawMigration:
    """Applies a change to every item of a table."""

    context: Context
    table: Table
    name: str
    change: Change
    known: tuple[str, ...] = ()
    """The attributes that items of the table may have; an item is deleted only if it has gained none of them."""

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Migrate one item."""
        return (yield from migrate_item(self.context, self.table, item, self._plan))

    def planner(self, item: Item) -> PlanItem | None:
        """Return the function that plans an item."""
        return self._plan

    @property
    def is_local(self) -> bool:
        """Whether the change looks at no other entities."""
        return not takes_view(self.change)

    def _plan(self, found: Item) -> Procedure[Sequence[Action]]:
        converted = yield from convert(self.context, self.name, self.change, found)
        key = key_of(self.table, found)
        others = checks(self.context, converted, self.table, found)
        if isinstance(converted.item, Removal):
            precondition = unchanged(self.table, found, known=self.known)
            return [actions.delete(self.context, self.table, key, precondition), *others]
        if any(differs(found[name], converted.item.get(name)) for name in self.table.key):
            raise ItemRejected("would change its primary key; only a migration of an entity can move an item")
        edit = edit_between(found, converted.item, {*found, *converted.item} - set(self.table.key))
        if not edit:
            return []
        precondition = unchanged(self.table, found, (*edit.set, *edit.remove))
        return [actions.update(self.context, self.table, key, edit, precondition), *others]
