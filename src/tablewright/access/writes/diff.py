"""The difference between two states of an entity: of its attributes, and of its dependents (copies and locks).

The old state is known in one of two ways. A write that has read the entity computes its dependents from it
(`computed_changes`). A migration or repair reads the dependents, as they may be missing or wrong (`stored_changes`).
Both lead to the same actions (`dependent_action`).
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any, Literal, NamedTuple, TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.footprint import ComparableKey, Dependent, Footprint
from tablewright.access.items.item_values import differs, key_of
from tablewright.access.items.unique_locks import lock_owner
from tablewright.access.items.vault import (
    decrypted_item,
    encrypted_item,
    hashed_item,
    hidden_attributes,
)
from tablewright.access.writes import actions
from tablewright.access.writes.actions import DependentPrecondition, ItemEdit, WriteAction, owner_text
from tablewright.access.writes.values import Target
from tablewright.design.layouts.layouts import KEPT, OWNER, Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import SecretError

DependentState: TypeAlias = Literal["absent", "current", "outdated", "foreign"]
"""absent: not stored, or expired. current: as it should be. outdated: other content. foreign: another entity's item."""


class ItemRejected(Exception):
    """A stored item that cannot be brought to its desired state, and stays as it is; the message is the reason."""


class DependentChange(NamedTuple):
    """A copy or lock to write, or to delete."""

    dependent: Dependent
    mark: Item
    """The attributes by which the stored item shows its owner, if this entity owns it."""
    is_removal: bool = False
    is_held: bool = False
    """Whether the entity has the copy or lock already."""


def edit_between(stored: Item, desired: Item, names: Collection[str] | None = None) -> ItemEdit:
    """Return what to change in some attributes of a stored item, or in all, so that they are as desired."""
    sets = {
        name: value
        for name, value in desired.items()
        if (before := stored.get(name)) != value and differs(before, value)
    }
    removes = stored.keys() - desired.keys()
    if names is not None:
        sets = {name: value for name, value in sets.items() if name in names}
        removes = {name for name in removes if name in names}
    return ItemEdit(sets, frozenset(removes))


def computed_changes(before: Footprint | None, after: Footprint | None) -> Iterator[DependentChange]:
    """Return what changes in the dependents from one footprint of an entity to another; None is no entity."""
    old = before.dependents if before else {}
    new = after.dependents if after else {}
    if before:
        for key, dependent in old.items():
            if key not in new:
                yield DependentChange(dependent, dependent.mark, is_removal=True, is_held=True)
    if after:
        for key, dependent in new.items():
            held = old.get(key)
            if held is None or held.item != dependent.item:
                yield DependentChange(dependent, (held or dependent).mark, is_held=held is not None)


def stored_changes(
    context: Context,
    target: Target[Any],
    owner: Item,
    dependents: Mapping[ComparableKey, Dependent],
    desired: Mapping[ComparableKey, Dependent],
    stored: Mapping[ComparableKey, Item],
) -> Iterator[DependentChange]:
    """Return what changes in the dependents of an entity, given the items that are stored under their keys.

    What the entity owns and does not need is deleted. Raise `ItemRejected` when another entity owns what it needs.
    """
    for key, dependent in dependents.items():
        item = stored.get(key)
        mark = _stored_mark(dependent, owner, item or {})
        change = DependentChange(dependent, mark, is_removal=key not in desired, is_held=True)
        if change.is_removal:
            if item is not None and stored_owner(target.layout, dependent, item) == owner:
                yield change
            continue
        state = dependent_state(context, target.layout, owner, dependent, item)
        if state == "foreign":
            precondition = DependentPrecondition(target, context.now(), dependent, dependent.mark)
            raise ItemRejected(f"{precondition.failure(item)}{owner_text(item)}")
        if state != "current":
            yield change


def dependent_action(
    context: Context, target: Target[Any], now: float, change: DependentChange
) -> WriteAction:
    """Return the action that writes or deletes a copy or lock, unless another entity owns it."""
    table, dependent = target.layout.table, change.dependent
    precondition = DependentPrecondition(
        target, now, dependent, change.mark, change.is_held, change.is_removal
    )
    if change.is_removal:
        return actions.delete(context, table, key_of(table, dependent.item), precondition)
    item = dependent.item
    if dependent.field is None:
        item = encrypted_item(context.vault, target.layout, item)
    return actions.put_dependent(context, table, item, precondition)


def dependent_state(
    context: Context, layout: Layout, owner: Item, dependent: Dependent, stored: Item | None
) -> DependentState:
    """Compare a copy or lock with the item that is stored under its key."""
    if stored is None:
        return "absent"
    expired = is_expired(layout.table, stored, context.now())
    if stored_owner(layout, dependent, stored) != owner:
        is_ownerless = not expired and _is_ownerless_lock(layout, dependent, stored)
        return "absent" if expired else "outdated" if is_ownerless else "foreign"
    if _is_current(context, layout, dependent, stored):
        return "current"
    return "absent" if expired else "outdated"


def stored_owner(layout: Layout, dependent: Dependent, stored: Item) -> Item | None:
    """Return the primary key of the entity that owns a stored copy or lock; None when the item does not show it."""
    lock = dependent.lock
    if lock is not None:
        return lock_owner(layout, lock, stored) if lock.matches(layout.table, stored) else None
    owner: Item | None = stored.get(OWNER, {}).get("M")
    return owner


def _stored_mark(dependent: Dependent, owner: Item, stored: Item) -> Item:
    """The attributes by which a stored copy or lock shows that it belongs to this owner."""
    if dependent.lock is None:
        return {OWNER: {"M": owner}}
    return {name: stored.get(name, value) for name, value in dependent.mark.items()}


def _is_ownerless_lock(layout: Layout, dependent: Dependent, stored: Item) -> bool:
    """Whether an item is a lock that another program wrote without the attributes that show its owner."""
    lock = dependent.lock
    return lock is not None and lock.matches(layout.table, stored) and not lock.owner.keys() & stored.keys()


def _is_current(context: Context, layout: Layout, dependent: Dependent, stored: Item) -> bool:
    """Return whether a copy or lock has its desired content; ciphertexts are compared decrypted."""
    desired = dependent.item
    if dependent.field is None:
        try:
            stored = _flat(decrypted_item(context.vault, layout, stored))
        except SecretError:
            return False
        desired = _flat(hashed_item(context.vault, layout, desired))
    if stored == desired:
        return True
    if dependent.lock is None and stored.keys() != desired.keys():
        return False
    return not any(differs(stored.get(name), desired[name]) for name in desired)


def _flat(item: Item) -> Item:
    """Return a copy with the attributes that it hides from indexes restored."""
    if KEPT not in item:
        return item
    rest = {name: value for name, value in item.items() if name != KEPT}
    return {**rest, **hidden_attributes(item)}
