"""Item history: the earlier versions of items, from the change journal of a table with point-in-time recovery.

The journal has the replaced item of each change, in the order of the changes. So the journal is read from its newest
entry backward: the item after a change is the item that the next newer change of the same key replaced, or the stored
item if there is none.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.key_bytes import after, partition
from tablewright.dynamodb.values.stored_items import StoredItem, to_python
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.key_schema import MISMATCH, require_hash_size
from tablewright.engine.core.state.sequence_numbers import numeral, sequence_at
from tablewright.engine.features.backups import change_journal
from tablewright.engine.features.backups.change_journal import (
    DAY,
    JournalEntry,
    milliseconds_of,
    number_after,
)
from tablewright.engine.features.backups.point_in_time_recovery import window
from tablewright.errors import ValidationError

MOST_ENTRIES = 300_000
"""Journal entries that one call reads, at most: it runs in one snapshot."""
MOST_ITEMS = 1000

History = dict[str, Any]


def item_changes(
    tx: Reading, name: str, key: Item, until: float | None = None, before: str | None = None, limit: int = 100
) -> History:
    """The changes of an item, of a partition (a key without its sort key) or of a table (an empty key), newest first.

    `until` leaves out later changes, `before` those from a sequence number on.
    """
    table = tx.described(name)
    first, _ = window(table, tx.now())
    prefix = _prefix(table, key)
    high = min(_number(before), number_after(tx.now() if until is None else until))
    newer: dict[bytes, StoredItem | None] = {}
    changes: list[dict[str, Any]] = []
    for count, entry in enumerate(_entries(tx, table)):
        if len(changes) == limit or count == MOST_ENTRIES:
            return {"changes": changes, "since": _seconds(entry.number + 1), "complete": False}
        if not entry.key.startswith(prefix):
            continue
        if entry.number < high:
            made = newer[entry.key] if entry.key in newer else tx.rows.get(table.space, entry.key)
            changes.append(_change(table, entry, made))
        newer[entry.key] = entry.old
    return {"changes": changes, "since": float(first), "complete": True}


def items_at(
    tx: Reading,
    name: str,
    key: Item,
    times: Sequence[float],
    start: Item | None = None,
    limit: int = MOST_ITEMS,
) -> History:
    """The items of a partition, or one item, as of some times, in the order of their keys.

    The items of a large partition are returned in pages: `next` is the `start` of the next page.
    """
    table = tx.described(name)
    first, _ = window(table, tx.now())
    for time in times:
        if not first <= time <= tx.now():
            raise ValidationError(f"the time {time} is not in the recovery window, which starts at {first}")
    if not key:
        raise ValidationError(MISMATCH)
    prefix = _prefix(table, key)
    low = prefix if start is None else max(prefix, after(_prefix(table, start)) or prefix)
    states, bound = _stored(tx, table, low, after(prefix), limit)
    order = sorted(range(len(times)), key=lambda position: times[position], reverse=True)
    snapshots: dict[int, dict[bytes, StoredItem | None]] = {}
    for count, entry in enumerate(_entries(tx, table)):
        while order and entry.number < number_after(times[order[0]]):
            snapshots[order.pop(0)] = dict(states)
        if not order:
            break
        if count == MOST_ENTRIES:
            raise ValidationError(
                f"table {table.name} had more than {MOST_ENTRIES:,} changes since that time; restore the table to a "
                "new one instead"
            )
        if entry.key.startswith(prefix) and low <= entry.key and (bound is None or entry.key <= bound):
            states[entry.key] = entry.old
    snapshots |= dict.fromkeys(order, states)
    keys = sorted(
        {key for snapshot in snapshots.values() for key, item in snapshot.items() if item is not None}
    )
    items = [[snapshots[position].get(key) for position in range(len(times))] for key in keys]
    last = None if bound is None else tx.rows.get(table.space, bound)
    return {
        "items": [[_plain(item) for item in row] for row in items],
        "next": None if last is None else to_python({"Key": table.keys.pick(last.attributes)})["Key"],
    }


def _entries(tx: Reading, table: StoredTable) -> Iterator[JournalEntry]:
    """The changes of the recovery period, newest first; older ones may wait for their removal."""
    recovery = table.definition["Recovery"]
    low = sequence_at(max(recovery["Since"], tx.now() - recovery["Days"] * DAY))
    return change_journal.entries(tx.rows, table.id, low, backward=True)


def _stored(
    tx: Reading, table: StoredTable, low: bytes, high: bytes | None, limit: int
) -> tuple[dict[bytes, StoredItem | None], bytes | None]:
    """The stored items of a range; and the last key of the page, if there are more."""
    stored: dict[bytes, StoredItem | None] = {}
    for key, item in tx.rows.range(table.space, low, high):
        if len(stored) == limit:
            return stored, next(reversed(stored))
        stored[key] = item
    return stored, None


def _prefix(table: StoredTable, key: Item) -> bytes:
    """The bytes with which the keys of an item, a partition or a table begin."""
    if not key:
        return b""
    key, _ = admit_item(key)
    if len(key) == len(table.keys.names):
        return table.keys.of_key(key)
    types = {name: table.keys.types[name] for name in table.keys.hash}
    if key.keys() != types.keys() or any(not key[name].get(kind) for name, kind in types.items()):
        raise ValidationError(MISMATCH)
    for value in key.values():
        require_hash_size(value)
    return partition([key[name] for name in types])


def _number(before: str | None) -> int:
    if before is None:
        return sequence_at(1e12)
    if not (before.isascii() and before.isdigit() and len(before) <= 30):
        raise ValidationError(f"{before!r} is not a sequence number of a change")
    return int(before)


def _change(table: StoredTable, entry: JournalEntry, made: StoredItem | None) -> dict[str, Any]:
    either = made or entry.old
    assert either is not None
    return {
        "at": _seconds(entry.number),
        "sequence": numeral(entry.number),
        "key": to_python({"Key": table.keys.pick(either.attributes)})["Key"],
        "before": _plain(entry.old),
        "after": _plain(made),
    }


def _plain(item: StoredItem | None) -> Item | None:
    return None if item is None else to_python({"Item": item})["Item"]


def _seconds(number: int) -> float:
    return milliseconds_of(number) / 1000
