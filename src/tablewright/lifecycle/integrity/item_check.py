"""ItemCheck: looking at one item and at all that belongs to it, and saying what is wrong.

While others write, an item and its copies are not read in one moment, and seem to disagree. So whatever seems wrong is
read again, together, in a transaction, and only what is wrong then is problem.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from tablewright.access.calls.procedures import Procedure
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_expired
from tablewright.access.items.footprint import Dependent, has_dependents, is_dependent, is_lock, place_of
from tablewright.access.items.key_values import describe_key, key_of
from tablewright.access.items.upcasting import is_outdated
from tablewright.access.items.vault import NoVault, run_with_keys
from tablewright.access.reads.item_reads import items_at, items_together
from tablewright.access.writes import actions
from tablewright.access.writes.preconditions import DependentPrecondition
from tablewright.access.writes.targets import address_of
from tablewright.design.designs import Design
from tablewright.design.layouts.layouts import Layout
from tablewright.design.layouts.reserved_attributes import OWNER
from tablewright.design.tables.tables import Table
from tablewright.errors import SecretError, SecretShredded, UnknownItem
from tablewright.lifecycle.integrity.incomplete_items import is_incomplete
from tablewright.lifecycle.integrity.integrity_findings import Finding, Kind, Report
from tablewright.lifecycle.migrate.conditional_write import Vacant, edited, unchanged
from tablewright.lifecycle.migrate.entity_migration import encrypted_dependent
from tablewright.lifecycle.migrate.expected_state import Expected, differs, expected, is_current
from tablewright.lifecycle.traversal.item_entities import layouts_for
from tablewright.values.attributes import Item

LOOKS = 8
"""How often an item that others keep writing is looked at; then it is passed by, as it is in good hands."""
MOST_TOGETHER = 100


@dataclass(frozen=True, slots=True)
class _Verdict:
    """What an item is: an entity with what belongs to it, or something that is wrong, or nothing to look at."""

    wanted: Expected | None = None
    finding: Finding | None = None
    note: str | None = None


@dataclass(frozen=True, slots=True)
class ItemCheck:
    """Looks at the items of one table."""

    design: Design
    context: Context
    table: Table
    report: Report

    def findings(self, item: Item) -> Procedure[list[Finding]]:
        """What is wrong with an item, beyond doubt."""
        if is_expired(self.table, item, self.context.now()):
            return []
        if is_dependent(item):
            return (yield from self._of_dependent(item))
        return (yield from self._of_main(item))

    def _of_main(self, item: Item) -> Procedure[list[Finding]]:
        verdict = yield from run_with_keys(partial(self._judged, item))
        if verdict.note:
            self.report.note(verdict.note)
        suspicious = verdict.finding is not None
        if verdict.wanted is not None:
            keys = _dependent_keys(self.table, verdict.wanted)
            there = yield from items_at(self.context, self.table, keys)
            around = [there.get(place_of(self.table, key)) for key in keys]
            suspicious = bool((yield from self._compared(item, verdict.wanted, around)))
        if not suspicious:
            return []
        return (yield from self._confirmed(item))

    def _confirmed(self, item: Item) -> Procedure[list[Finding]]:
        """What is wrong with an item in one moment."""
        key = key_of(self.table, item)
        for _ in range(LOOKS):
            verdict = yield from run_with_keys(partial(self._judged, item))
            keys = _dependent_keys(self.table, verdict.wanted) if verdict.wanted else []
            found, around = yield from self._together(key, keys)
            if found is None or is_expired(self.table, found, self.context.now()):
                return []
            if found == item:
                if verdict.wanted is None:
                    return [verdict.finding] if verdict.finding else []
                return (yield from self._compared(found, verdict.wanted, around))
            item = found
        return []

    def _together(self, key: Item, keys: Sequence[Item]) -> Procedure[tuple[Item | None, list[Item | None]]]:
        """An item and those around it; when they are more than one transaction takes, the item was always the same."""
        (found,) = yield from items_together(self.context, self.table, [key])
        around: list[Item | None] = []
        for start in range(0, len(keys), MOST_TOGETHER - 1):
            part = keys[start : start + MOST_TOGETHER - 1]
            again, *more = yield from items_together(self.context, self.table, [key, *part])
            if again != found:
                return again, []  # which is not what was expected, so it is looked at anew
            around += more
        return found, around

    def _judged(self, item: Item) -> Procedure[_Verdict]:
        """What an item is by itself."""
        yield from ()
        layouts = layouts_for(self.design, self.table, item)
        if not layouts:
            return _Verdict(finding=self._stranger(item))
        for place, layout in enumerate(layouts, 1):
            if layout.secrets and isinstance(self.context.vault, NoVault):
                return _Verdict(note=f"{layout.entity.__name__} not looked into, as there are no keys")
            try:
                return self._as_entity(layout, item)
            except UnknownItem as refusal:
                if place == len(layouts):
                    return _Verdict(finding=self._misfit(layout, item, refusal))
            except SecretShredded:
                return _Verdict(note=f"{layout.entity.__name__} with a secret whose key was deleted")
            except SecretError as refusal:
                if is_incomplete(layout, item):
                    return _Verdict(finding=self._ghost(layout, item))
                problem = f"has a secret that cannot be read: {refusal}"
                return _Verdict(finding=self._finding(Kind.UNREADABLE_SECRET, item, problem, layout))
        raise AssertionError("the last class either reads an item or does not")

    def _as_entity(self, layout: Layout, item: Item) -> _Verdict:
        opened = self.context.decoder(layout).decrypted(item)
        wanted = expected(self.context, layout, item, opened)
        if is_outdated(layout, item):
            return _Verdict(note=f"{layout.entity.__name__} of an older version, to be migrated")
        return _Verdict(wanted)

    def _stranger(self, item: Item) -> Finding:
        """An item that says of itself that it is no entity of the design."""
        for entity in self.design.entities_of(self.table):
            if is_incomplete(entity.layout, item):
                return self._ghost(entity.layout, item)
        said = item.get(self.table.discriminator, {}).get("S")
        if said is None:
            problem = f"has no {self.table.discriminator}, and a key of no entity"
        else:
            problem = f"is of the type {said!r}, which no entity of {self.design.name} has"
        return self._finding(Kind.UNKNOWN, item, problem)

    def _misfit(self, layout: Layout, item: Item, refusal: UnknownItem) -> Finding:
        if is_incomplete(layout, item):
            return self._ghost(layout, item)
        return self._finding(Kind.UNKNOWN, item, refusal.reason, layout)

    def _ghost(self, layout: Layout, item: Item) -> Finding:
        left = sorted(item.keys() - set(self.table.key))
        problem = (
            f"is what an update left of a deleted {layout.entity.__name__}: {', '.join(left) or 'its key'}"
        )
        doing = [
            actions.delete(self.context, self.table, key_of(self.table, item), unchanged(self.table, item))
        ]
        return self._finding(Kind.INCOMPLETE, item, problem, layout, "delete it", doing)

    def _compared(
        self, item: Item, wanted: Expected, around: Sequence[Item | None]
    ) -> Procedure[list[Finding]]:
        """What is wrong with an entity, given what lies where its copies and locks belong."""
        return (yield from run_with_keys(lambda: self._differences(item, wanted, around)))

    def _differences(
        self, item: Item, wanted: Expected, around: Sequence[Item | None]
    ) -> Procedure[list[Finding]]:
        yield from ()
        found = [*self._stale_keys(item, wanted)]
        for dependent, there in zip(wanted.dependents.values(), around, strict=True):
            found += self._dependent_findings(item, wanted, dependent, there)
        return found

    def _stale_keys(self, item: Item, wanted: Expected) -> Iterator[Finding]:
        edit = edited(item, wanted.main, differs, wanted.index_attributes)
        if not edit:
            return
        names = ", ".join(sorted({*edit.set, *edit.remove}))
        key, guard = key_of(self.table, item), unchanged(self.table, item, edit)
        doing = [actions.update(self.context, self.table, key, edit, guard)]
        problem = f"has index keys that are not made of its fields: {names}"
        repair = f"set {names} as its fields say"
        yield self._finding(Kind.STALE_INDEX_KEYS, item, problem, wanted.layout, repair, doing)

    def _dependent_findings(
        self, item: Item, wanted: Expected, dependent: Dependent, there: Item | None
    ) -> Iterator[Finding]:
        layout, field = wanted.layout, dependent.field
        what = f"the lock of its {field.name}" if field else f"its copy {dependent.copy}"
        at = describe_key(key_of(self.table, dependent.item))
        is_free = there is None or is_expired(self.table, there, self.context.now())
        if not is_free and there and there.get(OWNER) != {"M": wanted.key}:
            kind = Kind.DUPLICATE if field else Kind.BLOCKED_COPY
            whose = describe_key(there[OWNER]["M"]) if OWNER in there else "something else"
            problem = f"cannot have {what} ({at}), which is that of {whose}"
            yield self._finding(kind, item, problem, layout)
            return
        if there is not None and not is_free and is_current(self.context, layout, dependent, there):
            return
        guard = DependentPrecondition(address_of(wanted.entity), self.context.now(), dependent, wanted.key)
        doing = [
            actions.check(self.context, self.table, wanted.key, unchanged(self.table, item)),
            actions.put(
                self.context, self.table, encrypted_dependent(self.context, layout, dependent), guard
            ),
        ]
        if is_free:
            kind = Kind.MISSING_LOCK if field else Kind.MISSING_COPY
            yield self._finding(kind, item, f"lacks {what} ({at})", layout, "write it", doing)
        else:
            problem = f"differs from {what} ({at})"
            yield self._finding(Kind.OUTDATED_COPY, item, problem, layout, "write the copy anew", doing)

    def _of_dependent(self, item: Item) -> Procedure[list[Finding]]:
        """Whether somebody still claims a copy or a lock."""
        owner_key: Item = item[OWNER].get("M", {})
        if owner_key.keys() != set(self.table.key):
            return [self._finding(Kind.UNKNOWN, item, f"names in {OWNER} an owner that cannot be")]
        owners = yield from items_at(self.context, self.table, [owner_key])
        owner = owners.get(place_of(self.table, owner_key))
        if (yield from self._is_claimed(item, owner)):
            return []
        found, owner = yield from items_together(
            self.context, self.table, [key_of(self.table, item), owner_key]
        )
        if found is None or found.get(OWNER) != item[OWNER] or (yield from self._is_claimed(found, owner)):
            return []
        return [self._orphan(found, owner, owner_key)]

    def _is_claimed(self, item: Item, owner: Item | None) -> Procedure[bool]:
        """Whether an owner has such a copy or lock; what cannot be read, or is of an older version, may have any."""
        if owner is None or is_expired(self.table, owner, self.context.now()):
            return False
        verdict = yield from run_with_keys(partial(self._judged, owner))
        if verdict.wanted is None:
            return True
        return place_of(self.table, item) in verdict.wanted.dependents

    def _orphan(self, item: Item, owner: Item | None, owner_key: Item) -> Finding:
        kind = Kind.ORPHAN_LOCK if is_lock(self.table, item) else Kind.ORPHAN_COPY
        why = "which does not exist" if owner is None else "which has no such"
        held = Vacant(self.table) if owner is None else unchanged(self.table, owner)
        doing = [
            actions.delete(self.context, self.table, key_of(self.table, item), unchanged(self.table, item)),
            actions.check(self.context, self.table, owner_key, held),
        ]
        problem = f"belongs to {describe_key(owner_key)}, {why}"
        return self._finding(kind, item, problem, None, "delete it", doing)

    def _finding(
        self,
        kind: Kind,
        item: Item,
        problem: str,
        layout: Layout | None = None,
        repair: str | None = None,
        doing: Sequence[actions.Step] = (),
    ) -> Finding:
        name = layout.entity.__name__ if layout else None
        key = key_of(self.table, item)
        return Finding(kind, self.context.table_name(self.table), key, problem, name, repair, doing)


def _dependent_keys(table: Table, wanted: Expected) -> list[Item]:
    if not has_dependents(wanted.layout):
        return []
    return [key_of(table, dependent.item) for dependent in wanted.dependents.values()]
