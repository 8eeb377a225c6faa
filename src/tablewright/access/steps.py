"""Steps: one action on one item, under its guard. A write is one step or several."""

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tablewright.access.aliases import Aliases
from tablewright.access.contexts import Context
from tablewright.access.conversations import Call
from tablewright.access.footprints import Place, place_of
from tablewright.access.guards import Guard, MainGuard
from tablewright.design.tables import Table
from tablewright.values.attributes import AttributeValue, Item

Action: TypeAlias = Literal["Put", "Update", "Delete", "ConditionCheck"]

_RETURNS = {"Put": "NONE", "Update": "ALL_NEW", "Delete": "ALL_OLD"}


@dataclass(frozen=True, slots=True)
class Step:
    """One action, as it stands in a transaction."""

    action: Action
    table: Table
    key: Item
    request: dict[str, Any]
    guard: Guard

    @property
    def place(self) -> tuple[Table, Place]:
        """The item it is about, to compare with others."""
        return self.table, place_of(self.table, self.key)

    @property
    def can_be_repeated(self) -> bool:
        """Whether twice is as good as once, so that it may be sent again when its fate is not known."""
        guard = self.guard
        return (
            self.action in ("Put", "Delete")
            and isinstance(guard, MainGuard)
            and guard.state == "replaceable"
            and guard.when is None
            and guard.version is None
        )

    def alone(self) -> Call:
        """The call that takes this step and no other."""
        return Call(f"{self.action}Item", {**self.request, "ReturnValues": _RETURNS[self.action]})


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


def put(context: Context, table: Table, item: Item, guard: Guard) -> Step:
    """Write an item as a whole."""
    key = {name: item[name] for name in table.key}
    return _step(context, "Put", table, key, {"Item": item}, Aliases(), guard)


def update(context: Context, table: Table, key: Item, edit: Edit, guard: Guard) -> Step:
    """Change some attributes of an item."""
    aliases = Aliases()
    members = {"Key": key, "UpdateExpression": edit.expression(aliases)}
    return _step(context, "Update", table, key, members, aliases, guard)


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
