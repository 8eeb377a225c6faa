"""The change journal: the item that each change of a table replaced, for point-in-time recovery.

    JOURNAL   table, sequence number  ->  length of the key, key of the item, the old item (empty when there was none)

A table has a journal while point-in-time recovery is enabled, and while a job copies it. The effect `journal_change`
writes it in the transaction of the change. Undoing the journal in reverse, from its end back to a time, gives the table
as of that time: see `row_copies`.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import Effect, Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import JOURNAL
from tablewright.engine.core.state.sequence_numbers import number_of, position, sequence_at
from tablewright.engine.storage import ReadView

LONGEST = 35
"""The number of days that a journal covers."""
DAY = 24 * 3600

_KEY_LENGTH = 2
# Small transactions, so that no client waits long for the sweeper.
_ENTRIES_AT_ONCE = 1000


class JournalEntry(NamedTuple):
    """One change: the key of the item, and the replaced item."""

    number: int
    key: bytes
    old: StoredItem | None


def journal_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with a journal: record the replaced item."""
    if not is_journaled(definition):
        return None

    def journal(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        journal_change(tx, change, meter)

    return journal


def is_journaled(definition: Mapping[str, Any]) -> bool:
    """Whether every change of a table is recorded: recovery is enabled, or a job copies the table."""
    return bool(definition.get("Recovery") or definition.get("Copying"))


def journal_change(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
    """Record the replaced item."""
    table = change.table
    if change.old is change.new:
        return
    number = tx.state.sequences[JOURNAL].next(tx.rows, table.id, tx.now())
    head = len(change.key).to_bytes(_KEY_LENGTH, "big") + change.key
    old = change.old
    entry = StoredItem(head, 0) if old is None else StoredItem(head + old.raw, old.size)
    tx.rows.put(JOURNAL, position(table.id, number), entry)


def number_after(time: float) -> int:
    """The first number above all changes that were made up to a time, to the millisecond.

    >>> number_after(1_700_000_000.25)
    170000000025100000000
    """
    return sequence_at((round(time * 1000) + 1.5) / 1000)


def milliseconds_of(number: int) -> int:
    """The time of a sequence number, in milliseconds.

    >>> milliseconds_of(170000000025100000000)
    1700000000251
    """
    return number // sequence_at(0.001)


def entries(
    rows: ReadView, table: int, low: int, high: int | None = None, *, backward: bool = False
) -> Iterator[JournalEntry]:
    """The changes of a table with `low <= number < high`, in order or in reverse."""
    end = position(table + 1, 0) if high is None else position(table, high)
    for place, row in rows.range(JOURNAL, position(table, low), end, backward=backward):
        start = _KEY_LENGTH + int.from_bytes(row.raw[:_KEY_LENGTH], "big")
        old = StoredItem(row.raw[start:], row.size) if len(row.raw) > start else None
        yield JournalEntry(number_of(place), row.raw[_KEY_LENGTH:start], old)


def sweep_journals(sessions: Sessions) -> None:
    """Delete changes that are older than the recovery period of their tables."""
    while sessions.read(has_aged):
        sessions.write(lambda tx: trim(tx, _ENTRIES_AT_ONCE))


def has_aged(tx: Reading) -> bool:
    """Whether `trim` would delete anything."""
    return any(True for _ in _aged(tx))


def trim(tx: Writing, limit: int) -> None:
    """Delete up to `limit` changes that are older than the recovery period of their tables."""
    for key in list(islice(_aged(tx), limit)):
        tx.rows.delete(JOURNAL, key)


def _aged(tx: Reading) -> Iterator[bytes]:
    for table in tx.state.catalog.having("Recovery"):
        recovery = table.definition["Recovery"]
        if not table.definition.get("Copying"):
            oldest = sequence_at(tx.now() - recovery["Days"] * DAY)
            for key, _ in tx.rows.range(JOURNAL, position(table.id, 0), position(table.id, oldest)):
                yield key


def range_of(table: int) -> tuple[bytes, bytes]:
    """The range of the journal of a table, given by its id."""
    return position(table, 0), position(table + 1, 0)
