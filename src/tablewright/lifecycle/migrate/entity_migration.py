"""Migrate the items of an entity: convert each, and write what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.upcasting import is_outdated
from tablewright.access.writes.actions import Action
from tablewright.access.writes.entity_rewrite import EntityRewrite
from tablewright.access.writes.item_encryption import decrypted_item
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Change, Removal
from tablewright.design.layouts.layouts import Layout
from tablewright.lifecycle.migrate.conversions import Converted, checks, convert
from tablewright.lifecycle.migrate.item_migration import migrate_item
from tablewright.lifecycle.traversal.item_entities import is_main_item, require_keys
from tablewright.lifecycle.traversal.table_pass import Outcome
from tablewright.values.attributes import Item


@dataclass(frozen=True, slots=True)
class EntityMigration:
    """Applies a change to the main items of a class, with the index keys, copies and locks that follow.

    Without a change, items are written as the class would write them now. `is_down` writes what the change returns even
    when the current class does not accept it. `only` names the attributes that may be written; copies follow, locks do
    not.
    """

    design: Design
    context: Context
    layout: Layout
    name: str
    change: Change | None = None
    is_down: bool = False
    dry_run: bool = False
    only: frozenset[str] | None = None

    def __post_init__(self) -> None:
        require_keys(self.context, self.layout)

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Migrate one item; items of other entities and expired items stay."""
        table = self.layout.table
        if not is_main_item(self.design, self.layout, item) or is_expired(table, item, self.context.now()):
            return "same"
        return (yield from migrate_item(self.context, table, item, self._plan, dry_run=self.dry_run))

    def _plan(self, found: Item) -> Procedure[Sequence[Action]]:
        rewrite = EntityRewrite(self.context, self.layout, accept_invalid=self.is_down, only=self.only)
        decrypted = decrypted_item(self.context, self.layout, found)
        current = decrypted
        if is_outdated(self.layout, decrypted):
            current = self.context.decoder(self.layout).upcast(decrypted)
        converted = Converted(current)
        if self.change is not None:
            converted = yield from convert(self.context, self.name, self.change, current)
        if isinstance(converted.item, Removal):
            actions = yield from rewrite.plan_removal(found, decrypted)
        else:
            actions = yield from rewrite.plan(found, decrypted, converted.item)
        return [*actions, *checks(self.context, converted, self.layout.table, found)] if actions else []
