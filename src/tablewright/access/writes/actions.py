"""Actions: one conditional operation on one item. A write is executed as one action or several."""

from typing import Any, Literal, NamedTuple, TypeAlias

from tablewright.access.calls.procedures import Call
from tablewright.access.condition_text import Aliases
from tablewright.access.context import Context
from tablewright.access.items.decoding import check_expiry
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.key_values import key_of
from tablewright.access.writes.path_edits import Parent, PathEdit, in_order
from tablewright.access.writes.preconditions import MainPrecondition, Precondition
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import AttributeValue, Item, normalise

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

    def is_applied_to(self, found: Item | None) -> bool:
        """Return whether an item is in the state that this action leaves; a sum does not show who added to it."""
        match self.kind:
            case "Put":
                return found is not None and _normalised(found) == _normalised(self.item or {})
            case "Update" if self.edit is not None:
                return bool(found) and self.edit.is_repeatable and self.edit.is_applied_to(found or {})
            case _:
                return not found

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
    given = {str(path.path[0]): path.value for path in edit.paths if len(path.path) == 1 and path.value}
    for attributes in (edit.set, added, given):
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
