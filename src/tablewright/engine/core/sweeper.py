"""The sweeper: removes what has expired: items past their TTL, old stream records, journals, backups and tokens.

It also delivers the records of Kinesis destinations.

`sweep` removes it now; a test calls it after moving the clock. `sweep_task` is what the sweep timer runs every few
seconds. It sweeps nothing while the clock is frozen: then time passes only when a test moves it. It also gives free
space of the data file back to the file system, when that is much.
"""

import logging
import weakref
from collections.abc import Callable
from functools import partial
from itertools import islice

from tablewright.engine.core.changes import Change
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import BACKUPS, JOURNAL, RECORDS, Table
from tablewright.engine.core.writes import client_tokens
from tablewright.engine.features.backups import backups as backups
from tablewright.engine.features.backups import change_journal
from tablewright.engine.features.kinesis.outbox import deliver
from tablewright.engine.features.replicas.versions import expires_here
from tablewright.engine.features.streams import stream_records as streams
from tablewright.engine.features.ttl import ttl

# Small transactions, so that no client waits long for the sweeper.
_ITEMS_AT_ONCE = 100
_RECORDS_AT_ONCE = 1000
# Bytes: less free space is kept for later writes. It must also be a quarter of the file.
_WORTH_RELEASING = 16 * 1024 * 1024

_log = logging.getLogger("tablewright.engine")


def needs_sweeping(tx: Reading) -> bool:
    """Whether the database holds anything that will expire."""
    if any(True for _ in tx.state.catalog.having("TimeToLive")):
        return True
    return any(True for space in (RECORDS, JOURNAL, BACKUPS) for _ in tx.rows.range(space))


def sweep(sessions: Sessions, limit: int | None = None) -> int:
    """Remove everything that has expired, at most `limit` items of a table, and deliver records to Kinesis streams.

    Return the number of deleted items.
    """
    deleted = sum(
        _sweep_table(sessions, table, limit) for table in sessions.state.catalog.having("TimeToLive")
    )
    while sessions.read(streams.has_aged):
        sessions.write(lambda tx: streams.trim(tx, _RECORDS_AT_ONCE))
    while sessions.read(change_journal.has_aged):
        sessions.write(lambda tx: change_journal.trim(tx, _RECORDS_AT_ONCE))
    while sessions.read(backups.has_expired):
        sessions.write(backups.drop_expired)
    while sessions.read(client_tokens.has_old):
        sessions.write(client_tokens.forget_old)
    deliver(sessions)
    return deleted


def _sweep_table(sessions: Sessions, table: Table, limit: int | None) -> int:
    deleted = 0
    while limit is None or deleted < limit:
        count = _ITEMS_AT_ONCE if limit is None else min(_ITEMS_AT_ONCE, limit - deleted)
        due = sessions.read(partial(_due, table=table, limit=count))
        if not due:
            break
        deleted += sessions.write(partial(_expire, table=table, due=due))
    return deleted


def _due(tx: Reading, table: Table, limit: int) -> list[tuple[bytes, int]]:
    due = ttl.due(tx, table)
    if table.replica_space is not None:
        due = (entry for entry in due if expires_here(tx, table, *entry))
    return list(islice(due, limit))


def _expire(tx: Writing, table: Table, due: list[tuple[bytes, int]]) -> int:
    """Delete the items that still exist and are still expired; they may have changed since they were found."""
    current = tx.state.catalog.find(table.name)
    if current is None or current.id != table.id or current.expiry_schedule != table.expiry_schedule:
        # The table was deleted or TTL disabled; a job removes the rest of the schedule.
        for key, second in due:
            ttl.forget(tx, table, second, key)
        return 0
    deleted = 0
    for key, second in due:
        # Not `tx.get`: expiry costs no capacity, so it is never throttled.
        item = tx.rows.get(current.space, key)
        if ttl.expiry_of(current, item) == second:
            tx.apply(Change(current, key, item, None, expired=True))
            deleted += 1
        else:
            ttl.forget(tx, current, second, key)
    return deleted


def sweep_task(sessions: Sessions) -> Callable[[], bool]:
    """The task of the sweep timer; it returns False once the database is gone."""
    # Weak, so that the timer's thread does not keep a dropped database in memory.
    reference = weakref.ref(sessions)

    def task() -> bool:
        current = reference()
        if current is None:
            return False
        if not current.state.clock.frozen:
            _sweep_quietly(current)
        _compact_quietly(current)
        return True

    return task


def _sweep_quietly(sessions: Sessions) -> None:
    try:
        sweep(sessions)
    except Exception:
        # The next sweep tries again.
        _log.exception("sweeping failed")


def _compact_quietly(sessions: Sessions) -> None:
    """Release the free space of the data file, if it is a large part of it."""
    store = sessions.state.store
    if store.path is None:
        return
    try:
        size, free = store.free_space()
        if free >= _WORTH_RELEASING and free * 4 >= size:
            released = store.compact(should_stop=sessions.state.sweep_timer.is_stopped)
            _log.info("released %s bytes of %s", released, store.path)
    except Exception:
        # The next sweep tries again.
        _log.exception("compaction failed")
