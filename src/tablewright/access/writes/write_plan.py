"""`WritePlan`: the actions of one write. `Planner`: what the plans of all kinds of writes need.

Actions that are computed from an item have the condition that the item is still as it was read. The actions of one
write are executed together.

An entity says in `writes` which writes it allows; others are rejected before anything is sent. A put and an upsert
create or update; a move deletes the entity under its old key and creates it under the new one.
"""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from typing import Any

from tablewright.access.condition_text import condition_matches
from tablewright.access.context import Context
from tablewright.access.items.decoding import is_outdated
from tablewright.access.items.footprint import (
    ComparableKey,
    Dependent,
    Footprint,
    footprint,
    former_dependents,
)
from tablewright.access.items.item_values import key_of
from tablewright.access.items.stored_forms import item_forms
from tablewright.access.items.vault import encrypted_item
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes.actions import MainPrecondition, ReadValues, WriteAction, entity_exists
from tablewright.access.writes.diff import computed_changes, dependent_action
from tablewright.access.writes.number_bounds import SumBound
from tablewright.access.writes.path_edits import Parent
from tablewright.access.writes.values import (
    Create,
    Delete,
    Move,
    Put,
    Target,
    Update,
    Upsert,
    Write,
    target_of,
)
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.descriptions import condition_source, describe_argument
from tablewright.design.fields.entity_attributes import Attribute
from tablewright.design.fields.markers import Unique, Version
from tablewright.design.layouts.layouts import ALL_WRITES, Layout
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import (
    ConditionNotMet,
    Contended,
    DoesNotExist,
    InvalidWrite,
    OutcomeUnknown,
    VersionConflict,
    WriteError,
)


@dataclass(frozen=True, slots=True)
class WritePlan:
    """The actions of one write; that of the main item comes first."""

    write: Write
    target: Target[Any]
    actions: tuple[WriteAction, ...]
    entity: Entity | None = None
    """The entity as it will be, where that is known."""


class Planner:
    """One write to plan: its target, its conditions, and the current time."""

    def __init__(
        self, context: Context, write: Write, target: Target[Any], *, is_retry: bool = False
    ) -> None:
        self.context = context
        self.write = write
        self.target = target
        self.layout = target.layout
        context.require_writable(self.layout)
        require_allowed(self.layout, write)
        if context.incomplete:
            _require_locks(context, self.layout, write)
        self.table = target.layout.table
        self.now = context.now()
        self.version = _expected_version(write, target)
        self.when = _condition(write)
        self.forms = target.forms
        """The values of the entity that are stored in another form than ours."""
        self.plans_again = isinstance(write, Put | Upsert)
        """Whether the write is planned again when the entity is created or deleted after it was read."""
        self.is_retry = is_retry
        """Whether an earlier plan of the write failed, because the item was not as the plan expected."""

    @cached_property
    def timestamp(self) -> datetime:
        """The time of the write, in whole milliseconds."""
        return self.context.timestamp()

    @cached_property
    def key(self) -> Item:
        """The primary key of the main item."""
        return self.target.key(self.context.vault)

    def plan(self, actions: Iterable[WriteAction], entity: Entity | None = None) -> WritePlan:
        """Return the plan."""
        return WritePlan(self.write, self.target, tuple(actions), entity)

    def precondition(
        self,
        present: bool,
        read: ReadValues | None = None,
        parents: tuple[Parent, ...] = (),
        bounds: tuple[SumBound, ...] = (),
    ) -> MainPrecondition:
        """Return the precondition of the main item: `present`, or absent or replaceable; and as it was read."""
        return MainPrecondition(
            self.target,
            self.now,
            "present" if present else "replaceable",
            self.version,
            read or {},
            self.when,
            self.plans_again,
            parents,
            bounds,
            self.condition_holds if bounds else None,
            self.forms,
        )

    def with_stored_forms(self) -> Procedure["Planner"]:
        """Return the planner, after an earlier plan has failed: it knows what is stored in another form than ours."""
        if self.when is not None or self.version is not None:
            item = yield from item_at(self.context, self.table, self.key)
            self.forms = item_forms(self.layout.entity, item or {})
        return self

    def condition_holds(self, item: Item) -> bool:
        """Return whether `when` holds for an item."""
        if self.when is None:
            return True
        ours = {name: {**form.ours} for name, form in self.forms.items() if item.get(name) == form.stored}
        return condition_matches(self.layout, self.when, {**item, **ours}, self.context.vault)

    def condition_not_met(self) -> ConditionNotMet:
        """Return the error for an entity that does not meet `when`."""
        assert self.when is not None
        name = self.layout.entity.__name__
        return ConditionNotMet(name, self.target.shown, self.when, condition_source(name, self.when))

    def read(self) -> Procedure[Item | None]:
        """Read the main item; None when the entity does not exist."""
        item = yield from item_at(self.context, self.table, self.key)
        return item if entity_exists(self.layout, item, self.now) else None

    def read_existing(self) -> Procedure[Item]:
        """Read the main item of an entity that must exist."""
        item = yield from self.read()
        if item is None:
            raise self.missing()
        return item

    def missing(self) -> WriteError:
        """Return the error for an entity that does not exist."""
        name, values, expected = self.layout.entity.__name__, self.target.shown, self.version
        if expected:
            return VersionConflict(name, values, expected, None)
        return DoesNotExist(name, values, "does not exist")

    def values_read(self, item: Item, names: Iterable[str]) -> ReadValues:
        """Return fields as they were read, for a precondition."""
        attributes = sorted(self.layout.fields[name].stored for name in names)
        return {name: item.get(name) for name in attributes if name not in self.table.key}

    def encrypted(self, item: Item) -> Item:
        """Return the item as it is stored."""
        return encrypted_item(self.context.vault, self.layout, item)

    def footprint(self, entity: Entity) -> Footprint:
        """Return the items of an entity."""
        return footprint(entity, self.context.vault)

    def stored_footprint(self, item: Item, old: Entity) -> Footprint:
        """Return the items of an entity that was read. Of an older version, only the keys of its dependents.

        What an older version stored in them is unknown, so none passes for what it should be now.
        """
        before = self.footprint(old)
        if not is_outdated(self.layout, item):
            return before
        dependents = {**former_dependents(self.layout, item, self.context.vault), **before.dependents}
        return before._replace(dependents=self._bare(dependents))

    def unreadable_footprint(self, item: Item) -> Footprint:
        """Return what is known of an entity whose values its class does not accept: the keys of its dependents."""
        dependents = former_dependents(self.layout, item, self.context.vault)
        return Footprint(self.layout, self.key, item, self._bare(dependents))

    def _bare(self, dependents: Mapping[ComparableKey, Dependent]) -> dict[ComparableKey, Dependent]:
        """Dependents with their keys only: what is stored in them is unknown."""
        return {
            key: dependent._replace(item=key_of(self.table, dependent.item))
            for key, dependent in dependents.items()
        }

    def dependent_actions(self, before: Footprint | None, after: Footprint | None) -> Iterator[WriteAction]:
        """Return the actions on copies and locks that lead from one footprint to another."""
        for change in computed_changes(before, after):
            yield dependent_action(self.context, self.target, self.now, change)


def outcome_unknown(write: Write) -> OutcomeUnknown:
    """Return the error for a write whose reply was lost."""
    target = target_of_write(write)
    return OutcomeUnknown(target.entity.__name__, target.shown)


def contended(write: Write) -> Contended:
    """Return the error for a write that other writers prevented in every attempt."""
    target = target_of_write(write)
    return Contended(
        target.entity.__name__, target.shown, "is changed by other writers in every attempt; try later"
    )


def target_of_write(write: Write) -> Target[Any]:
    """Return the target of a write."""
    return target_of(write.entity if isinstance(write, Create | Put | Upsert) else write.target)


def _expected_version(write: Write, target: Target[Any]) -> int | None:
    """The version that a write expects: the given one, or the one that its entity was read with."""
    if isinstance(write, Create):
        return None
    version: int | None = getattr(write, "version", None)
    expected = target.version if version is None else version
    if expected is not None and not target.layout.marked(Version):
        raise InvalidWrite(f"{target.entity.__name__} has no Version field to compare with {expected}")
    return expected


def _condition(write: Write) -> Condition | None:
    when = getattr(write, "when", None)
    if when is not None and not isinstance(when, Condition):
        fix = "compare a field of the class: User.status == 'ACTIVE'"
        if isinstance(when, bool):
            fix += "; Python evaluates `is None` itself, so write User.status.is_absent()"
        if isinstance(when, Attribute):
            fix = f"compare it: {when!r} == True"
        raise InvalidWrite(f"when= takes a condition, not {describe_argument(when)}; {fix}")
    return when


NEEDED: Mapping[type[Any], frozenset[str]] = {
    Create: frozenset(("create",)),
    Put: frozenset(("create", "update")),
    Update: frozenset(("update",)),
    Upsert: frozenset(("create", "update")),
    Delete: frozenset(("delete",)),
    Move: frozenset(("create", "delete")),
}
"""What each kind of write needs; checks need nothing."""


def require_allowed(layout: Layout, write: Write) -> None:
    """Raise InvalidWrite if the entity does not allow a write."""
    if layout.writes is ALL_WRITES:
        return
    missing = NEEDED.get(type(write), frozenset()) - layout.writes
    if missing:
        name, kind = layout.entity.__name__, type(write).__name__
        raise InvalidWrite(
            f"{kind} of {name} is not allowed: the class has writes={shown(layout.writes)}; "
            f"add {shown(missing)} to allow it{_instead(kind, layout)}"
        )


def _require_locks(context: Context, layout: Layout, write: Write) -> None:
    """Raise LayoutIncomplete if a write may create a duplicate of a stored entity that has no lock."""
    if "create" in NEEDED.get(type(write), ()):
        what = f"{type(write).__name__} of {layout.entity.__name__}"
        locks = (("lock", field.name) for field, _ in layout.marked(Unique))
        context.incomplete.require(layout, what, locks)


def require_batch_allowed(layout: Layout, write: Write) -> None:
    """Raise InvalidWrite if the entity does not allow a write, or allows no deletes: batches cannot exclude them."""
    require_allowed(layout, write)
    if "delete" not in layout.writes:
        raise InvalidWrite(
            f"{layout.entity.__name__} has writes={shown(layout.writes)}, and the right to write batches includes "
            "deleting; write it with create, put or transact"
        )


def shown(writes: frozenset[str]) -> str:
    """Writes as the class declares them.

    >>> shown(frozenset(("delete", "create")))
    '{"create", "delete"}'
    """
    return "{" + ", ".join(f'"{kind}"' for kind in ("create", "update", "delete") if kind in writes) + "}"


def _instead(kind: str, layout: Layout) -> str:
    return ", or use create" if kind in ("Put", "Upsert") and "create" in layout.writes else ""
