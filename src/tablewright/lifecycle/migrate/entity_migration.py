"""Migrate the items of an entity: convert each, and write what follows from it."""

from collections.abc import Sequence
from dataclasses import dataclass, field

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.key_values import key_of
from tablewright.access.items.upcasting import is_outdated
from tablewright.access.writes.actions import Action
from tablewright.access.writes.conditional_write import PlanItem
from tablewright.access.writes.entity_rewrite import EntityRewrite
from tablewright.access.writes.item_encryption import decrypted_item
from tablewright.access.writes.preconditions import ItemAbsent
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Change, Removal, takes_view
from tablewright.design.layouts.layouts import Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.migrate.conversions import Converted, checks, convert
from tablewright.lifecycle.migrate.item_migration import migrate_item
from tablewright.lifecycle.migrate.moved_rejects import MovedRejects
from tablewright.lifecycle.traversal.item_entities import is_main_item, require_keys
from tablewright.lifecycle.traversal.table_pass import Outcome


@dataclass(frozen=True, slots=True)
class EntityMigration:
    """Applies a change to the main items of a class, with the index keys, copies and locks that follow.

    Without a change, items are written as the class would write them now, under the key that it makes. `is_down` writes
    what the change returns even when the current class does not accept it. `only` names the attributes that may be
    written; copies follow, locks do not. The rejects of other migrations follow items that move.
    """

    design: Design
    context: Context
    layout: Layout
    name: str
    change: Change | None = None
    is_down: bool = False
    only: frozenset[str] | None = None
    moved_rejects: MovedRejects | None = None
    _rewrite: EntityRewrite = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        require_keys(self.context, self.layout)
        rekey = self.change is None and self.only is None
        rewrite = EntityRewrite(
            self.context, self.layout, accept_invalid=self.is_down, only=self.only, rekey=rekey
        )
        object.__setattr__(self, "_rewrite", rewrite)

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Migrate one item; items of other entities and expired items stay."""
        plan = self.planner(item)
        if plan is None:
            return "same"
        return (yield from migrate_item(self.context, self.layout.table, item, plan))

    def planner(self, item: Item) -> PlanItem | None:
        """Return the function that plans an item; None for items of other entities and expired items."""
        table = self.layout.table
        if not is_main_item(self.design, self.layout, item):
            return None
        if table.ttl is not None and is_expired(table, item, self.context.now()):
            return None
        return self._plan

    @property
    def is_local(self) -> bool:
        """Whether the change looks at no other entities."""
        return self.change is None or not takes_view(self.change)

    def _plan(self, found: Item) -> Procedure[Sequence[Action]]:
        rewrite = self._rewrite
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
        if not actions:
            return []
        return [
            *actions,
            *checks(self.context, converted, self.layout.table, found),
            *self._reject_moves(found, actions),
        ]

    def _reject_moves(self, found: Item, actions: Sequence[Action]) -> list[Action]:
        """The actions on the rejects of other migrations, if the item moves to another key."""
        if self.moved_rejects is None or not self.moved_rejects.rejects:
            return []
        table = self.layout.table
        if len(actions) < 2 or not isinstance(actions[1].precondition, ItemAbsent):
            return []
        return self.moved_rejects.actions(table, key_of(table, found), actions[1].key)
