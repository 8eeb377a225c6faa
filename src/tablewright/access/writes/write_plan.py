"""Proposals: the steps by which a write is done, worked out from what is known and, where need be, from what is read.

What is read is held to: the steps are taken only if it is still so. The steps of one write are taken together.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.access.items.footprint import (
    Footprint,
    footprint,
    former_dependents,
    has_dependents,
    require_whole,
)
from tablewright.access.items.key_values import key_values
from tablewright.access.items.upcasting import is_outdated
from tablewright.access.items.value_codec import field_attributes
from tablewright.access.items.vault import lookup_values, secret_fields
from tablewright.access.writes import actions, automatic_fields
from tablewright.access.writes.actions import Edit, Step
from tablewright.access.writes.preconditions import DependentPrecondition, Held, MainPrecondition, is_there
from tablewright.access.writes.targets import Address, address_of, field_value
from tablewright.access.writes.update_changes import (
    Changes,
    affected_indexes,
    changes_of,
    dependent_sources,
    derived_attributes,
    judged_together,
    resealed_attributes,
    sources,
)
from tablewright.access.writes.values import Check, CheckAbsent, Create, Delete, Move, Put, Update, Write
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.markers import Counter, Version
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import KEPT, OWNER
from tablewright.errors import DoesNotExist, InvalidWrite, VersionConflict, WriteError
from tablewright.values.attributes import Item


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The steps of one write; the main item's comes first."""

    write: Write
    address: Address[Any]
    steps: tuple[Step, ...]
    entity: Entity | None = None
    """The entity as it will stand, where that is known."""


def propose(context: Context, write: Write) -> Procedure[WritePlan]:
    """The steps of a write."""
    match write:
        case Create(entity) | Put(entity) if not isinstance(entity, Entity):
            raise InvalidWrite(f"{type(write).__name__} takes an entity, not {entity!r}")
        case Create(entity):
            return _Proposing(context, write, address_of(entity)).create(entity)
        case Put(entity):
            return _Proposing(context, write, address_of(entity)).put(entity)
        case Update(target):
            return _Proposing(context, write, address_of(target)).update(write)
        case Delete(target):
            return _Proposing(context, write, address_of(target)).delete(write)
        case Move(target):
            return _Proposing(context, write, address_of(target)).move(write)
        case Check(target):
            return _Proposing(context, write, address_of(target)).check(write)
        case CheckAbsent(target):
            return _Proposing(context, write, address_of(target)).check_absent(write)
        case _:
            raise InvalidWrite(
                f"{write!r} is no write; use Create, Put, Update, Add, Delete, Move, Check or CheckAbsent"
            )


class _Proposing:
    """One write being worked out."""

    def __init__(self, context: Context, write: Write, address: Address[Any]) -> None:
        self.context = context
        self.write = write
        self.address = address
        self.layout = address.layout
        context.require(self.layout)
        self.table = address.layout.table
        self.now = context.now()
        self.timestamp = context.timestamp()
        self.version = _expected_version(write, address)
        self.when = _condition(write)

    @cached_property
    def key(self) -> Item:
        """The primary key of the main item."""
        return self.address.key(self.context.vault)

    def create(self, entity: Entity) -> Procedure[WritePlan]:
        """Write it where nothing is."""
        yield from ()
        whole = automatic_fields.stamped(entity, automatic_fields.created(entity, self.timestamp))
        return self._made(self._fresh(whole, MainPrecondition(self.address, self.now, "vacant")), whole)

    def put(self, entity: Entity) -> Procedure[WritePlan]:
        """Write it over whatever version of it is there; its own version, if it has one."""
        require_whole(entity)
        whole = automatic_fields.stamped(entity, automatic_fields.replaced(entity, self.timestamp))
        if not (has_dependents(self.layout) or self.layout.marked(Counter)):
            return self._made(self._fresh(whole, self._guard(present=bool(self.version))), whole)
        found = yield from self._read()
        if found is None:
            if self.version:
                raise self._missing()
            guard = MainPrecondition(self.address, self.now, "vacant", again=True)
            return self._made(self._fresh(whole, guard), whole)
        return self._replace(found, whole)

    def _replace(self, found: Item, whole: Entity) -> WritePlan:
        """Make what was read into what is to be, but for counters and version, which go their own way."""
        old = self.context.decoder(self.layout).make(found)
        kept = {field.name for field, _ in (*self.layout.marked(Counter), *self.layout.marked(Version))}
        changes = {
            name: value
            for name, value in whole.__dict__.items()
            if name not in kept and value != getattr(old, name)
        }
        surplus = old.unknown_attributes.keys() - whole.unknown_attributes.keys()
        old.unknown_attributes = whole.unknown_attributes
        return self._rewrite(found, old, Changes(self.layout, changes, {}), surplus)

    def update(self, write: Update[Any]) -> Procedure[WritePlan]:
        """Change some fields; blindly, when all that must follow can be told from the change alone."""
        changes = changes_of(write, self.address)
        known = self.address.known()
        blind = changes.stamped(self.timestamp, known)
        known |= blind.set
        needed = sources(self.layout, blind.names)
        touched_dependents = any(group & blind.names for group in dependent_sources(self.layout))
        judged = judged_together(blind)
        # An item of an older version must become one of today's as a whole, so it is looked at first.
        if judged is None and needed <= known.keys() and not (touched_dependents or self.layout.upcasts):
            return self._made([self._blind_step(blind, known)])
        found = yield from self._require()
        old = self.context.decoder(self.layout).make(found)
        return self._rewrite(found, old, changes.stamped(self.timestamp, old.__dict__), judged=judged)

    def delete(self, write: Delete[Any]) -> Procedure[WritePlan]:
        """Remove it, and all that belongs to it."""
        strict = self.when is not None or self.version is not None
        if not has_dependents(self.layout):
            return self._made([actions.delete(self.context, self.table, self.key, self._guard(strict))])
        found = yield from self._read()
        if found is None:
            if strict:
                raise self._missing()
            return self._made([])
        old = self.context.decoder(self.layout).make(found)
        before = self._before(found, old)
        followed: frozenset[str] = frozenset().union(*dependent_sources(self.layout))
        guard = self._guard(True, self._held(found, followed))
        main = actions.delete(self.context, self.table, self.key, guard)
        return self._made([main, *self._dependents(before, None)], old)

    def move(self, write: Move[Any]) -> Procedure[WritePlan]:
        """Write it under its new key and remove it from the old; copies and locks go along."""
        entity = self.layout.entity
        stray = [name for name in write.to if name not in self.layout.primary.names]
        if stray or not write.to:
            raise InvalidWrite(
                f"move gives new values to the primary key of {entity.__name__}, which is made of "
                f"{', '.join(self.layout.primary.names)}; {', '.join(stray) or 'nothing'} was given"
            )
        to = {name: field_value(entity, name, value) for name, value in write.to.items()}
        found = yield from self._require()
        old = self.context.decoder(self.layout).make(found)
        changes = Changes(self.layout, to, {}).stamped(self.timestamp, old.__dict__)
        new = changes.applied(old)
        before, after = self._before(found, old), footprint(new, self.context.vault)
        if before.key == after.key:
            raise InvalidWrite(f"move leaves {entity.__name__} where it is; give another key")
        everything = frozenset(self.layout.fields)
        guard = self._guard(True, {**self._held(found, everything), **_undeclared(self.layout, found)})
        vacant = MainPrecondition(address_of(new), self.now, "vacant")
        return self._made(
            [
                actions.delete(self.context, self.table, self.key, guard),
                actions.put(self.context, self.table, self._sealed(after.main), vacant),
                *self._dependents(before, after),
            ],
            new,
        )

    def check(self, write: Check[Any]) -> Procedure[WritePlan]:
        """Only look."""
        yield from ()
        return self._made([actions.check(self.context, self.table, self.key, self._guard(True))])

    def check_absent(self, write: CheckAbsent[Any]) -> Procedure[WritePlan]:
        """Only look whether the place is free."""
        yield from ()
        vacant = MainPrecondition(self.address, self.now, "vacant")
        return self._made([actions.check(self.context, self.table, self.key, vacant)])

    def _made(self, taken: Iterable[Step], entity: Entity | None = None) -> WritePlan:
        return WritePlan(self.write, self.address, tuple(taken), entity)

    def _guard(self, present: bool, read: Held | None = None) -> MainPrecondition:
        state: Literal["present", "replaceable"] = "present" if present else "replaceable"
        return MainPrecondition(self.address, self.now, state, self.version, read or {}, self.when)

    def _read(self) -> Procedure[Item | None]:
        """The item as it is, if the entity exists."""
        request = {"TableName": self.context.table_name(self.table), "Key": self.key, "ConsistentRead": True}
        reply = yield from with_retries(Call("GetItem", request))
        found: Item | None = reply.get("Item")
        return found if is_there(self.layout, found, self.now) else None

    def _require(self) -> Procedure[Item]:
        found = yield from self._read()
        if found is None:
            raise self._missing()
        return found

    def _missing(self) -> WriteError:
        name, values, expected = self.layout.entity.__name__, self.address.shown, self.version
        if expected:
            return VersionConflict(name, values, expected, None)
        return DoesNotExist(name, values, "does not exist")

    def _fresh(self, entity: Entity, guard: MainPrecondition) -> list[Step]:
        """The steps that write all of an entity."""
        after = footprint(entity, self.context.vault)
        main = actions.put(self.context, self.table, self._sealed(after.main), guard)
        return [main, *self._dependents(None, after)]

    def _blind_step(self, changes: Changes, known: dict[str, Any]) -> Step:
        """An update of the main item, from the change alone."""
        indexes = affected_indexes(self.layout, changes.names)
        hashed = lookup_values(self.context.vault, self.layout, known)
        keys: Item = {}
        for index in indexes:
            keys |= key_values(self.table, index, hashed) or {}
        derived = derived_attributes(self.layout, indexes)
        keys = {name: value for name, value in keys.items() if name in derived}
        stored = self._sealed({**field_attributes(self.layout.entity, known), **self.key})
        edit = changes.edit(stored, keys, derived - keys.keys())
        return actions.update(self.context, self.table, self.key, edit, self._guard(True))

    def _rewrite(
        self,
        found: Item,
        old: Entity,
        changes: Changes,
        surplus: Iterable[str] = (),
        judged: frozenset[str] | None = None,
    ) -> WritePlan:
        """An update worked out from what was read, and held to it."""
        new = changes.applied(old)
        if is_outdated(self.layout, found):
            return self._modernise(found, old, new)
        before, after = footprint(old, self.context.vault), footprint(new, self.context.vault)
        follows = sources(self.layout, changes.names) | (judged or frozenset())
        derived = derived_attributes(self.layout, affected_indexes(self.layout, changes.names))
        sealed = self._sealed(after.main)
        resealed = resealed_attributes(self.layout, changes.names) & sealed.keys()
        keys = {name: sealed[name] for name in (*derived, *resealed) if name in sealed}
        unknown = {
            name: value
            for name, value in new.unknown_attributes.items()
            if name != OWNER and found.get(name) != value
        }
        edit = changes.edit(sealed, keys | unknown, {*derived - keys.keys(), *surplus})
        guard = self._guard(True, self._held(found, follows))
        main = [actions.update(self.context, self.table, self.key, edit, guard)] if edit else []
        return self._made([*main, *self._dependents(before, after)], new)

    def _modernise(self, found: Item, old: Entity, new: Entity) -> WritePlan:
        """Make an item of an older version, with all that belongs to it, one of today's."""
        after = footprint(new, self.context.vault)
        sealed = self._sealed(after.main)
        sets = {name: value for name, value in sealed.items() if found.get(name) != value}
        edit = Edit(sets, frozenset(found.keys() - sealed.keys()))
        held = {name: found.get(name) for name in (*found, *sets) if name not in self.table.key}
        main = actions.update(self.context, self.table, self.key, edit, self._guard(True, held))
        return self._made([main, *self._dependents(self._before(found, old), after)], new)

    def _before(self, found: Item, old: Entity) -> Footprint:
        """What there is of an entity that was read. Dependents of an older version lie where they lay then."""
        before = footprint(old, self.context.vault)
        if not is_outdated(self.layout, found):
            return before
        places = {**former_dependents(self.layout, found, self.context.vault), **before.dependents}
        # Only where they lie is known, so that none passes for what it shall be.
        bare = {
            place: replace(each, item={name: each.item[name] for name in self.table.key})
            for place, each in places.items()
        }
        return replace(before, dependents=bare)

    def _held(self, found: Item, names: Iterable[str]) -> Held:
        """Fields as they were read, to be found so again."""
        attributes = sorted(self.layout.fields[name].stored for name in names)
        return {name: found.get(name) for name in attributes if name not in self.table.key}

    def _dependents(self, before: Footprint | None, after: Footprint | None) -> Iterator[Step]:
        """The steps from the copies and locks that there are to those that shall be."""
        old = before.dependents if before else {}
        new = after.dependents if after else {}
        for place, dependent in old.items():
            if place not in new and before:
                guard = DependentPrecondition(self.address, self.now, dependent, before.key)
                key = {name: dependent.item[name] for name in self.table.key}
                yield actions.delete(self.context, self.table, key, guard)
        for place, dependent in new.items():
            owner = before.key if before and place in old else after.key if after else {}
            if place not in old or old[place].item != dependent.item:
                guard = DependentPrecondition(self.address, self.now, dependent, owner)
                item = dependent.item if dependent.field else self._sealed(dependent.item)
                yield actions.put(self.context, self.table, item, guard)

    def _sealed(self, item: Item) -> Item:
        """The item as it is stored, its secrets sealed, also those that a copy keeps out of sight."""
        if not secret_fields(self.layout):
            return item
        kept: Item = item[KEPT]["M"] if KEPT in item else {}
        sealed = self.context.vault.encrypt(self.layout, {**item, **kept})
        shown = {name: value for name, value in sealed.items() if name not in kept}
        return {**shown, KEPT: {"M": {name: sealed[name] for name in kept}}} if kept else shown


def _expected_version(write: Write, address: Address[Any]) -> int | None:
    """The version that a write expects: the one it names, or the one its entity was read with."""
    if isinstance(write, Create):
        return None
    given: int | None = getattr(write, "version", None)
    expected = address.version if given is None else given
    if expected is not None and not address.layout.marked(Version):
        raise InvalidWrite(f"{address.entity.__name__} has no Version field to compare with {expected}")
    return expected


def _condition(write: Write) -> Condition | None:
    when = getattr(write, "when", None)
    if when is not None and not isinstance(when, Condition):
        raise InvalidWrite(
            f"when={when!r} is no condition; compare a field of the class: User.status == 'ACTIVE'"
        )
    return when


def _undeclared(layout: Layout, found: Item) -> Item:
    """The attributes of an item that are no fields, but for its key."""
    stored = {field.stored for field in layout.fields.values()} | set(layout.table.key)
    return {name: value for name, value in found.items() if name not in stored}
