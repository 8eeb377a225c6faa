"""Conversions: what a migration's function makes of an item."""

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tablewright.access.calls.procedures import Call, Procedure
from tablewright.access.calls.retries import with_retries
from tablewright.access.context import Context
from tablewright.access.items.footprint import Place, place_of
from tablewright.access.items.upcasting import FAILURES
from tablewright.access.items.value_codec import from_attribute, to_attribute
from tablewright.access.writes.targets import Address, address_of
from tablewright.design.entities.entities import Entity
from tablewright.design.entities.migrations import DELETE, Attributes, Change, Removal, takes_view
from tablewright.design.tables.tables import Table
from tablewright.errors import MigrationError
from tablewright.lifecycle.migrate.expected_state import differs
from tablewright.values.attributes import Item


class NotConverted(Exception):
    """An item that a migration does not take; the message says why."""


@dataclass(frozen=True, slots=True)
class Seen:
    """An item that a migration looked at besides the one it changes; None when there was none."""

    address: Address[Any]
    key: Item
    item: Item | None

    @property
    def table(self) -> Table:
        """Where it lies."""
        return self.address.layout.table

    @property
    def place(self) -> tuple[Table, Place]:
        """The item, to compare with others."""
        return self.table, place_of(self.table, self.key)


@dataclass(frozen=True, slots=True)
class Converted:
    """What came of an item, and what that hangs on."""

    item: Item | Removal
    seen: tuple[Seen, ...] = ()


def convert(context: Context, name: str, change: Change, opened: Item) -> Procedure[Converted]:
    """What a function makes of an item whose secrets are open; `NotConverted` when it refuses."""
    view = _View(context)
    ask_it: Callable[[Attributes], Any] = (
        (lambda attributes: change(attributes, view)) if takes_view(change) else change
    )
    while True:
        try:
            return Converted(_converted(name, ask_it, opened), tuple(view.seen.values()))
        except _Needed as needed:
            address, key = needed.address, needed.key
        yield from view.look(address, key)


class _Needed(Exception):
    """An item that a function wants to see, and that is not read yet."""

    def __init__(self, address: Address[Any], key: Item) -> None:
        super().__init__()
        self.address = address
        self.key = key


class _View:
    """What a function may see; what it has seen is read once."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self.now: datetime = context.timestamp()
        self.seen: dict[tuple[Table, Place], Seen] = {}

    def find(self, entity: type[Entity], /, **key: Any) -> Attributes | None:
        """Another entity's attributes; secrets are left out."""
        address = address_of(Address(entity, key))
        wanted = address.key(self._context.vault)
        layout = entity.layout
        seen = self.seen.get((layout.table, place_of(layout.table, wanted)))
        if seen is None:
            raise _Needed(address, wanted)
        secret = {layout.fields[name].stored for name in layout.secrets}
        return None if seen.item is None else _plain(seen.item, secret)

    def look(self, address: Address[Any], key: Item) -> Procedure[None]:
        """Read an item."""
        table = address.layout.table
        request = {"TableName": self._context.table_name(table), "Key": key, "ConsistentRead": True}
        reply = yield from with_retries(Call("GetItem", request))
        seen = Seen(address, key, reply.get("Item"))
        self.seen[seen.place] = seen


def _converted(name: str, ask_it: Callable[[Attributes], Any], opened: Item) -> Item | Removal:
    try:
        answer = ask_it(_plain(opened))
        if answer is None or answer is DELETE:
            return opened if answer is None else DELETE
        made = _item(name, answer, opened)
        again = ask_it(_plain(made))
    except FAILURES as refusal:
        told = str(refusal) or type(refusal).__name__
        raise NotConverted(
            told if isinstance(refusal, ValueError) else f"{type(refusal).__name__}: {told}"
        ) from None
    if again is not None and (again is DELETE or _item(name, again, made) != made):
        raise MigrationError(
            f"the migration {name} would change again what it has changed, so a second run would spoil it; "
            "let its function leave alone what is done"
        )
    return made


def _item(name: str, answer: Any, opened: Item) -> Item:
    """What was answered, as attribute values; those that stay are as they were."""
    if not isinstance(answer, dict):
        raise MigrationError(
            f"the migration {name} answered {type(answer).__name__}, not a dict of attributes"
        )
    made = {attribute: to_attribute(value) for attribute, value in answer.items() if value is not None}
    return {
        attribute: value if differs(opened.get(attribute), value) else opened[attribute]
        for attribute, value in made.items()
    }


def _plain(item: Item, without: Collection[str] = ()) -> Attributes:
    return {name: from_attribute(value) for name, value in item.items() if name not in without}
