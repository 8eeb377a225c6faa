"""The sweeper: removes what has expired, and runs what features do from time to time.

`sweep` removes it now; a test calls it after moving the clock. `sweep_task` is what the sweep timer runs every few
seconds. It sweeps nothing while the clock is frozen: then time passes only when a test moves it. It also gives free
space of the data file back to the file system, when that is much.
"""

import logging
import weakref
from collections.abc import Callable

from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.sessions import Reading, Sessions
from tablewright.engine.core.state.catalog import EXPIRING_SPACES, StoredTable
from tablewright.engine.core.writes import transactions

# Bytes: less free space is kept for later writes. It must also be a quarter of the file.
_WORTH_RELEASING = 16 * 1024 * 1024

_log = logging.getLogger("tablewright.engine")


Sweep = Callable[[Sessions, int | None], int]

SWEEPS: Plug[Sweep] = Plug()
"""Removes what has expired, at most so many items of a table; returns the number of deleted items."""
SWEEP_NEEDS: Plug[Callable[[Reading], bool]] = Plug()
"""Whether a database holds anything that its feature will sweep."""
EXPIRY_VETOES: Plug[Callable[[Reading, StoredTable, bytes, int], bool]] = Plug()
"""Whether the item of a key may not be deleted here, though it expired at a second."""
CLOSINGS: Plug[Callable[[Sessions], None]] = Plug()
"""Called before a database is closed, when no job runs any more."""


def needs_sweeping(tx: Reading) -> bool:
    """Whether the database holds anything that will expire."""
    if any(needs(tx) for needs in SWEEP_NEEDS):
        return True
    return any(True for space in EXPIRING_SPACES for _ in tx.rows.range(space))


def sweep(sessions: Sessions, limit: int | None = None) -> int:
    """Remove everything that has expired, at most `limit` items of a table; return the number of deleted items."""
    deleted = sum(sweep_feature(sessions, limit) for sweep_feature in SWEEPS)
    while sessions.read(transactions.has_old):
        sessions.write(transactions.forget_old)
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
