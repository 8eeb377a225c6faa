"""Time to live: the expiry time of each item of a table.

    EXPIRY   schedule of the table, expiry in seconds, key of the item  ->  an empty row

The effect `schedule_expiry` updates the schedule in the transaction of each change, so the sweeper finds expired items
without reading any other item. An item has an expiry when the table's TTL attribute is a number of
seconds since 1970. Expired items stay readable until they are swept, as on AWS. An item that expired more than five
years ago is never swept: such a number is probably a mistake.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html
"""

import math
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import Change
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import EXPIRY, Table
from tablewright.engine.core.state.row_batches import batch_end

FIVE_YEARS = 5 * 365 * 24 * 3600

_LATEST = 1 << 62
_MARK = StoredItem(b"", 0)


def expiry_of(table: Table, item: StoredItem | None) -> int | None:
    """The first whole second at which an item has expired; None when it never does."""
    if item is None or table.ttl_attribute is None:
        return None
    numeral = item.attributes.get(table.ttl_attribute, {}).get("N")
    if numeral is None:
        return None
    second = math.ceil(Decimal(numeral)) if "." in numeral else int(numeral)
    return second if 0 <= second < _LATEST else None


def schedule_expiry(tx: Writing, change: Change, meter: CapacityMeter | None) -> None:
    """Add, move or delete the item's entry in the schedule."""
    if change.table.ttl_attribute is None:
        return
    before, now = expiry_of(change.table, change.old), expiry_of(change.table, change.new)
    if before == now:
        return
    if before is not None:
        tx.rows.delete(EXPIRY, _expiry_key(change.table, before, change.key))
    if now is not None:
        tx.rows.put(EXPIRY, _expiry_key(change.table, now, change.key), _MARK)


def enable(tx: Writing, definition: dict[str, Any], specification: Mapping[str, Any]) -> None:
    """Enable TTL in the definition of a table; `jobs.expiry_schedules` then schedules the items that it has.

    The schedule is a new one: rows of an earlier one may still be being removed.
    """
    definition["TimeToLive"] = dict(specification)
    definition["ExpirySchedule"] = tx.state.catalog.next_number(tx.rows)


def schedule_step(tx: Writing, table: Table, low: bytes) -> bytes | None:
    """Schedule a batch of items from the key `low` on; return the next key, or None at the end.

    An item that a client writes meanwhile is scheduled by its own write, and perhaps again here, at the same time.
    """
    end = batch_end(tx.rows, table.space, low)
    deadline = time.monotonic() + row_batches.MAX_SECONDS
    for key, item in list(tx.rows.range(table.space, low, end)):
        if key != low and time.monotonic() > deadline:
            return key
        second = expiry_of(table, item)
        if second is not None:
            tx.rows.put(EXPIRY, _expiry_key(table, second, key), _MARK)
    return end


def schedule_range(table: Table) -> tuple[bytes, bytes]:
    """The range of the schedule of a table."""
    return table.expiry_schedule.to_bytes(8, "big"), (table.expiry_schedule + 1).to_bytes(8, "big")


def due(tx: Reading, table: Table) -> Iterator[tuple[bytes, int]]:
    """The keys of expired items with their expiry, oldest first."""
    now = math.floor(tx.now())
    low = _expiry_key(table, max(0, now - FIVE_YEARS), b"")
    high = _expiry_key(table, max(0, now + 1), b"")
    for row_key, _ in tx.rows.range(EXPIRY, low, high):
        yield row_key[16:], int.from_bytes(row_key[8:16], "big")


def forget(tx: Writing, table: Table, second: int, key: bytes) -> None:
    """Delete one entry of the schedule."""
    tx.rows.delete(EXPIRY, _expiry_key(table, second, key))


def _prefix(table: Table) -> bytes:
    return table.expiry_schedule.to_bytes(8, "big")


def _expiry_key(table: Table, second: int, key: bytes) -> bytes:
    return _prefix(table) + second.to_bytes(8, "big") + key
