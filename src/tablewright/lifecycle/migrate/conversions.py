"""Convert an item with the function of a migration.

The function may look up other entities through its view. It is called again when an item that it looks up has to be
read first, so it must not have side effects.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Any, NamedTuple

from tablewright.access.context import Context
from tablewright.access.items.decoding import FAILURES
from tablewright.access.items.footprint import ComparableKey, comparable_key
from tablewright.access.items.item_values import differs, from_attribute, to_attribute
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes import actions
from tablewright.access.writes.actions import ItemAbsent, WriteAction, unchanged
from tablewright.access.writes.diff import ItemRejected
from tablewright.access.writes.values import Target, target_of
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import DELETE, Attributes, Change, Removal, takes_view
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import MigrationError

_IMMUTABLE = frozenset({str, int, bool, bytes, Decimal})


@dataclass(frozen=True, slots=True)
class Lookup:
    """Another item that the function looked up; None when it does not exist."""

    table: Table
    key: Item
    item: Item | None

    @property
    def identity(self) -> tuple[Table, ComparableKey]:
        """The table and key, in a form that can be compared."""
        return self.table, comparable_key(self.table, self.key)


class Converted(NamedTuple):
    """The converted item, or its removal, and the other items that it depends on."""

    item: Item | Removal
    lookups: tuple[Lookup, ...] = ()


def convert(context: Context, name: str, change: Change, decrypted: Item) -> Procedure[Converted]:
    """Return what a function makes of an item whose secrets are decrypted; raise `ItemRejected` when it fails."""
    if not takes_view(change):
        return Converted(_converted(name, change, decrypted))
    view = _View(context)

    def call(attributes: Attributes) -> Any:
        return change(attributes, view)

    while True:
        try:
            return Converted(_converted(name, call, decrypted), tuple(view.lookups.values()))
        except _LookupNeeded as needed:
            lookup = needed
        yield from view.read(lookup.table, lookup.key)


def checks(context: Context, converted: Converted, table: Table, item: Item) -> Iterator[WriteAction]:
    """Return actions that require the looked-up items to be as they were read; the item has its own condition."""
    for lookup in converted.lookups:
        if lookup.identity != (table, comparable_key(table, item)):
            precondition = (
                ItemAbsent(lookup.table) if lookup.item is None else unchanged(lookup.table, lookup.item)
            )
            yield actions.check(context, lookup.table, lookup.key, precondition)


class _LookupNeeded(Exception):
    """An item that a function looks up and that is not read yet."""

    def __init__(self, table: Table, key: Item) -> None:
        super().__init__()
        self.table = table
        self.key = key


class _View:
    """What a function can look up; each item is read once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.now: datetime = context.timestamp()
        self.lookups: dict[tuple[Table, ComparableKey], Lookup] = {}

    def find(self, entity: type[Entity], /, **key: Any) -> Attributes | None:
        """Return the attributes of another entity without its secrets, or None."""
        layout = entity.layout
        item_key = target_of(Target(entity, key)).key(self._context.vault)
        known = self.lookups.get((layout.table, comparable_key(layout.table, item_key)))
        if known is None:
            raise _LookupNeeded(layout.table, item_key)
        secret = {layout.fields[name].stored for name in layout.secrets}
        return None if known.item is None else _plain(known.item, secret)

    def read(self, table: Table, key: Item) -> Procedure[None]:
        """Read an item, so that `find` returns it."""
        lookup = Lookup(table, key, (yield from item_at(self._context, table, key)))
        self.lookups[lookup.identity] = lookup


def _converted(name: str, call: Callable[[Attributes], Any], decrypted: Item) -> Item | Removal:
    try:
        plain = _plain(decrypted)
        result = call(dict(plain))  # the function may change its argument
        if result is None or result is DELETE:
            return decrypted if result is None else DELETE
        made = _item(name, result, decrypted, plain)
        again = call(_plain_again(made, decrypted, plain))
    except FAILURES as error:
        text = str(error) or type(error).__name__
        raise ItemRejected(
            text if isinstance(error, ValueError) else f"{type(error).__name__}: {text}"
        ) from None
    if again is not None and (again is DELETE or _item(name, again, made) != made):
        raise MigrationError(
            f"the migration {name} changes an item again that it has already changed, so a second run would corrupt "
            "it; make its function return None for items that are done"
        )
    return made


def _item(name: str, result: Any, decrypted: Item, plain: Attributes | None = None) -> Item:
    """The returned attributes as attribute values; those that do not change keep their stored form.

    `plain` are the values that the function was given: the same object of an immutable type has not changed.
    """
    if not isinstance(result, dict):
        raise MigrationError(
            f"the function of the migration {name} returned {type(result).__name__}, not a dict of attributes"
        )
    attributes = plain or {}
    made: Item = {}
    for attribute, value in result.items():
        if value is None:
            continue
        if type(value) in _IMMUTABLE and attributes.get(attribute) is value:
            made[attribute] = decrypted[attribute]
            continue
        new = to_attribute(value)
        made[attribute] = new if differs(decrypted.get(attribute), new) else decrypted[attribute]
    return made


def _plain_again(made: Item, decrypted: Item, plain: Attributes) -> Attributes:
    """The made attributes as plain values; values of immutable types that did not change are not converted again."""
    return {
        name: plain[name]
        if value is decrypted.get(name) and type(plain[name]) in _IMMUTABLE
        else from_attribute(value)
        for name, value in made.items()
    }


def _plain(item: Item, without: Collection[str] = ()) -> Attributes:
    # Most values are strings: they are read without the cost of a call.
    return {
        name: value["S"] if "S" in value else from_attribute(value)
        for name, value in item.items()
        if name not in without
    }
