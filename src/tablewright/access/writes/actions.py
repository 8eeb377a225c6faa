"""Actions: one conditional operation on one item. A write is executed as one action or several.

A precondition is what must be true of the item for an action, and which error is raised when it is not. It writes its
condition expression, and judges the item that DynamoDB found instead. When the item has only changed since it was read,
there is no error: the write is planned again.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from itertools import islice
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from tablewright.access.condition_text import Aliases, condition_text
from tablewright.access.context import Context
from tablewright.access.items.decoding import FIVE_YEARS, is_expired
from tablewright.access.items.footprint import ComparableKey, Dependent, comparable_key
from tablewright.access.items.item_values import describe_key, key_of
from tablewright.access.items.stored_forms import has_more_forms, stored_version
from tablewright.access.procedures import Call
from tablewright.access.writes.automatic_fields import check_expiry
from tablewright.access.writes.number_bounds import SumBound
from tablewright.access.writes.path_edits import Parent, PathEdit, in_order, path_text, value_at
from tablewright.access.writes.values import Target
from tablewright.deferred_dataclasses import dataclass
from tablewright.design.fields.conditions import Condition
from tablewright.design.fields.descriptions import condition_source
from tablewright.design.fields.markers import Version
from tablewright.design.layouts.layouts import OWNER, FieldLayout, Layout, StoredForms
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    CopyBlocked,
    DoesNotExist,
    InvalidWrite,
    OutOfBounds,
    TablewrightError,
    UniqueViolation,
    VersionConflict,
)

ReadValues: TypeAlias = Mapping[str, AttributeValue | None]
"""Attributes as they were read; None for those that were absent."""

MOST_COMPARED = 120
"""Attributes that one condition can compare: DynamoDB takes 300 operators."""
_MOST_ABSENT = 60
"""Attributes among them that can be required to be absent, whose text is longer: an expression has 4 KB."""


class Precondition(Protocol):
    """What must be true of one item."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return the condition expression, or None when there is no condition."""

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return the error for the item that was found; None when it has only changed since it was read."""


@dataclass(frozen=True, slots=True)
class MainPrecondition:
    """What must be true of the main item of an entity."""

    target: Target[Any]
    now: float
    state: Literal["absent", "present", "replaceable"]
    """absent: no item is stored. present: the entity is stored. replaceable: no item of another type is stored.

    An expired item counts as absent.
    """
    version: int | None = None
    """The version it must have; 0 is an entity that was never written, or was written before it had a version."""
    read: ReadValues = field(default_factory=dict)
    when: Condition | None = None
    was_read: bool = False
    """The entity was read. If it was created or deleted since, the write is planned again."""
    parents: tuple[Parent, ...] = ()
    """The maps and lists that must exist. When one is absent, the item is read and the write is planned again."""
    bounds: tuple[SumBound, ...] = ()
    """The limits of numbers that are added to."""
    condition_holds: Callable[[Item], bool] | None = None
    """Whether `when` holds for an item; needed only where there are bounds."""
    forms: StoredForms = field(default_factory=dict)
    """The values of the entity that are stored in another form than ours, as far as they are known."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return the state, version, read values and condition, joined with AND."""
        layout = self.target.layout
        state = self._state(aliases)
        if self.version is None and not (self.read or self.parents or self.bounds) and self.when is None:
            return state
        clauses = [state]
        if self.version is not None:
            clauses.append(self._version_text(aliases))
        clauses += [_equals(aliases, name, value) for name, value in self.read.items()]
        for path, kind in self.parents:
            clauses.append(f"attribute_type({path_text(aliases, path)}, {aliases.value({'S': kind})})")
        clauses += [bound.text(aliases) for bound in self.bounds]
        if self.when is not None:
            clauses.append(condition_text(layout, self.when, aliases, context.vault, self.forms))
        return _joined("AND", [clause for clause in clauses if clause])

    def _version_text(self, aliases: Aliases) -> str:
        attribute = version_field(self.target.layout).stored
        written = {"N": str(self.version)} if self.version else None
        text = _equals(aliases, attribute, written)
        form = self.forms.get(attribute)
        if form is None or form.ours != written:
            return text
        return f"({text}) OR ({_equals(aliases, attribute, {**form.stored})})"

    def _state(self, aliases: Aliases) -> str | None:
        layout = self.target.layout
        table = layout.table
        if self.state == "replaceable" and layout.type_name is None:
            return None
        partition = aliases.name(table.partition)
        typed = []
        if self.state != "absent" and layout.type_name is not None:
            typed = [_equals(aliases, table.discriminator, {"S": layout.type_name})]
        match self.state:
            case "absent":
                return _joined(
                    "OR", [f"attribute_not_exists({partition})", *_expired(aliases, table, self.now)]
                )
            case "present":
                alive = [f"NOT ({clause})" for clause in _expired(aliases, table, self.now)]
                return _joined("AND", [f"attribute_exists({partition})", *typed, *alive])
            case "replaceable":
                return _joined("OR", [f"attribute_not_exists({partition})", *typed])

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return the most serious error."""
        layout = self.target.layout
        name, key = self.target.entity.__name__, self.target.shown
        exists = entity_exists(layout, item, self.now)
        if self.version is not None:
            stored = (item or {}).get(version_field(layout).stored)
            seen = stored_version(stored) if exists else None
            if (seen or 0) != self.version:
                return VersionConflict(name, key, self.version, seen)
        if self.state == "present" and not exists:
            return None if self.was_read else DoesNotExist(name, key, "does not exist")
        if item and self.state != "present" and not _has_type(layout, item):
            return AlreadyExists(
                name, key, "cannot be written: an item of another type is stored under its key"
            )
        if self.state == "absent":
            return None if self.was_read else AlreadyExists(name, key, "already exists")
        if any((item or {}).get(attribute) != value for attribute, value in self.read.items()):
            return None
        if any(kind not in (value_at(item or {}, path) or {}) for path, kind in self.parents):
            return None
        broken = next((bound for bound in self.bounds if not bound.is_met(item or {})), None)
        if broken is not None and (self.condition_holds is None or self.condition_holds(item or {})):
            return OutOfBounds(name, key, broken.field.name, broken.problem(item or {}))
        if self.when is None or has_more_forms(self.target.entity, item or {}, self.forms):
            return None
        return ConditionNotMet(name, key, self.when, condition_source(name, self.when))


class DependentPrecondition(NamedTuple):
    """What must be true where a copy or lock is stored: no item, an expired one, or one of the same entity."""

    target: Target[Any]
    now: float
    dependent: Dependent
    mark: Item
    """The attributes by which the stored item shows its owner."""
    is_held: bool = False
    """The entity has the unique value already, so that a lock without an owner is its lock."""
    is_removal: bool = False
    """The item is deleted. If it belongs to another entity, the write is planned again, and leaves it."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return: absent, owned by the entity, without an owner if the entity holds it, or expired."""
        table = self.target.layout.table
        absent = f"attribute_not_exists({aliases.name(table.partition)})"
        owned = _joined(
            "AND",
            [*self._typed(aliases), *(_equals(aliases, name, value) for name, value in self.mark.items())],
        )
        clauses = [
            absent,
            *([owned] if owned else []),
            *self._without_owner(aliases),
            *_expired(aliases, table, self.now),
        ]
        return _joined("OR", clauses)

    def _without_owner(self, aliases: Aliases) -> list[str]:
        """The condition that the item is a lock that other programs wrote without the attributes of its owner."""
        lock = self.dependent.lock
        if lock is None or not self.is_held:
            return []
        absent = [_equals(aliases, name, None) for name in lock.owner]
        joined = _joined("AND", [*self._typed(aliases), *absent])
        return [joined] if joined else []

    def _typed(self, aliases: Aliases) -> list[str]:
        """The condition that a lock has its type: an owner of another class can have the same attributes."""
        lock, table = self.dependent.lock, self.target.layout.table
        if lock is None or lock.type_name is None:
            return []
        return [_equals(aliases, table.discriminator, {"S": lock.type_name})]

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return that another entity has the unique value, or that another item is stored where the copy belongs."""
        if self.is_removal:
            return None
        name, key = self.target.entity.__name__, self.target.shown
        if self.dependent.field is not None:
            return UniqueViolation(
                name, key, self.dependent.field.name, self.dependent.value, self.dependent.within
            )
        return CopyBlocked(name, key, self.dependent.copy)


class ItemUnchanged(NamedTuple):
    """An item must be as it was read, whatever it is."""

    table: Table
    read: ReadValues

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return: the item exists, and each attribute has the value that was read."""
        clauses = [f"attribute_exists({aliases.name(self.table.partition)})"]
        return " AND ".join([*clauses, *(_equals(aliases, name, value) for name, value in self.read.items())])

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return None: the item has changed since it was read."""
        return None


@dataclass(frozen=True, slots=True)
class ItemAbsent:
    """No item may be stored under a key. `problem` is the error when one is; without it, the write is planned again."""

    table: Table
    problem: str = ""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return: no item exists."""
        return f"attribute_not_exists({aliases.name(self.table.partition)})"

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return the problem, if there is one."""
        return InvalidWrite(self.problem) if self.problem else None


@dataclass(frozen=True, slots=True)
class Unconditional:
    """Nothing must be true of the item."""

    def expression(self, context: Context, aliases: Aliases) -> str | None:
        """Return None: there is no condition."""
        return None

    def failure(self, item: Item | None) -> TablewrightError | None:
        """Return None: there is no condition that can fail."""
        return None


def unchanged(
    table: Table, item: Item, edited: Iterable[str] = (), *, known: Iterable[str] = ()
) -> ItemUnchanged:
    """Return the precondition that an item is as it was read. The edited attributes are compared first.

    What deletes or replaces the whole item names the attributes that the item may have, `known`: those that it lacks
    must still be absent, so that no attribute is lost which another writer has added. DynamoDB cannot compare whole
    items: an attribute that is not named is not noticed. An item with more attributes than a condition can compare is
    compared in part.
    """
    read = {name: item.get(name) for name in (*edited, *item) if name not in table.key}
    if known:
        lacking = [name for name in dict.fromkeys(known) if name not in item and name not in read]
        read |= dict.fromkeys(lacking[:_MOST_ABSENT])
    if len(read) > MOST_COMPARED:
        read = dict(islice(read.items(), MOST_COMPARED))
    return ItemUnchanged(table, read)


def owner_text(item: Item | None) -> str:
    """Return the owner of a copy or lock for messages: ` (PK = 'USER#u1')`, or nothing."""
    owner: Item | None = item.get(OWNER, {}).get("M") if item else None
    if not owner:  # another program may have written anything there
        return ""
    # Some endpoints return the entries of a map in any order.
    return f" ({describe_key(dict(sorted(owner.items())))})"


def version_field(layout: Layout) -> FieldLayout:
    """Return the field that counts versions."""
    ((field, _),) = layout.marked(Version)
    return field


def entity_exists(layout: Layout, item: Item | None, now: float) -> bool:
    """Return whether an item is an entity of the class and has not expired."""
    if not item:
        return False
    return _has_type(layout, item) and not is_expired(layout.table, item, now)


def _has_type(layout: Layout, item: Item) -> bool:
    return layout.type_name is None or item.get(layout.table.discriminator) == {"S": layout.type_name}


def _equals(aliases: Aliases, attribute: str, value: AttributeValue | None) -> str:
    if value is None:
        return f"attribute_not_exists({aliases.name(attribute)})"
    return f"{aliases.name(attribute)} = {aliases.value(value)}"


def _expired(aliases: Aliases, table: Table, now: float) -> list[str]:
    if table.ttl is None:
        return []
    low, high = ({"N": str(int(time))} for time in (now - FIVE_YEARS + 1, now))
    return [f"{aliases.name(table.ttl)} BETWEEN {aliases.value(low)} AND {aliases.value(high)}"]


def _joined(operator: Literal["AND", "OR"], clauses: list[str]) -> str | None:
    if len(clauses) < 2:
        return clauses[0] if clauses else None
    return f" {operator} ".join(f"({clause})" for clause in clauses)


ActionKind: TypeAlias = Literal["Put", "Update", "Delete", "ConditionCheck"]

_RETURN_VALUES = {"Update": "ALL_NEW", "Delete": "ALL_OLD"}


class ItemEdit(NamedTuple):
    """What an update changes in the attributes of an item."""

    set: Item
    remove: frozenset[str] = frozenset()
    increase: tuple[tuple[str, AttributeValue, AttributeValue], ...] = ()
    """For each number: the attribute, its value when it is absent, and the amount to add."""
    join: Item | None = None
    """For each set: the attribute, and the members to add."""
    versions: tuple[str, ...] = ()
    """The attributes of `Version` fields, which the update increases by one."""
    paths: tuple[PathEdit, ...] = ()
    """Changes inside of attributes, and those that DynamoDB computes from the stored value."""
    accumulates: bool = False
    """Whether a value that is set was computed by adding to the value that was read."""

    def __bool__(self) -> bool:
        return bool(self.set or self.remove or self.increase or self.join or self.versions or self.paths)

    @property
    def is_repeatable(self) -> bool:
        """Whether executing it twice does no harm."""
        return not (self.increase or self.accumulates) and all(path.is_repeatable for path in self.paths)

    @property
    def parents(self) -> tuple[Parent, ...]:
        """The maps and lists that must exist around the changed values, each once."""
        return tuple(dict.fromkeys(path.parent for path in self.paths if path.parent))

    def expression(self, aliases: Aliases) -> str:
        """Return the update expression."""
        sets = [f"{aliases.name(name)} = {aliases.value(value)}" for name, value in self.set.items()]
        counts = [(name, {"N": "0"}, {"N": "1"}) for name in self.versions]
        for name, start, amount in (*self.increase, *counts):
            alias = aliases.name(name)
            sets.append(f"{alias} = if_not_exists({alias}, {aliases.value(start)}) + {aliases.value(amount)}")
        removes = [aliases.name(name) for name in sorted(self.remove)]
        joins = [f"{aliases.name(name)} {aliases.value(value)}" for name, value in (self.join or {}).items()]
        deletes: list[str] = []
        clauses = {"SET": sets, "REMOVE": removes, "ADD": joins, "DELETE": deletes}
        for path in in_order(self.paths):
            clauses[path.clause].append(path.text(aliases))
        return " ".join(f"{word} {', '.join(parts)}" for word, parts in clauses.items() if parts)

    def is_applied_to(self, item: Item) -> bool:
        """Return whether an item has what is set and joined, and lacks what is removed."""
        if not all(path.is_applied_to(item) for path in self.paths):
            return False
        stored = _normalised(item)
        return (
            not self.remove & stored.keys()
            and all(stored.get(name) == value for name, value in _normalised(self.set).items())
            and all(
                _contains(stored.get(name), value) for name, value in _normalised(self.join or {}).items()
            )
        )


class WriteAction(NamedTuple):
    """One conditional operation on one item."""

    kind: ActionKind
    table: Table
    key: Item
    precondition: Precondition
    context: Context
    item: Item | None = None
    """What a put writes."""
    edit: ItemEdit | None = None
    """What an update changes."""

    @property
    def request(self) -> dict[str, Any]:
        """The action in the form of a member of a transaction; made when it is needed."""
        aliases = Aliases()
        request: dict[str, Any] = {"TableName": self.context.table_name(self.table)}
        if self.item is not None:
            request["Item"] = self.item
        else:
            request["Key"] = self.key
        if self.edit is not None:
            request["UpdateExpression"] = self.edit.expression(aliases)
        condition = self.precondition.expression(self.context, aliases)
        if condition is not None:
            request["ConditionExpression"] = condition
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        return request | aliases.members()

    @property
    def identity(self) -> tuple[Table, ComparableKey]:
        """The table and key of the item, in a form that can be compared."""
        return self.table, comparable_key(self.table, self.key)

    @property
    def is_repeatable(self) -> bool:
        """Whether executing it twice does no harm: all actions but additions without a version condition.

        Additions are those to a number or a list; an index of a list element counts as one.

        Versions only grow, so a condition on the version fails the second time. A condition on another value does
        not prove that nothing happened in between.
        """
        if self.edit is None or self.edit.is_repeatable:
            return True
        return isinstance(self.precondition, MainPrecondition) and self.precondition.version is not None

    def is_applied_to(self, stored: Item | None) -> bool:
        """Return whether an item is in the state that this action leaves; a sum does not show who added to it."""
        match self.kind:
            case "Put":
                return stored is not None and _normalised(stored) == _normalised(self.item or {})
            case "Update" if self.edit is not None:
                return bool(stored) and self.edit.is_repeatable and self.edit.is_applied_to(stored or {})
            case _:
                return not stored

    def call(self, *, returns_item: bool = True) -> Call:
        """Return the call that executes this action alone, without a transaction."""
        if self.kind == "Put" or not returns_item:
            return Call(f"{self.kind}Item", self.request)
        return Call(f"{self.kind}Item", {**self.request, "ReturnValues": _RETURN_VALUES[self.kind]})


def put(context: Context, table: Table, item: Item, precondition: Precondition) -> WriteAction:
    """Write an item as a whole."""
    check_expiry(table, item, _layout(precondition))
    return put_dependent(context, table, item, precondition)


def put_dependent(context: Context, table: Table, item: Item, precondition: Precondition) -> WriteAction:
    """Write a copy or a lock as a whole; its expiry is that of the main item."""
    return WriteAction("Put", table, key_of(table, item), precondition, context, item)


def update(
    context: Context, table: Table, key: Item, edit: ItemEdit, precondition: Precondition
) -> WriteAction:
    """Change some attributes of an item."""
    added = {name: amount for name, _, amount in edit.increase}
    replaced = {str(path.path[0]): path.value for path in edit.paths if len(path.path) == 1 and path.value}
    for attributes in (edit.set, added, replaced):
        check_expiry(table, attributes, _layout(precondition))
    return WriteAction("Update", table, key, precondition, context, edit=edit)


def delete(context: Context, table: Table, key: Item, precondition: Precondition) -> WriteAction:
    """Delete an item."""
    return WriteAction("Delete", table, key, precondition, context)


def check(context: Context, table: Table, key: Item, precondition: Precondition) -> WriteAction:
    """Check an item and write nothing."""
    return WriteAction("ConditionCheck", table, key, precondition, context)


def _layout(precondition: Precondition) -> Layout | None:
    return precondition.target.layout if isinstance(precondition, MainPrecondition) else None


def _normalised(item: Item) -> Item:
    return {name: normalise(value) for name, value in item.items()}


def _contains(value: AttributeValue | None, joined: AttributeValue) -> bool:
    ((kind, members),) = joined.items()
    return value is not None and set(members) <= set(value.get(kind, ()))
