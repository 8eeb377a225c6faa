"""Check one item, and the copies and locks that belong to it.

While clients write, an item and its copies that are read one after the other may seem to disagree. So an item that
seems wrong is read again together with its dependents, in one transaction, and only what is wrong then is reported.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import TypeAlias

from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired, is_outdated
from tablewright.access.items.footprint import Dependent, comparable_key, is_dependent, stored_owner_key
from tablewright.access.items.item_values import describe_key, has_key_format, key_of
from tablewright.access.items.stored_forms import other_forms
from tablewright.access.items.unique_locks import is_lock, lock_in, lock_owner
from tablewright.access.items.vault import NoVault, run_with_keys
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import items_at, items_together
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemAbsent, ItemEdit, ItemUnchanged, WriteAction, unchanged
from tablewright.access.writes.automatic_fields import LATEST_EXPIRY
from tablewright.access.writes.diff import (
    DependentChange,
    dependent_action,
    dependent_state,
    edit_between,
    stored_owner,
)
from tablewright.access.writes.expected_state import ExpectedState, expected_state
from tablewright.access.writes.values import target_of
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.layouts.layouts import OWNER, SCHEMA_VERSION, Layout, LockLayout, known_attributes
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item
from tablewright.errors import SecretError, SecretShredded, UnknownItem
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport, Kind
from tablewright.lifecycle.integrity.reference_check import ReferenceCheck
from tablewright.lifecycle.traversal.item_entities import layouts_for


def expiry_in_seconds(stored: AttributeValue) -> int | None:
    """Return the seconds of an expiry that DynamoDB ignores; None if it is a number of seconds, or no number at all.

    >>> expiry_in_seconds({"N": "1777550400000"}), expiry_in_seconds({"S": "1777550400"})
    (1777550400, 1777550400)
    >>> expiry_in_seconds({"N": "1777550400"}), expiry_in_seconds({"S": "never"})
    (None, None)
    """
    numeral = str(stored.get("N", stored.get("S", "")))
    try:
        number = float(numeral)
    except ValueError:
        return None
    if "N" in stored and number < LATEST_EXPIRY:
        return None
    return int(number / 1000 if number >= LATEST_EXPIRY else number) if math.isfinite(number) else None


def is_incomplete(layout: Layout, item: Item) -> bool:
    """Return whether an item is what a late update left of an entity of that class.

    UpdateItem creates an item that does not exist, with its key and the attributes that the update sets. Such an item
    lacks the attributes that every entity has from its creation. An item that has an attribute which its class does not
    know, or most of the attributes of a created entity, is data and not an incomplete item.
    """
    if not has_key_format(layout, item) or not _declared(layout.entity).issuperset(item):
        return False
    required = _set_on_creation(layout.entity)
    missing = required - item.keys()
    if layout.type_name is not None:
        only_type = required == {layout.table.discriminator}
        return layout.table.discriminator in missing and (only_type or len(missing) > 1)
    return bool(missing) and 2 * len(required - missing) < len(required)


@cache
def _set_on_creation(entity: type[Entity]) -> frozenset[str]:
    """The attributes that every item of a class has from its creation, and that no update adds."""
    layout = entity.layout
    attributes = {
        field.stored
        for name, field in layout.fields.items()
        if name not in layout.primary.names
        and (entity.model_fields[name].is_required() or field.automatic == "created")
    }
    attributes |= {layout.table.discriminator} if layout.type_name is not None else set()
    return frozenset(attributes | ({SCHEMA_VERSION} if layout.schema_version is not None else set()))


@cache
def _declared(entity: type[Entity]) -> frozenset[str]:
    layout = entity.layout
    fields = (field.stored for field in layout.fields.values())
    return frozenset((*fields, *layout.table.key_attributes, layout.table.discriminator, SCHEMA_VERSION))


MOST_READS = 8
"""How often an item that other clients keep changing is read; then it is skipped, as it is in use."""
_MOST_TOGETHER = 100


Lock: TypeAlias = tuple[Layout, LockLayout]
"""A lock whose key the design chooses, with the layout of its owner."""


@dataclass(frozen=True, slots=True)
class _CheckedItem:
    """What an item is by itself: an entity with its expected state, or a finding, or a note."""

    expected: ExpectedState | None = None
    finding: IntegrityFinding | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ItemCheck:
    """Checks the items of one table."""

    design: Design
    context: Context
    table: Table
    report: IntegrityReport
    references: ReferenceCheck | None = None
    """Checks references; None leaves them out."""

    def findings(self, item: Item) -> Procedure[list[IntegrityFinding]]:
        """Return what is wrong with an item."""
        if is_expired(self.table, item, self.context.now()):
            return []
        if is_dependent(item):
            return (yield from self._check_dependent(item, None))
        lock = lock_in(self._layouts, item)
        if lock is not None:
            return (yield from self._check_dependent(item, lock))
        return (yield from self._check_main(item))

    def _check_main(self, item: Item) -> Procedure[list[IntegrityFinding]]:
        reading = yield from run_with_keys(partial(self._read, item))
        if reading.note:
            self.report.note(reading.note)
        is_suspect = reading.finding is not None
        if reading.expected is not None:
            keys = self._dependent_keys(reading.expected)
            stored = yield from items_at(self.context, self.table, keys)
            dependents = [stored.get(comparable_key(self.table, key)) for key in keys]
            is_suspect = bool((yield from self._compare(item, reading.expected, dependents)))
        problems = (yield from self._confirm(item)) if is_suspect else []
        if reading.expected is not None:
            problems += yield from self._check_references(item, reading.expected.entity)
        return problems

    def _check_references(self, item: Item, entity: Entity) -> Procedure[list[IntegrityFinding]]:
        """Return the references of an entity whose targets do not exist. They are reported, and never repaired."""
        if self.references is None:
            return []
        for reference in self.references.unfollowed(type(entity)):
            target = reference.target.__name__
            self.report.note(
                f"{reference.name} not checked: the key of {target} is a secret, and no keys were given"
            )
        dangling = yield from self.references.dangling(item, entity)
        return [self._finding(Kind.DANGLING, item, str(reference), entity.layout) for reference in dangling]

    def _confirm(self, item: Item) -> Procedure[list[IntegrityFinding]]:
        """Return what is wrong with an item at one point in time."""
        key = key_of(self.table, item)
        for _ in range(MOST_READS):
            reading = yield from run_with_keys(partial(self._read, item))
            keys = self._dependent_keys(reading.expected) if reading.expected else []
            current, dependents = yield from self._read_together(key, keys)
            if current is None or is_expired(self.table, current, self.context.now()):
                return []
            if current == item:
                if reading.expected is None:
                    return [reading.finding] if reading.finding else []
                return (yield from self._compare(current, reading.expected, dependents))
            item = current
        return []

    def _read_together(
        self, key: Item, keys: Sequence[Item]
    ) -> Procedure[tuple[Item | None, list[Item | None]]]:
        """Read an item and its dependents. When one transaction is not enough, the item is the same in each."""
        (current,) = yield from items_together(self.context, self.table, [key])
        dependents: list[Item | None] = []
        for start in range(0, len(keys), _MOST_TOGETHER - 1):
            part = keys[start : start + _MOST_TOGETHER - 1]
            again, *more = yield from items_together(self.context, self.table, [key, *part])
            if again != current:
                return again, []  # differs from the item that is confirmed, so that one is read again
            dependents += more
        return current, dependents

    def _read(self, item: Item) -> Procedure[_CheckedItem]:
        """Return what an item is by itself."""
        yield from ()
        layouts = layouts_for(self.design, self.table, item)
        if not layouts:
            return _CheckedItem(finding=self._unknown_type(item))
        for position, layout in enumerate(layouts, 1):
            name = layout.entity.__name__
            if layout.secrets and isinstance(self.context.vault, NoVault):
                return _CheckedItem(note=f"{name} not checked: its secrets need keys, and none were given")
            try:
                return self._read_as(layout, item)
            except UnknownItem as error:
                if position == len(layouts):
                    return _CheckedItem(finding=self._not_valid(layout, item, error))
            except SecretShredded:
                return _CheckedItem(note=f"{name} with a secret whose key was deleted")
            except SecretError as error:
                if is_incomplete(layout, item):
                    return _CheckedItem(finding=self._incomplete(layout, item))
                problem = f"has a secret that cannot be decrypted: {error}"
                return _CheckedItem(finding=self._finding(Kind.UNREADABLE_SECRET, item, problem, layout))
        raise AssertionError("the last class either reads an item or does not")

    def _read_as(self, layout: Layout, item: Item) -> _CheckedItem:
        decrypted = self.context.decoder(layout).decrypted(item)
        expected = expected_state(self.context, layout, item, decrypted)
        if is_outdated(layout, item):
            return _CheckedItem(note=f"{layout.entity.__name__} of an older version; run its migration")
        copy = expected.dependents.get(comparable_key(self.table, item))
        if copy is not None:
            problem = (
                f"is stored under the key of a copy ({copy.copy}), but does not have its owner in {OWNER}"
            )
            return _CheckedItem(finding=self._finding(Kind.UNKNOWN, item, problem, layout))
        return _CheckedItem(expected)

    def _unknown_type(self, item: Item) -> IntegrityFinding:
        """Report an item whose type or key is that of no entity."""
        for entity in self.design.entities_of(self.table):
            if is_incomplete(entity.layout, item):
                return self._incomplete(entity.layout, item)
        type_name = item.get(self.table.discriminator, {}).get("S")
        if type_name is None:
            problem = f"has no {self.table.discriminator}, and its key fits no entity"
        else:
            problem = f"has the type {type_name!r}, which no entity of {self.design.name} has"
        return self._finding(Kind.UNKNOWN, item, problem)

    def _not_valid(self, layout: Layout, item: Item, error: UnknownItem) -> IntegrityFinding:
        if is_incomplete(layout, item):
            return self._incomplete(layout, item)
        renamed = self._renamed(layout, item)
        if not renamed:
            return self._finding(Kind.UNKNOWN, item, error.reason, layout)
        key, precondition = key_of(self.table, item), unchanged(self.table, item, renamed.set)
        repair = [actions.update(self.context, self.table, key, renamed, precondition)]
        doing = f"write {', '.join(sorted(renamed.set))} under the names that its class declares"
        return self._finding(Kind.UNKNOWN, item, error.reason, layout, doing, repair)

    def _renamed(self, layout: Layout, item: Item) -> ItemEdit | None:
        """Return what makes an item valid whose nested models another program stored under their names in Python."""
        try:
            decrypted = self.context.decoder(layout).decrypted(item)
            expected = expected_state(self.context, layout, item, decrypted, any_name=True)
        except (UnknownItem, SecretError):
            return None
        fields = {field.stored for field in layout.fields.values() if not field.is_secret}
        return edit_between(item, expected.main, fields & item.keys())

    def _incomplete(self, layout: Layout, item: Item) -> IntegrityFinding:
        left = ", ".join(sorted(item.keys() - set(self.table.key))) or "only its key"
        problem = f"is incomplete: an update after the {layout.entity.__name__} was deleted left {left}"
        repair = [actions.delete(self.context, self.table, key_of(self.table, item), self._untouched(item))]
        return self._finding(Kind.INCOMPLETE, item, problem, layout, "delete it", repair)

    def _compare(
        self, item: Item, expected: ExpectedState, dependents: Sequence[Item | None]
    ) -> Procedure[list[IntegrityFinding]]:
        """Return what is wrong with an entity, given the items under the keys of its copies and locks."""
        return (yield from run_with_keys(lambda: self._differences(item, expected, dependents)))

    def _differences(
        self, item: Item, expected: ExpectedState, dependents: Sequence[Item | None]
    ) -> Procedure[list[IntegrityFinding]]:
        yield from ()
        ignored = self._ignored_expiry(item, expected.layout)
        if ignored is not None:
            return [ignored]  # its copies have its expiry, so they are checked when it is repaired
        differences = [*self._other_forms(item, expected), *self._stale_keys(item, expected)]
        for dependent, stored in zip(expected.dependents.values(), dependents, strict=True):
            differences += self._dependent_findings(item, expected, dependent, stored)
        return differences

    def _ignored_expiry(self, item: Item, layout: Layout) -> IntegrityFinding | None:
        """Report an expiry that another program stored in milliseconds or as text."""
        attribute = self.table.ttl
        seconds = expiry_in_seconds(item[attribute]) if attribute in item else None
        if attribute is None or seconds is None:
            return None
        edit = edit_between(item, {**item, attribute: {"N": str(seconds)}}, (attribute,))
        key, precondition = key_of(self.table, item), unchanged(self.table, item, (attribute,))
        repair = [actions.update(self.context, self.table, key, edit, precondition)]
        ((kind, value),) = item[attribute].items()
        form = "text" if kind == "S" else "milliseconds"
        problem = (
            f"never expires: its {attribute}, {value}, is {form}, and DynamoDB needs a number of seconds"
        )
        doing = f"store {attribute} = {seconds}"
        return self._finding(Kind.IGNORED_EXPIRY, item, problem, layout, doing, repair)

    def _other_forms(self, item: Item, expected: ExpectedState) -> Iterator[IntegrityFinding]:
        """Report the values that another program stored in another form than the class does."""
        layout = expected.layout
        forms: dict[str, str] = {}
        for name, field in layout.fields.items():
            stored, ours = item.get(field.stored), expected.main.get(field.stored)
            if stored is None or ours is None or field.is_secret or field.stored in self.table.key:
                continue
            if described := ", ".join(dict.fromkeys(other_forms(stored, ours))):
                forms[name] = described
        if not forms:
            return
        attributes = [layout.fields[name].stored for name in forms]
        edit = edit_between(item, expected.main, attributes)
        key, precondition = key_of(self.table, item), unchanged(self.table, item, attributes)
        repair = [actions.update(self.context, self.table, key, edit, precondition)]
        listed = "; ".join(f"{name} ({form})" for name, form in forms.items())
        problem = f"has values in another form than its class stores: {listed}"
        doing = f"store {', '.join(attributes)} in the form of the class"
        finding = self._finding(Kind.OTHER_FORM, item, problem, layout, doing, repair)
        entity = layout.entity.__name__
        yield replace(finding, forms=tuple(f"{entity}.{name}: {form}" for name, form in forms.items()))

    def _stale_keys(self, item: Item, expected: ExpectedState) -> Iterator[IntegrityFinding]:
        edit = edit_between(item, expected.main, expected.index_attributes)
        if not edit:
            return
        names = ", ".join(sorted({*edit.set, *edit.remove}))
        key, precondition = key_of(self.table, item), unchanged(self.table, item, (*edit.set, *edit.remove))
        repair = [actions.update(self.context, self.table, key, edit, precondition)]
        problem = f"has index keys that do not match its fields: {names}"
        doing = " and ".join(_shown_edit(edit))
        yield self._finding(Kind.STALE_INDEX_KEYS, item, problem, expected.layout, doing, repair)

    def _dependent_findings(
        self, item: Item, expected: ExpectedState, dependent: Dependent, stored: Item | None
    ) -> Iterator[IntegrityFinding]:
        layout, field = expected.layout, dependent.field
        at = describe_key(key_of(self.table, dependent.item))
        what = f"the lock of its {field.name} ({at})" if field else f"its copy {dependent.copy} ({at})"
        state = dependent_state(self.context, layout, expected.key, dependent, stored)
        if state == "current":
            return
        if state == "foreign":
            owner_key = stored_owner(layout, dependent, stored) if stored else None
            owner = self._described(owner_key) if owner_key else "another item"
            kind = Kind.DUPLICATE if field else Kind.BLOCKED_COPY
            yield self._finding(kind, item, f"cannot have {what}: the key is taken by {owner}", layout)
            return
        change = DependentChange(dependent, dependent.mark, is_held=True)
        repair = [
            actions.check(self.context, self.table, expected.key, unchanged(self.table, item)),
            dependent_action(self.context, target_of(expected.entity), self.context.now(), change),
        ]
        if state == "absent":
            kind = Kind.MISSING_LOCK if field else Kind.MISSING_COPY
            yield self._finding(kind, item, f"lacks {what}", layout, "write it", repair)
        else:
            problem = f"differs from {what}"
            kind = Kind.OUTDATED_LOCK if field else Kind.OUTDATED_COPY
            doing = f"write the {'lock' if field else 'copy'} again"
            yield self._finding(kind, item, problem, layout, doing, repair)

    def _check_dependent(self, item: Item, lock: Lock | None) -> Procedure[list[IntegrityFinding]]:
        """Check that the owner of a copy or lock exists and has it; `lock` is its layout if the design chooses it."""
        owner_key = self._owner_key(item, lock)
        if owner_key is None:
            return [self._finding(Kind.UNKNOWN, item, _no_owner(lock), lock[0] if lock else None)]
        owners = yield from items_at(self.context, self.table, [owner_key])
        if (yield from self._is_owned(item, owners.get(comparable_key(self.table, owner_key)))):
            return []
        current, owner = yield from items_together(
            self.context, self.table, [key_of(self.table, item), owner_key]
        )
        if current is None or self._owner_key(current, lock) != owner_key:
            return []
        if (yield from self._is_owned(current, owner)):
            return []
        return [
            self._orphan(current, owner, owner_key, is_lock=lock is not None or is_lock(self.table, current))
        ]

    def _owner_key(self, item: Item, lock: Lock | None) -> Item | None:
        """The primary key of the owner of a copy or lock; None when the item does not contain it."""
        if lock is not None:
            return lock_owner(*lock, item)
        return stored_owner_key(self.table, item)

    @property
    def _layouts(self) -> list[Layout]:
        return [entity.layout for entity in self.design.entities_of(self.table)]

    def _is_owned(self, item: Item, owner: Item | None) -> Procedure[bool]:
        """Whether an owner has such a copy or lock. One that cannot be read, or is outdated, may have any."""
        if owner is None or is_expired(self.table, owner, self.context.now()):
            return False
        reading = yield from run_with_keys(partial(self._read, owner))
        if reading.expected is None:
            return True
        return comparable_key(self.table, item) in reading.expected.dependents

    def _orphan(self, item: Item, owner: Item | None, owner_key: Item, *, is_lock: bool) -> IntegrityFinding:
        kind, noun = (Kind.ORPHAN_LOCK, "lock") if is_lock else (Kind.ORPHAN_COPY, "copy")
        problem = "which does not exist" if owner is None else f"which has no such {noun}"
        precondition = ItemAbsent(self.table) if owner is None else unchanged(self.table, owner)
        repair = [
            actions.delete(self.context, self.table, key_of(self.table, item), self._untouched(item)),
            actions.check(self.context, self.table, owner_key, precondition),
        ]
        problem = f"belongs to {self._described(owner_key)}, {problem}"
        return self._finding(kind, item, problem, None, "delete it", repair)

    def _untouched(self, item: Item) -> ItemUnchanged:
        """The precondition of what deletes an item: it has gained no attribute since it was read."""
        return unchanged(self.table, item, known=known_attributes(self._layouts))

    def _described(self, key: Item) -> str:
        """A key that was stored in a map, which some endpoints return in any order."""
        return describe_key({name: key[name] for name in (*self.table.key, *key) if name in key})

    def _finding(
        self,
        kind: Kind,
        item: Item,
        problem: str,
        layout: Layout | None = None,
        repair: str | None = None,
        actions: Sequence[WriteAction] = (),
    ) -> IntegrityFinding:
        name = layout.entity.__name__ if layout else None
        key = key_of(self.table, item)
        return IntegrityFinding(
            kind, self.context.table_name(self.table), key, problem, name, repair, actions
        )

    def _dependent_keys(self, expected: ExpectedState) -> list[Item]:
        return [key_of(self.table, dependent.item) for dependent in expected.dependents.values()]


def _shown_edit(edit: ItemEdit) -> Iterator[str]:
    if edit.set:
        yield f"set {', '.join(sorted(edit.set))} from its fields"
    if edit.remove:
        yield f"remove {', '.join(sorted(edit.remove))}"


def _no_owner(lock: Lock | None) -> str:
    """The problem of a copy or lock that does not contain the key of its owner."""
    if lock is None:
        return f"has no valid owner key in {OWNER}"
    layout, of = lock
    name, missing = f"{layout.entity.__name__}.{of.field.name}", ", ".join(of.owner)
    return f"is the lock of {name}, but its owner is unknown: it lacks a valid {missing}"
