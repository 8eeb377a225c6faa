"""The work of a migration on one item, of an entity or of a table, and its outcome: the same, changed, or rejected."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired, is_outdated
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.item_values import differs, key_of
from tablewright.access.items.vault import decrypted_item
from tablewright.access.procedures import Procedure
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemAbsent, Unconditional, WriteAction, unchanged
from tablewright.access.writes.diff import ItemRejected, edit_between
from tablewright.access.writes.item_rewrites import EntityRewrite, PlanItem, write_item
from tablewright.design.designs import Design
from tablewright.design.entities.migrations import Change, Migration, Removal, takes_view
from tablewright.design.layouts.layouts import Layout, known_attributes
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import InvalidWrite
from tablewright.lifecycle.migrate.conversions import Converted, checks, convert
from tablewright.lifecycle.traversal.checkpoint_records import Direction, Reject, reject_item, reject_key
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.item_entities import is_main_item, require_keys
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected


@dataclass(frozen=True, slots=True)
class MovedRejects:
    """The rejects of other migrations, by the key of their item in one table: when an item moves, they follow it.

    A reject names the key of its item. Without this, a retry would find nothing under the old key, and the item would
    stay unconverted. The rejects move in the transaction that moves the item, so a run that is killed loses none.
    """

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
        by_key: dict[ComparableKey, list[tuple[str, Reject]]] = defaultdict(list)
        for other, listed in rejects.items():
            for reject in listed:
                if other != name and reject.table == stored_in:
                    by_key[comparable_key(table, reject.key)].append((other, reject))
        return cls(context, checkpoints.design_table, by_key)

    def actions(self, table: Table, old: Item, new: Item) -> list[WriteAction]:
        """Return the actions that give the rejects of an item its new key."""
        planned: list[WriteAction] = []
        for name, reject in self.rejects.get(comparable_key(table, old), ()):
            moved = reject_item(
                name, replace(reject, key={attribute: new[attribute] for attribute in table.key})
            )
            key = reject_key(name, reject)
            planned.append(actions.delete(self.context, self.checkpoints, key, Unconditional()))
            planned.append(actions.put(self.context, self.checkpoints, moved, Unconditional()))
        return planned


def migrate_item(context: Context, table: Table, item: Item, plan: PlanItem) -> Procedure[Outcome]:
    """Execute what a migration plans for an item. A rejected item stays as it is and is listed with the reason."""
    try:
        is_changed = yield from write_item(context, table, item, plan)
    except (ItemRejected, InvalidWrite) as rejected:
        return Rejected(str(rejected))
    return "changed" if is_changed else "same"


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

    def _plan(self, item: Item) -> Procedure[Sequence[WriteAction]]:
        rewrite = self._rewrite
        decrypted = decrypted_item(self.context.vault, self.layout, item)
        current = decrypted
        if is_outdated(self.layout, decrypted):
            current = self.context.decoder(self.layout).upcast(decrypted)
        converted = Converted(current)
        if self.change is not None:
            converted = yield from convert(self.context, self.name, self.change, current)
        if isinstance(converted.item, Removal):
            actions = yield from rewrite.plan_removal(item, decrypted)
        else:
            actions = yield from rewrite.plan(item, decrypted, converted.item)
        if not actions:
            return []
        return [
            *actions,
            *checks(self.context, converted, self.layout.table, item),
            *self._reject_moves(item, actions),
        ]

    def _reject_moves(self, item: Item, actions: Sequence[WriteAction]) -> list[WriteAction]:
        """The actions on the rejects of other migrations, if the item moves to another key."""
        if self.moved_rejects is None or not self.moved_rejects.rejects:
            return []
        table = self.layout.table
        if len(actions) < 2 or not isinstance(actions[1].precondition, ItemAbsent):
            return []
        return self.moved_rejects.actions(table, key_of(table, item), actions[1].key)


@dataclass(frozen=True, slots=True)
class RawMigration:
    """Applies a change to every item of a table, whatever it is. No index keys, copies or locks follow."""

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

    def _plan(self, item: Item) -> Procedure[Sequence[WriteAction]]:
        converted = yield from convert(self.context, self.name, self.change, item)
        key = key_of(self.table, item)
        others = checks(self.context, converted, self.table, item)
        if isinstance(converted.item, Removal):
            precondition = unchanged(self.table, item, known=self.known)
            return [actions.delete(self.context, self.table, key, precondition), *others]
        if any(differs(item[name], converted.item.get(name)) for name in self.table.key):
            raise ItemRejected("would change its primary key; only a migration of an entity can move an item")
        edit = edit_between(item, converted.item, {*item, *converted.item} - set(self.table.key))
        if not edit:
            return []
        precondition = unchanged(self.table, item, (*edit.set, *edit.remove))
        return [actions.update(self.context, self.table, key, edit, precondition), *others]


MigrationWork: TypeAlias = EntityMigration | RawMigration


def migration_work(
    design: Design, context: Context, migration: Migration, direction: Direction, moved_rejects: MovedRejects
) -> MigrationWork:
    """Return the work of a migration in one direction."""
    change = migration.up if direction == "up" else migration.down
    if isinstance(migration.of, type):
        return EntityMigration(
            design,
            context,
            migration.of.layout,
            migration.name,
            change,
            is_down=direction == "down",
            moved_rejects=moved_rejects,
        )
    assert change is not None  # a migration of a table has an up, and one without down is not reverted
    known = known_attributes(entity.layout for entity in design.entities_of(migration.table))
    return RawMigration(context, migration.table, migration.name, change, known)
