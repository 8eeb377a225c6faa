"""Steps: one action on one item, under its guard. A write is one step or several."""

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

from tablewright.access.calls.procedures import Call
from tablewright.access.context import Context
from tablewright.access.expressions.aliases import Aliases
from tablewright.access.items.footprint import Place, place_of
from tablewright.access.writes.preconditions import Guard, MainPrecondition
from tablewright.design.fields.markers import Version
from tablewright.design.tables.tables import Table
from tablewright.values.attributes import AttributeValue, Item, normalise

Action: TypeAlias = Literal["Put", "Update", "Delete", "ConditionCheck"]

_RETURNS = {"Update": "ALL_NEW", "Delete": "ALL_OLD"}


@dataclass(frozen=True, slots=True)
class Edit:
    """What an update does to the attributes of an item."""

    set: Item
    remove: frozenset[str] = frozenset()
    increase: tuple[tuple[str, AttributeValue, AttributeValue], ...] = ()
    """Attribute, what it is when absent, what is added."""
    join: Item | None = None
    """Sets, and what is put into them."""

    def __bool__(self) -> bool:
        return bool(self.set or self.remove or self.increase or self.join)

    def expression(self, aliases: Aliases) -> str:
        """The update expression."""
        sets = [f"{aliases.name(name)} = {aliases.value(value)}" for name, value in self.set.items()]
        for name, start, amount in self.increase:
            alias = aliases.name(name)
            sets.append(f"{alias} = if_not_exists({alias}, {aliases.value(start)}) + {aliases.value(amount)}")
        removes = [aliases.name(name) for name in sorted(self.remove)]
        joins = [f"{aliases.name(name)} {aliases.value(value)}" for name, value in (self.join or {}).items()]
        clauses = (("SET", sets), ("REMOVE", removes), ("ADD", joins))
        return " ".join(f"{word} {', '.join(parts)}" for word, parts in clauses if parts)

    def shows_in(self, item: Item) -> bool:
        """Whether an item has what is set, lacks what is removed, and holds what is put into sets."""
        there = _plain(item)
        return (
            not self.remove & there.keys()
            and all(there.get(name) == value for name, value in _plain(self.set).items())
            and all(_holds(there.get(name), value) for name, value in _plain(self.join or {}).items())
        )


@dataclass(frozen=True, slots=True)
class Step:
    """One action, as it stands in a transaction."""

    action: Action
    table: Table
    key: Item
    request: dict[str, Any]
    guard: Guard
    edit: Edit | None = None
    """What an update changes."""

    @property
    def place(self) -> tuple[Table, Place]:
        """The item it is about, to compare with others."""
        return self.table, place_of(self.table, self.key)

    @property
    def can_be_repeated(self) -> bool:
        """Whether it can do no harm twice: all but adding to a number, unless it holds to a version.

        Versions only grow. That another value is as it was read does not say that nothing happened in between.
        """
        if self.edit is None or not self._counted:
            return True
        return isinstance(self.guard, MainPrecondition) and self.guard.version is not None

    @property
    def _counted(self) -> set[str]:
        """The numbers it adds to; a version may skip one."""
        counted = {name for name, _, _ in self.edit.increase} if self.edit else set()
        return counted - self._versions if counted else counted

    @property
    def _versions(self) -> set[str]:
        layout = self.guard.address.layout
        return {field.stored for field, _ in layout.marked(Version)}

    def leaves(self, found: Item | None) -> bool:
        """Whether an item is as this step leaves it; what was added to does not tell who did it."""
        match self.action:
            case "Put":
                return found is not None and _plain(found) == _plain(self.request["Item"])
            case "Update" if self.edit is not None:
                return bool(found) and not self._counted and self.edit.shows_in(found or {})
            case _:
                return not found

    def alone(self) -> Call:
        """The call that takes this step and no other."""
        if self.action == "Put":
            return Call("PutItem", self.request)
        return Call(f"{self.action}Item", {**self.request, "ReturnValues": _RETURNS[self.action]})


def put(context: Context, table: Table, item: Item, guard: Guard) -> Step:
    """Write an item as a whole."""
    key = {name: item[name] for name in table.key}
    return _step(context, "Put", table, key, {"Item": item}, Aliases(), guard)


def update(context: Context, table: Table, key: Item, edit: Edit, guard: Guard) -> Step:
    """Change some attributes of an item."""
    aliases = Aliases()
    members = {"Key": key, "UpdateExpression": edit.expression(aliases)}
    return replace(_step(context, "Update", table, key, members, aliases, guard), edit=edit)


def delete(context: Context, table: Table, key: Item, guard: Guard) -> Step:
    """Remove an item."""
    return _step(context, "Delete", table, key, {"Key": key}, Aliases(), guard)


def check(context: Context, table: Table, key: Item, guard: Guard) -> Step:
    """Look at an item."""
    return _step(context, "ConditionCheck", table, key, {"Key": key}, Aliases(), guard)


def _step(
    context: Context,
    action: Action,
    table: Table,
    key: Item,
    members: dict[str, Any],
    aliases: Aliases,
    guard: Guard,
) -> Step:
    request = {"TableName": context.table_name(table), **members}
    condition = guard.expression(context, aliases)
    if condition is not None:
        request["ConditionExpression"] = condition
        request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
    return Step(action, table, key, request | aliases.members(), guard)


def _plain(item: Item) -> Item:
    return {name: normalise(value) for name, value in item.items()}


def _holds(value: AttributeValue | None, joined: AttributeValue) -> bool:
    ((kind, members),) = joined.items()
    return value is not None and set(members) <= set(value.get(kind, ()))
