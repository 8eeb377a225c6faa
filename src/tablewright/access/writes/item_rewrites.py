"""Rewrites of stored items: what migrations, bulk changes and restores write.

`write_item` writes what was computed from a stored item, with the condition that the item is still as it was read. When
it has changed, it is read and the actions are computed again, so that no change of another writer is lost.

`EntityRewrite` computes the actions that bring the items of an entity to a new state, whatever state they are in. Only
attributes that change are written, and the index keys, copies and locks that follow from them. The copies and locks are
read, as they may be missing or of an older version. Items of other entities are never overwritten.

A restore writes an item again as it was earlier, with the copies and locks that follow from it. The version of an
entity still increases, so that other writers notice the change.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeAlias, cast

from tablewright.access.context import Context
from tablewright.access.items.decoding import is_outdated
from tablewright.access.items.footprint import ComparableKey, Dependent, former_dependents, has_dependents
from tablewright.access.items.item_values import describe_key, differs, key_of
from tablewright.access.items.stored_forms import stored_version
from tablewright.access.items.vault import (
    decrypted_item,
    encrypted_item,
    reencrypted_item,
    run_with_keys,
    with_hidden,
)
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import item_at, items_at, items_under
from tablewright.access.writes import actions
from tablewright.access.writes.actions import (
    DependentPrecondition,
    ItemAbsent,
    ItemEdit,
    ItemUnchanged,
    WriteAction,
    owner_text,
    unchanged,
)
from tablewright.access.writes.diff import (
    ItemRejected,
    dependent_action,
    edit_between,
    stored_changes,
    stored_owner,
)
from tablewright.access.writes.execute import ItemsKeepChanging, WriteFailure, WritesFailed, execute
from tablewright.access.writes.expected_state import (
    ExpectedState,
    expected_state,
    index_attributes,
    keeps_dependents,
)
from tablewright.access.writes.values import Target, target_of
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Version
from tablewright.design.layouts.layouts import OWNER, SCHEMA_VERSION, Layout, known_attributes
from tablewright.design.tables import Table
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
        stored = (yield from item_at(context, table, key_of(table, item))) if is_retry else item
        actions = () if stored is None else (yield from run_with_keys(partial(plan, stored)))
        return (ItemPlan(actions),)

    try:
        plans, _ = yield from execute(plan_item, retry_in_doubt=True, returns_item=False)
    except UnknownItem as error:
        raise ItemRejected(error.reason) from None
    except _REJECTIONS as error:
        raise ItemRejected(str(error)) from None
    except WritesFailed as failed:
        (failures,) = failed.failures
        raise ItemRejected(_reasons(failures)) from None
    except ItemsKeepChanging:
        raise ItemRejected("is changed by other writers in every attempt") from None
    return bool(plans[0].actions)


def _reasons(failures: Sequence[WriteFailure]) -> str:
    return "; ".join(f"{failure.error}{owner_text(failure.item)}" for failure in failures)


@dataclass(frozen=True, slots=True)
class EntityRewrite:
    """Plans the rewriting of stored entities of one class.

    `accept_invalid` writes attributes that the class does not accept, as they are given. Of such attributes the copies
    and locks are not known; the stored ones follow the key. `only` names the attributes that may be written; copies
    follow, locks do not. `rekey` moves items to the key that the class makes of their fields.
    """

    context: Context
    layout: Layout
    accept_invalid: bool = False
    only: frozenset[str] | None = None
    rekey: bool = False

    def plan(self, stored: Item, decrypted: Item, attributes: Item) -> Procedure[list[WriteAction]]:
        """Return the actions that give a stored item these attributes; none when it has them.

        `decrypted` is the stored item with its secrets decrypted; the attributes are not encrypted either.
        """
        table = self.layout.table
        if lost := [name for name in table.key if name not in attributes]:
            raise ItemRejected(f"would lose its key attribute {lost[0]}")
        attributes = self._counted(stored, decrypted, attributes)
        expected = self._expected(attributes)
        if self.rekey and expected is not None:
            attributes = attributes | expected.key
        key, new_key = key_of(table, stored), key_of(table, attributes)
        is_moved = any(differs(stored[name], new_key[name]) for name in table.key)
        dependents: list[WriteAction] = []
        if expected is None:
            dependents = (yield from self._repointed(stored, decrypted, new_key)) if is_moved else []
        elif has_dependents(self.layout):
            dependents = yield from self._dependent_actions(stored, decrypted, expected)
        desired = self._desired(stored, attributes, expected)
        encrypted = reencrypted_item(self.context.vault, self.layout, stored, decrypted, desired)
        if is_moved:
            problem = f"would move to {describe_key(new_key)}, where another item is stored"
            return [
                actions.delete(self.context, table, key, self._untouched(stored)),
                actions.put(self.context, table, encrypted, ItemAbsent(table, problem)),
                *dependents,
            ]
        edit = edit_between(stored, encrypted, self.only)  # the key does not differ, so it is not edited
        if not edit and not dependents:
            return []
        precondition = unchanged(table, stored, (*edit.set, *edit.remove))
        if not edit:
            return [actions.check(self.context, table, key, precondition), *dependents]
        edit = self._with_version(stored, edit)
        return [actions.update(self.context, table, key, edit, precondition), *dependents]

    def plan_removal(
        self, stored: Item, decrypted: Item, known: Sequence[str] = ()
    ) -> Procedure[list[WriteAction]]:
        """Return the actions that delete a stored item with its copies and locks.

        The item must have no attributes of its class but those that were read, and none of those in `known`.
        """
        table, key = self.layout.table, key_of(self.layout.table, stored)
        dependents = self._stored_dependents(decrypted)
        changes = yield from self._changes(key, self._target, dependents, {})
        return [actions.delete(self.context, table, key, self._untouched(stored, known)), *changes]

    def plan_creation(self, attributes: Item) -> Procedure[list[WriteAction]]:
        """Return the actions that write an item which is not stored, with its copies and locks.

        The attributes are not encrypted.
        """
        table = self.layout.table
        expected = expected_state(self.context, self.layout, attributes, attributes)
        desired = expected.dependents
        dependents = yield from self._changes(expected.key, target_of(expected.entity), desired, desired)
        item = encrypted_item(self.context.vault, self.layout, self._desired({}, attributes, expected))
        return [actions.put(self.context, table, item, ItemAbsent(table)), *dependents]

    def _untouched(self, stored: Item, known: Sequence[str] = ()) -> ItemUnchanged:
        """The precondition of what deletes an item: it has gained no attribute since it was read."""
        return unchanged(self.layout.table, stored, known=(*known_attributes([self.layout]), *known))

    @property
    def _target(self) -> Target[Any]:
        return Target(cast(type[Entity], self.layout.entity), {})

    def _stored_dependents(self, decrypted: Item) -> dict[ComparableKey, Dependent]:
        """The copies and locks that a stored item may have."""
        dependents = former_dependents(self.layout, decrypted, self.context.vault)
        with suppress(UnknownItem):  # then only the former dependents are known
            dependents |= expected_state(self.context, self.layout, decrypted, decrypted).dependents
        return dependents

    def _expected(self, attributes: Item) -> ExpectedState | None:
        """The expected state; None when the class does not accept the attributes and need not."""
        try:
            return expected_state(self.context, self.layout, attributes, attributes)
        except UnknownItem:
            if not (self.accept_invalid or self.rekey):
                raise
        try:
            made = expected_state(self.context, self.layout, attributes, attributes, any_key=True)
        except UnknownItem:
            if self.accept_invalid:
                return None
            raise
        return made if self.rekey else made.owned_by(key_of(self.layout.table, attributes))

    def _repointed(self, main: Item, decrypted: Item, new_key: Item) -> Procedure[list[WriteAction]]:
        """The actions that make the stored copies and locks those of the new key, with the same content."""
        table, layout, owner = self.layout.table, self.layout, key_of(self.layout.table, main)
        dependents = self._stored_dependents(decrypted)
        keys = [key_of(table, dependent.item) for dependent in dependents.values()]
        stored = yield from items_at(self.context, table, keys)
        now, planned = self.context.now(), []
        for key, dependent in dependents.items():
            item = stored.get(key)
            if item is None or OWNER not in item or stored_owner(layout, dependent, item) != owner:
                continue
            precondition = DependentPrecondition(self._target, now, dependent, {OWNER: item[OWNER]}, True)
            if dependent.field is None:
                item = decrypted_item(self.context.vault, layout, item)
                item = encrypted_item(self.context.vault, layout, with_hidden(item) | {OWNER: {"M": new_key}})
            else:
                item = item | {OWNER: {"M": new_key}}
            planned.append(actions.put_dependent(self.context, table, item, precondition))
        return planned

    def _desired(self, stored: Item, attributes: Item, expected: ExpectedState | None) -> Item:
        """The desired main item: its attributes as the class writes them, and the index keys."""
        derived = index_attributes(self.layout)
        own = {name: value for name, value in attributes.items() if name not in derived}
        if expected is None:
            return own | _selected(stored, derived)
        if not self.accept_invalid:
            labels = (self.layout.table.discriminator, SCHEMA_VERSION)
            own = _selected(expected.main, (*own, *labels))
        return (
            own | _selected(expected.main, expected.index_attributes) | _selected(stored, expected.undecided)
        )

    def _counted(self, stored: Item, decrypted: Item, attributes: Item) -> Item:
        """The attributes with an increased version, which the copies have too, if other attributes change.

        An item that moves to another key keeps its version.
        """
        if not self.layout.marked(Version) or self.only is not None:
            return attributes
        changed = {name for name in decrypted if name not in attributes}
        for name, value in attributes.items():
            before = decrypted.get(name)
            if before is not value and differs(before, value):  # most values are the very same objects
                changed.add(name)
        changed -= index_attributes(self.layout)
        changed.difference_update(field.stored for field, _ in self.layout.marked(Version))
        is_counted = changed and changed.isdisjoint(self.layout.table.key)
        return attributes | self._next_versions(stored) if is_counted else attributes

    def _next_versions(self, stored: Item) -> Item:
        return {
            field.stored: {"N": str((stored_version(stored.get(field.stored)) or 0) + 1)}
            for field, _ in self.layout.marked(Version)
        }

    def _with_version(self, stored: Item, edit: ItemEdit) -> ItemEdit:
        """The edit with an increased version, unless it only changes index keys."""
        if not self.layout.marked(Version) or index_attributes(self.layout).issuperset(
            (*edit.set, *edit.remove)
        ):
            return edit
        versions = self._next_versions(stored)
        return edit._replace(set=edit.set | versions, remove=edit.remove - versions.keys())

    def _dependent_actions(
        self, item: Item, decrypted: Item, expected: ExpectedState
    ) -> Procedure[list[WriteAction]]:
        """The actions on copies and locks."""
        desired = expected.dependents
        former = {} if keeps_dependents(expected, decrypted) else self._stored_dependents(decrypted)
        dependents = {
            own: dependent for own, dependent in {**former, **desired}.items() if self._follows(dependent)
        }
        key = key_of(self.layout.table, item)
        return (yield from self._changes(key, target_of(expected.entity), dependents, desired))

    def _changes(
        self,
        owner: Item,
        target: Target[Any],
        dependents: Mapping[ComparableKey, Dependent],
        desired: Mapping[ComparableKey, Dependent],
    ) -> Procedure[list[WriteAction]]:
        """The actions that make the copies and locks as desired."""
        if not dependents:
            return []
        table = self.layout.table
        keys = {own: key_of(table, dependent.item) for own, dependent in dependents.items()}
        stored = yield from items_under(self.context, table, keys)
        now = self.context.now()
        return [
            dependent_action(self.context, target, now, change)
            for change in stored_changes(self.context, target, owner, dependents, desired, stored)
        ]

    def _follows(self, dependent: Dependent) -> bool:
        """Whether a copy or lock is written too: all of them, or with `only` the copies that have these attributes."""
        if self.only is None:
            return True
        copies = (copy for copy in self.layout.copies if copy.name == dependent.copy)
        indexed = {attribute for copy in copies for key in copy.indexes for attribute, _ in key.parts}
        return dependent.field is None and bool(self.only & {*indexed, *dependent.item})


def _selected(item: Item, names: Iterable[str]) -> Item:
    return {name: item[name] for name in names if name in item}


class ItemChanged(Exception):
    """The stored item is not as it was read; nothing was written."""


@dataclass(frozen=True, slots=True)
class ItemRestore:
    """The restore of one item: `stored` is the stored item, `desired` what it was; None where there is no item.

    `layout` is the entity of the item; without one, the item alone is written, if it still has none of the `known`
    attributes that it lacked.
    """

    context: Context
    table: Table
    layout: Layout | None
    stored: Item | None
    desired: Item | None
    known: tuple[str, ...] = ()

    def plan(self) -> Procedure[Sequence[WriteAction]]:
        """Return the actions; none when the item is as desired. Raise `ItemRejected` when it cannot be written."""
        try:
            return (yield from run_with_keys(self._plan))
        except UnknownItem as error:
            raise ItemRejected(error.reason) from None

    def execute(self) -> Procedure[Sequence[WriteAction]]:
        """Execute the actions, all or none, and return them.

        Raise `ItemChanged` when the item was changed since it was read, `ItemRejected` when a copy or a unique value
        belongs to another entity.
        """

        def plan_once(is_retry: bool) -> Procedure[Sequence[ItemPlan]]:
            if is_retry:
                raise ItemChanged
            return (ItemPlan((yield from self.plan())),)

        try:
            plans, _ = yield from execute(plan_once)
        except WritesFailed as failed:
            (failures,) = failed.failures
            raise ItemRejected(_reasons(failures)) from None
        except ItemsKeepChanging:
            raise ItemChanged from None
        return plans[0].actions

    def _plan(self) -> Procedure[Sequence[WriteAction]]:
        if self.layout is None:
            return self._plan_item()
        rewrite = EntityRewrite(self.context, self.layout)
        if self.desired is None:
            return (
                [] if self.stored is None else (yield from self._removal(rewrite, self.layout, self.stored))
            )
        attributes = self._current_form(self.layout, self.desired)
        if self.stored is None:
            return (yield from rewrite.plan_creation(attributes))
        decrypted = decrypted_item(self.context.vault, self.layout, self.stored)
        return (yield from rewrite.plan(self.stored, decrypted, attributes))

    def _removal(
        self, rewrite: EntityRewrite, layout: Layout, stored: Item
    ) -> Procedure[Sequence[WriteAction]]:
        return (yield from rewrite.plan_removal(stored, decrypted_item(self.context.vault, layout, stored)))

    def _current_form(self, layout: Layout, item: Item) -> Item:
        """An item in the form of the current version of its class, decrypted."""
        decrypted = decrypted_item(self.context.vault, layout, item)
        return self.context.decoder(layout).upcast(decrypted) if is_outdated(layout, decrypted) else decrypted

    def _plan_item(self) -> list[WriteAction]:
        """The action on an item that is of no entity."""
        stored, desired, table = self.stored, self.desired, self.table
        if stored == desired:
            return []
        precondition = ItemAbsent(table) if stored is None else unchanged(table, stored, known=self.known)
        if desired is not None:
            return [actions.put(self.context, table, desired, precondition)]
        assert stored is not None
        return [actions.delete(self.context, table, key_of(table, stored), precondition)]
