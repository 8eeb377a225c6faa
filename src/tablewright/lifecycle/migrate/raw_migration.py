"""RawMigration: changing the items of a table as they lie there, whatever they are. Nothing follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.footprint import place_of
from tablewright.access.items.key_values import key_of
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Step
from tablewright.design.entities.migrations import Change, Removal
from tablewright.design.tables.tables import Table
from tablewright.lifecycle.migrate.conditional_write import edited, settle, unchanged
from tablewright.lifecycle.migrate.conversions import NotConverted, convert
from tablewright.lifecycle.migrate.entity_migration import checks
from tablewright.lifecycle.migrate.expected_state import differs
from tablewright.lifecycle.traversal.table_pass import Outcome
from tablewright.values.attributes import Item


@dataclass(frozen=True, slots=True)
class RawMigration:
    """What is done to every item of a table."""

    context: Context
    table: Table
    name: str
    change: Change
    dry_run: bool = False

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Do it to one item."""
        return (yield from settle(self.context, self.table, item, self._steps, dry_run=self.dry_run))

    def _steps(self, found: Item) -> Procedure[Sequence[Step]]:
        converted = yield from convert(self.context, self.name, self.change, found)
        key = key_of(self.table, found)
        around = checks(self.context, converted.seen, (self.table, place_of(self.table, found)))
        if isinstance(converted.item, Removal):
            return [actions.delete(self.context, self.table, key, unchanged(self.table, found)), *around]
        if any(differs(found[name], converted.item.get(name)) for name in self.table.key):
            raise NotConverted("would change its primary key; only a migration of an entity can move an item")
        edit = edited(found, converted.item, differs, {*found, *converted.item} - set(self.table.key))
        if not edit:
            return []
        guard = unchanged(self.table, found, edit)
        return [actions.update(self.context, self.table, key, edit, guard), *around]
