"""The sweeper: takes away what time has ended - expired items, aged records, journals and backups, old tokens.

`sweep` does it now; that is what a test calls after moving the clock. A `Sweeper` does it every few seconds in a
thread of its own, from the first table that needs it until the database is closed. It leaves a database alone whose
clock stands still: there, time passes only when somebody says so, and so does sweeping.
"""

import logging
import threading
import weakref
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from tablewright.engine import change_journal, ttl
from tablewright.engine.backups.snapshots import backups as backups
from tablewright.engine.changes import Change
from tablewright.engine.sessions import Reading, Writing
from tablewright.engine.state.catalog import BACKUPS, JOURNAL, RECORDS, Table
from tablewright.engine.streams import stream_records as streams
from tablewright.engine.writes import client_tokens

if TYPE_CHECKING:
    from tablewright.engine.database import Database

PERIOD = 10.0
# Small transactions, so that nobody waits long behind the sweeper.
_ITEMS_AT_ONCE = 100
_RECORDS_AT_ONCE = 1000

_log = logging.getLogger("tablewright.engine")


def needs_sweeping(tx: Reading) -> bool:
    """Whether there is anything that will have to be taken away, sooner or later."""
    if any(table.ttl_attribute is not None for table in tx.database.catalog.all()):
        return True
    return any(True for space in (RECORDS, JOURNAL, BACKUPS) for _ in tx.rows.range(space))


def sweep(database: "Database", limit: int | None = None) -> int:
    """Remove everything that is due, but no more than `limit` items of a table; how many items were deleted."""
    deleted = sum(
        _sweep_table(database, table, limit) for table in database.catalog.all() if table.ttl_attribute
    )
    while database.read(streams.has_aged):
        database.write(lambda tx: streams.trim(tx, _RECORDS_AT_ONCE))
    while database.read(change_journal.has_aged):
        database.write(lambda tx: change_journal.trim(tx, _RECORDS_AT_ONCE))
    while database.read(backups.has_expired):
        database.write(backups.drop_expired)
    while database.read(client_tokens.has_old):
        database.write(client_tokens.forget_old)
    return deleted


def _sweep_table(database: "Database", table: Table, limit: int | None) -> int:
    deleted = 0
    while limit is None or deleted < limit:
        room = _ITEMS_AT_ONCE if limit is None else min(_ITEMS_AT_ONCE, limit - deleted)
        due = database.read(partial(_due, table=table, most=room))
        if not due:
            break
        deleted += database.write(partial(_expire, table=table, due=due))
    return deleted


def _due(tx: Reading, table: Table, most: int) -> list[tuple[bytes, int]]:
    return list(islice(ttl.due(tx, table), most))


def _expire(tx: Writing, table: Table, due: list[tuple[bytes, int]]) -> int:
    """Delete items that are still there and still expired; they may have changed since they were found."""
    current = tx.database.catalog.find(table.name)
    if current is None or current.id != table.id or current.ttl_attribute is None:
        ttl.forget_all(tx, table)
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


class Sweeper:
    """Sweeps a database now and then, in the background."""

    def __init__(self, database: "Database", period: float = PERIOD) -> None:
        # Weak, so that a database nobody uses any more is not kept alive by its own sweeper.
        self._database = weakref.ref(database)
        self._period = period
        self._stopped = threading.Event()
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Begin, unless it has begun already or has been stopped for good."""
        with self._starting:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="tablewright-sweeper", daemon=True)
                self._thread.start()

    def stop(self) -> None:
        """End, and wait until nothing is being swept."""
        with self._starting:
            self._stopped.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._period):
            database = self._database()
            if database is None:
                return
            if not database.clock.frozen:
                _sweep_quietly(database)
            del database


def _sweep_quietly(database: "Database") -> None:
    try:
        sweep(database)
    except Exception:
        # Nobody is there to be told, and the next round tries again.
        _log.exception("sweeping failed")
