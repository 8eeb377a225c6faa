"""The undo log: what the latest transactions of the console changed, so that a new write can restore it.

The log is in memory. It holds items as they are stored, secrets included, and none of it is sent to the browser.
"""

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright.access.writes.write_capacity import MeteredChange
from tablewright.console.transaction_members import TransactionMember, conditioned, member_key
from tablewright.design.fields.markers import Version
from tablewright.design.layouts.layouts import Layout
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import UsageError

MOST_ENTRIES = 100


@dataclass(frozen=True)
class UndoneItem:
    """One item that a transaction changed."""

    table: Table
    name: str
    """The name of the table in the store."""
    key: Item
    before: Item | None
    after: Item | None
    layout: Layout | None
    known: tuple[str, ...] = ()
    """The attributes that items of the table may have; an undo is rejected if the item has gained one of them."""

    def member(self) -> TransactionMember:
        """Return the action that restores the item, if it is still as the transaction left it."""
        if self.before is None:
            assert self.after is not None
            return conditioned(
                TransactionMember(self.table, "Delete", {"TableName": self.name, "Key": self.key}),
                self.after,
                self.known,
            )
        member = TransactionMember(
            self.table, "Put", {"TableName": self.name, "Item": self._restored(self.before)}
        )
        if self.after is not None:
            return conditioned(member, self.after, self.known)
        absent = {
            "ConditionExpression": "attribute_not_exists(#key)",
            "ExpressionAttributeNames": {"#key": self.table.partition},
        }
        return TransactionMember(self.table, "Put", member.request | absent)

    def _restored(self, before: Item) -> Item:
        """Return the item as it was, with the next version: a writer that has read the later one must notice."""
        if self.after is None or self.layout is None:
            return before
        versions = {field.stored for field, _ in self.layout.marked(Version)} & self.after.keys()
        return before | {name: {"N": str(int(self.after[name]["N"]) + 1)} for name in versions}


class UndoLog:
    """The latest transactions, by their identifiers."""

    def __init__(self) -> None:
        self._entries: dict[str, list[UndoneItem]] = {}
        self._numbers = itertools.count(1)
        self._lock = threading.Lock()

    def add(self, items: Sequence[UndoneItem]) -> str:
        """Keep what a transaction changed; return its identifier."""
        with self._lock:
            name = str(next(self._numbers))
            self._entries[name] = [item for item in items if item.before != item.after]
            while len(self._entries) > MOST_ENTRIES:
                del self._entries[next(iter(self._entries))]
            return name

    def items(self, name: str) -> list[UndoneItem]:
        """Return what a transaction changed; `UsageError` if it is unknown, or was undone already."""
        with self._lock:
            if name not in self._entries:
                raise UsageError(
                    "this change can no longer be undone: it was undone already, or the console restarted"
                )
            return self._entries[name]

    def forget(self, name: str) -> None:
        """Forget a transaction that was undone."""
        with self._lock:
            self._entries.pop(name, None)


def undone_items(
    changes: Sequence[tuple[TransactionMember, MeteredChange]],
    names: dict[Table, str],
    layouts: Sequence[Layout | None],
    known: Callable[[Table, Layout | None], tuple[str, ...]],
) -> list[UndoneItem]:
    """Return the items of a transaction for the log; `known` returns the attributes that items of a table may have."""
    return [
        UndoneItem(
            member.table,
            names[member.table],
            member_key(member),
            change.before,
            change.after,
            layout,
            known(member.table, layout),
        )
        for (member, change), layout in zip(changes, layouts, strict=True)
        if member.kind != "ConditionCheck"
    ]
