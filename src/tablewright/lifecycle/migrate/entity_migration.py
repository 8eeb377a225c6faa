"""EntityMigration: bringing the items of a class to what they shall be, with all that belongs to them.

Only attributes that change are written, and with them the keys of indexes, copies and locks that follow. Nothing of
somebody else's is touched: then the item is rejected.
"""

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.footprint import Dependent, Place, former_dependents, place_of
from tablewright.access.items.key_values import describe_key, key_of
from tablewright.access.items.upcasting import is_outdated
from tablewright.access.reads.item_reads import items_at
from tablewright.access.writes import actions
from tablewright.access.writes.actions import Edit, Step
from tablewright.access.writes.preconditions import DependentPrecondition
from tablewright.access.writes.targets import Address, address_of
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import DELETE, Change
from tablewright.design.fields.markers import Encrypted, Version
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import KEPT, OWNER, SCHEMA_VERSION
from tablewright.errors import UnknownItem
from tablewright.lifecycle.migrate.conditional_write import (
    Unchanged,
    Vacant,
    edited,
    owned_by,
    settle,
    unchanged,
)
from tablewright.lifecycle.migrate.conversions import Converted, NotConverted, Seen, convert
from tablewright.lifecycle.migrate.expected_state import (
    Expected,
    differs,
    expected,
    index_attributes,
    is_current,
    opened_as_far,
)
from tablewright.lifecycle.traversal.item_entities import is_main_item, require_keys
from tablewright.lifecycle.traversal.table_pass import Outcome
from tablewright.values.attributes import Item


@dataclass(frozen=True, slots=True)
class EntityMigration:
    """What is done to the main items of a class: a change, and all that follows from it.

    Without a change, items become what the class would write now. `is_down` takes what the change answers even when
    today's class does not accept it. `only` names the attributes that may be written; then copies follow, and no locks.
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
        """Do it to one item, if it concerns it."""
        table = self.layout.table
        if not is_main_item(self.design, self.layout, item) or is_expired(table, item, self.context.now()):
            return "same"
        return (yield from settle(self.context, table, item, self._steps, dry_run=self.dry_run))

    def _steps(self, found: Item) -> Procedure[Sequence[Step]]:
        before = opened_as_far(self.context, self.layout, found)
        is_old = is_outdated(self.layout, before)
        opened = self.context.decoder(self.layout).upcast(before) if is_old else before
        converted = Converted(opened)
        if self.change is not None:
            converted = yield from convert(self.context, self.name, self.change, opened)
        if converted.item is DELETE:
            return (yield from self._removal(found, before, converted))
        wanted = self._expected(converted.item)
        return (yield from self._writes(found, before, converted.item, wanted, converted.seen))

    def _expected(self, made: Item) -> Expected | None:
        try:
            return expected(self.context, self.layout, made, made)
        except UnknownItem:
            if self.is_down:
                return None
            raise

    def _writes(
        self, found: Item, before: Item, made: Item, wanted: Expected | None, seen: Sequence[Seen]
    ) -> Procedure[Sequence[Step]]:
        table = self.layout.table
        address = _address(self.layout, wanted)
        around = yield from self._dependents(found, before, wanted, address)
        desired = self._desired(found, made, wanted)
        sealed = self._sealed(found, before, desired)
        if any(differs(found[name], made.get(name)) for name in table.key):
            why = f"would move to {describe_key(key_of(table, made))}, where something lies already"
            moved = [
                actions.delete(self.context, table, key_of(table, found), unchanged(table, found)),
                actions.put(self.context, table, sealed, Vacant(table, why)),
            ]
            return [*moved, *around, *self._checks(seen, found)]
        names = {*found, *sealed} - set(table.key)
        edit = edited(found, sealed, differs, names if self.only is None else names & self.only)
        if not edit and not around:
            return []
        key, guard = key_of(table, found), unchanged(table, found, edit)
        edit = self._versioned(found, edit)
        main = actions.update(self.context, table, key, edit, guard) if edit else None
        return [main or actions.check(self.context, table, key, guard), *around, *self._checks(seen, found)]

    def _desired(self, found: Item, made: Item, wanted: Expected | None) -> Item:
        """The main item as it shall be: what it has by now, as the class writes it, and what follows."""
        derived = index_attributes(self.layout)
        own = {name: value for name, value in made.items() if name not in derived}
        if wanted is None:
            return own | {name: value for name, value in found.items() if name in derived}
        if not self.is_down:
            own = {name: wanted.main[name] for name in own if name in wanted.main}
            labels = (self.layout.table.discriminator, SCHEMA_VERSION)
            own |= {name: wanted.main[name] for name in labels if name in wanted.main}
        keys = {name: wanted.main[name] for name in wanted.index_attributes if name in wanted.main}
        return own | keys | {name: found[name] for name in wanted.undecided if name in found}

    def _sealed(self, found: Item, before: Item, desired: Item) -> Item:
        """The item with its secrets sealed; those that stay keep the seal they have."""
        if not self.layout.secrets:
            return desired
        sealed = self.context.vault.encrypt(self.layout, desired)
        moved = any(differs(found[name], desired.get(name)) for name in self.layout.table.key)
        for field, marker in self.layout.marked(Encrypted):
            bound = {field.stored, *(self.layout.fields[name].stored for name in marker.context)}
            stays = not any(differs(before.get(name), desired.get(name)) for name in bound)
            if stays and not moved and "B" in found.get(field.stored, {}):
                sealed[field.stored] = found[field.stored]
        return sealed

    def _versioned(self, found: Item, edit: Edit) -> Edit:
        """A version counts this write too, unless only keys of indexes follow."""
        if not {*edit.set, *edit.remove} - index_attributes(self.layout):
            return edit
        versions = {
            field.stored: {"N": str(int(found.get(field.stored, {}).get("N", "0")) + 1)}
            for field, _ in self.layout.marked(Version)
        }
        return Edit(edit.set | versions, edit.remove - versions.keys())

    def _dependents(
        self, found: Item, before: Item, wanted: Expected | None, address: Address[Entity]
    ) -> Procedure[list[Step]]:
        """The steps from the copies and locks that there are to those that shall be."""
        table, key = self.layout.table, key_of(self.layout.table, found)
        new = dict(wanted.dependents) if wanted else {}
        former = former_dependents(self.layout, before, self.context.vault) if wanted else {}
        places = {place: each for place, each in {**former, **new}.items() if self._follows(each)}
        if not places:
            return []
        stored = yield from items_at(
            self.context, table, [key_of(table, each.item) for each in places.values()]
        )
        now = self.context.now()
        writes: list[Step] = []
        for place, dependent in places.items():
            there = stored.get(place)
            is_ours = there is not None and there.get(OWNER) == {"M": key}
            guard = DependentPrecondition(address, now, dependent, key)
            if place not in new:
                if is_ours:
                    writes.append(actions.delete(self.context, table, key_of(table, dependent.item), guard))
            elif there is not None and not is_ours and not is_expired(table, there, now):
                raise NotConverted(f"{guard.blame(there)}{owned_by(there)}")
            elif there is None or not is_ours or not is_current(self.context, self.layout, dependent, there):
                item = encrypted_dependent(self.context, self.layout, dependent)
                writes.append(actions.put(self.context, table, item, guard))
        return writes

    def _follows(self, dependent: Dependent) -> bool:
        """Whether a copy or lock is to be looked after: all of them, or only copies in the indexes in question."""
        if self.only is None:
            return True
        copies = (copy for copy in self.layout.copies if copy.name == dependent.copy)
        indexed = {attribute for copy in copies for key in copy.indexes for attribute, _ in key.parts}
        return dependent.field is None and bool(self.only & {*indexed, *dependent.item})

    def _removal(self, found: Item, before: Item, converted: Converted) -> Procedure[Sequence[Step]]:
        """The steps that remove an item with its copies and locks."""
        table, key = self.layout.table, key_of(self.layout.table, found)
        places = former_dependents(self.layout, before, self.context.vault)
        with suppress(UnknownItem):  # then what its own words tell is all that is known
            places |= expected(self.context, self.layout, before, before).dependents
        stored = yield from items_at(
            self.context, table, [key_of(table, each.item) for each in places.values()]
        )
        address = _address(self.layout, None)
        gone = [
            actions.delete(
                self.context,
                table,
                key_of(table, places[place].item),
                DependentPrecondition(address, self.context.now(), places[place], key),
            )
            for place, item in stored.items()
            if item.get(OWNER) == {"M": key}
        ]
        main = actions.delete(self.context, table, key, unchanged(table, found))
        return [main, *gone, *self._checks(converted.seen, found)]

    def _checks(self, seen: Sequence[Seen], found: Item) -> Iterator[Step]:
        return checks(self.context, seen, (self.layout.table, place_of(self.layout.table, found)))


def checks(context: Context, seen: Sequence[Seen], own: tuple[object, Place]) -> Iterator[Step]:
    """Steps that hold to what was looked at besides the item itself."""
    for each in seen:
        if each.place != own:
            guard: Unchanged | Vacant = (
                Vacant(each.table) if each.item is None else unchanged(each.table, each.item)
            )
            yield actions.check(context, each.table, each.key, guard)


def encrypted_dependent(context: Context, layout: Layout, dependent: Dependent) -> Item:
    """A copy or lock as it is stored, also what a copy keeps out of sight."""
    item = dependent.item
    if dependent.field is not None or not layout.secrets:
        return item
    kept: Item = item[KEPT]["M"] if KEPT in item else {}
    sealed = context.vault.encrypt(layout, {**item, **kept})
    shown_ones = {name: value for name, value in sealed.items() if name not in kept}
    return {**shown_ones, KEPT: {"M": {name: sealed[name] for name in kept}}} if kept else shown_ones


def _address(layout: Layout, wanted: Expected | None) -> Address[Entity]:
    return Address(cast(type[Entity], layout.entity), {}) if wanted is None else address_of(wanted.entity)
