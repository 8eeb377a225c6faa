"""Expiry sweeps: a schedule with the expiry of each item of a table with TTL, the job that fills it, and its sweep.

    EXPIRY                         schedule of the table, expiry in seconds, key of the item  ->  an empty row
    definition["TimeToLive"]       {"AttributeName", "Enabled"}, while TTL is enabled
    definition["ExpirySchedule"]   the number of the schedule: another one each time that TTL is enabled

The effect `schedule_expiry` updates the schedule in the transaction of each change, so the sweeper finds expired items
without reading any other item. An item has an expiry when the table's TTL attribute is a number of
seconds since 1970. Expired items stay readable until they are swept, as on AWS. An item that expired more than five
years ago is never swept: such a number is probably a mistake.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/howitworks-ttl.html

When TTL is enabled, the first batch of items is scheduled in the transaction of UpdateTimeToLive: a small table is done
at once. Otherwise a job continues from the key that its record contains, and after a restart. From the transaction that
enabled TTL, every write schedules its own item.
"""

import math
import time
from collections.abc import Iterator, Mapping
from decimal import Decimal
from functools import partial
from itertools import islice
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.jobs import job_records, row_removals
from tablewright.engine.core.jobs.job_runner import Job, new_key, schedule
from tablewright.engine.core.sessions import Effect, Reading, Sessions, Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import EXPIRY, StoredTable
from tablewright.engine.core.state.row_batches import batch_end
from tablewright.engine.core.sweeper import EXPIRY_VETOES

FIVE_YEARS = 5 * 365 * 24 * 3600

_LATEST = 1 << 62
_MARK = StoredItem(b"", 0)
# Small transactions, so that no client waits long for the sweeper.
_ITEMS_AT_ONCE = 100


def attribute_of(definition: Mapping[str, Any]) -> str | None:
    """The TTL attribute of a table; None when TTL is not enabled."""
    setting = definition.get("TimeToLive")
    return setting["AttributeName"] if setting else None


def schedule_of(definition: Mapping[str, Any]) -> int:
    """The number of the schedule of a table."""
    return definition.get("ExpirySchedule", definition["Id"])  # type: ignore[no-any-return]


def expiry_of(attribute: str, item: StoredItem | None) -> int | None:
    """The first whole second at which an item has expired; None when it never does."""
    if item is None:
        return None
    numeral = item.attributes.get(attribute, {}).get("N")
    if numeral is None:
        return None
    second = math.ceil(Decimal(numeral)) if "." in numeral else int(numeral)
    return second if 0 <= second < _LATEST else None


def expiry_effect(definition: Mapping[str, Any]) -> Effect | None:
    """The effect of a table with TTL: add, move or delete the item's entry in the schedule."""
    attribute = attribute_of(definition)
    if attribute is None:
        return None
    prefix = _prefix(schedule_of(definition))

    def schedule_expiry(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
        before, now = expiry_of(attribute, change.old), expiry_of(attribute, change.new)
        if before == now:
            return
        if before is not None:
            tx.rows.delete(EXPIRY, prefix + before.to_bytes(8, "big") + change.key)
        if now is not None:
            tx.rows.put(EXPIRY, prefix + now.to_bytes(8, "big") + change.key, _MARK)

    return schedule_expiry


def enable(tx: Writing, definition: dict[str, Any], specification: Mapping[str, Any]) -> None:
    """Enable TTL in the definition of a table; `begin` then schedules the items that it has.

    The schedule is a new one: rows of an earlier one may still be being removed.
    """
    definition["TimeToLive"] = dict(specification)
    definition["ExpirySchedule"] = tx.state.catalog.next_number(tx.rows)


def schedule_step(tx: Writing, table: StoredTable, low: bytes) -> bytes | None:
    """Schedule a batch of items from the key `low` on; return the next key, or None at the end.

    An item that a client writes meanwhile is scheduled by its own write, and perhaps again here, at the same time.
    """
    attribute = attribute_of(table.definition)
    end = batch_end(tx.rows, table.space, low)
    deadline = time.monotonic() + row_batches.MAX_SECONDS
    for key, item in list(tx.rows.range(table.space, low, end)):
        if key != low and time.monotonic() > deadline:
            return key
        second = None if attribute is None else expiry_of(attribute, item)
        if second is not None:
            tx.rows.put(EXPIRY, _expiry_key(table, second, key), _MARK)
    return end


def schedule_range(table: StoredTable) -> tuple[bytes, bytes]:
    """The range of the schedule of a table."""
    number = schedule_of(table.definition)
    return _prefix(number), _prefix(number + 1)


def due(tx: Reading, table: StoredTable) -> Iterator[tuple[bytes, int]]:
    """The keys of expired items with their expiry, oldest first."""
    now = math.floor(tx.now())
    low = _expiry_key(table, max(0, now - FIVE_YEARS), b"")
    high = _expiry_key(table, max(0, now + 1), b"")
    for row_key, _ in tx.rows.range(EXPIRY, low, high):
        yield row_key[16:], int.from_bytes(row_key[8:16], "big")


def forget(tx: Writing, table: StoredTable, second: int, key: bytes) -> None:
    """Delete one entry of the schedule."""
    tx.rows.delete(EXPIRY, _expiry_key(table, second, key))


def _prefix(schedule: int) -> bytes:
    return schedule.to_bytes(8, "big")


def _expiry_key(table: StoredTable, second: int, key: bytes) -> bytes:
    return _prefix(schedule_of(table.definition)) + second.to_bytes(8, "big") + key


def begin(tx: Writing, table: StoredTable) -> None:
    """Schedule the items of a table on which TTL was just enabled, or the job that does it."""
    tx.state.sweep_timer.start()
    position = schedule_step(tx, table, b"")
    if position is not None:
        document = {"Table": table.name, "Schedule": schedule_of(table.definition), "From": position.hex()}
        schedule(tx, new_key(tx), "expiry", document)


def disable(tx: Writing, table: StoredTable, definition: dict[str, Any]) -> None:
    """Disable TTL in the definition of a table, and remove its schedule."""
    for member in ("TimeToLive", "ExpirySchedule"):
        definition.pop(member, None)
    row_removals.remove_range(tx, EXPIRY, *schedule_range(table))


def run(job: Job) -> None:
    """Run the job: schedule items in steps, until none is left or TTL was disabled."""
    while job.write(partial(_step, job=job)):
        pass


def _step(tx: Writing, job: Job) -> bool:
    """Schedule a batch; return whether there is more."""
    table = tx.state.catalog.find(job.document["Table"])
    position = None
    if table is not None and schedule_of(table.definition) == job.document["Schedule"]:
        position = schedule_step(tx, table, bytes.fromhex(job.document["From"]))
    if position is None:
        job.end(tx)
        return False
    job.document = {**job.document, "From": position.hex()}
    job_records.save(tx.rows, "job", job.key, job.document)
    return True


def apply(tx: Writing, table: StoredTable | None, definition: dict[str, Any], value: Any) -> None:
    """Change the definition of a replica to the TTL of its group; `table` is the replica, if it exists."""
    if table is not None:
        disable(tx, table, definition)
    if value is not None:
        enable(tx, definition, value)


def begin_if_new(tx: Writing, before: StoredTable | None, after: StoredTable) -> None:
    """Schedule the items of a saved replica whose TTL attribute has changed."""
    attribute = attribute_of(after.definition)
    if attribute is not None and (before is None or attribute_of(before.definition) != attribute):
        begin(tx, after)


def backup_details(table: StoredTable) -> dict[str, Any]:
    """What a backup of the table says about its TTL."""
    attribute = attribute_of(table.definition)
    if attribute is None:
        return {}
    return {"TimeToLiveDescription": {"TimeToLiveStatus": "ENABLED", "AttributeName": attribute}}


def remove_schedule(tx: Writing, table: StoredTable) -> None:
    """Remove the schedule of a table that was deleted."""
    row_removals.remove_range(tx, EXPIRY, *schedule_range(table))


def salvaged(sessions: Sessions) -> None:
    """Schedule the items of all tables anew, in a copy of a damaged file."""
    for table in sessions.state.catalog.having("TimeToLive"):
        sessions.write(partial(begin, table=table))


def has_schedules(tx: Reading) -> bool:
    """Whether a table has TTL enabled."""
    return any(True for _ in tx.state.catalog.having("TimeToLive"))


def sweep_expired(sessions: Sessions, limit: int | None) -> int:
    """Delete expired items, at most `limit` of a table."""
    return sum(_sweep_table(sessions, table, limit) for table in sessions.state.catalog.having("TimeToLive"))


def _sweep_table(sessions: Sessions, table: StoredTable, limit: int | None) -> int:
    deleted = 0
    while limit is None or deleted < limit:
        count = _ITEMS_AT_ONCE if limit is None else min(_ITEMS_AT_ONCE, limit - deleted)
        entries = sessions.read(partial(_due, table=table, limit=count))
        if not entries:
            break
        deleted += sessions.write(partial(_expire, table=table, entries=entries))
    return deleted


def _due(tx: Reading, table: StoredTable, limit: int) -> list[tuple[bytes, int]]:
    entries = (
        entry for entry in due(tx, table) if not any(veto(tx, table, *entry) for veto in EXPIRY_VETOES)
    )
    return list(islice(entries, limit))


def _expire(tx: Writing, table: StoredTable, entries: list[tuple[bytes, int]]) -> int:
    """Delete the items that still exist and are still expired; they may have changed since they were found."""
    current = tx.state.catalog.find(table.name)
    attribute = None if current is None else attribute_of(current.definition)
    if (
        current is None
        or attribute is None
        or current.id != table.id
        or schedule_of(current.definition) != schedule_of(table.definition)
    ):
        # The table was deleted or TTL disabled; a job removes the rest of the schedule.
        for key, second in entries:
            forget(tx, table, second, key)
        return 0
    deleted = 0
    for key, second in entries:
        # Not `tx.get`: expiry costs no capacity, so it is never throttled.
        item = tx.rows.get(current.space, key)
        if expiry_of(attribute, item) == second:
            tx.apply(ItemChange(current, key, item, None, expired=True))
            deleted += 1
        else:
            forget(tx, current, second, key)
    return deleted
