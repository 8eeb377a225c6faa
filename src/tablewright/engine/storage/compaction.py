"""Compaction: gives the free pages of a file back to the file system, in short steps between other writes.

Deleted rows leave free pages, which later writes use again; the file itself does not shrink. A step moves the last
pages of the file into free ones and cuts the file off (SQLite's incremental vacuum), in a transaction like any other
write. The number of pages of a step follows its duration, and after each step other writers get as much time as it
took. What is left to do is the list of free pages itself, so an interrupted compaction continues where it stopped.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import NamedTuple, Protocol, TypeVar

from tablewright.engine.storage.rows import ReadView, Transaction

T = TypeVar("T")

STEP_SECONDS = 0.01
"""The duration that a step is sized for."""
MAX_PAGES = 512
# The log holds every moved page: it is emptied after so many.
_CHECKPOINT_PAGES = 2048

OnProgress = Callable[[int, int], None]
"""Called with the released and the total number of bytes to release."""


class Compactable(Protocol):
    """The part of a store that compaction uses."""

    def read(self, work: Callable[[ReadView], T]) -> T:
        """Run `work` on a view."""

    def write(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction."""


class FreeSpace(NamedTuple):
    """The size of a data file, and how much of it is free."""

    file_bytes: int
    free_bytes: int


def free_space(view: ReadView) -> FreeSpace:
    """The size of the data, and how much of it is free."""
    ((page_size,),) = view.execute("PRAGMA page_size")
    ((pages,),) = view.execute("PRAGMA page_count")
    ((free,),) = view.execute("PRAGMA freelist_count")
    return FreeSpace(pages * page_size, free * page_size)


def compact(
    store: Compactable,
    on_progress: OnProgress = lambda released, total: None,
    should_stop: Callable[[], bool] = lambda: False,
) -> int:
    """Release all free pages, also those that become free meanwhile; return the number of released bytes."""
    start = store.read(free_space)
    released, pages, since_checkpoint = 0, 16, 0
    while not should_stop():
        before = store.read(free_space).free_bytes
        if not before:
            break
        began = time.perf_counter()
        freed = store.write(partial(_release, pages=pages))
        took = time.perf_counter() - began
        if not freed:
            break
        released += freed
        since_checkpoint += pages
        if since_checkpoint >= _CHECKPOINT_PAGES:
            _checkpoint(store)
            since_checkpoint = 0
        on_progress(released, max(start.free_bytes, released))
        pages = _next_size(pages, took)
        time.sleep(took)
    _checkpoint(store)
    return released


def _release(tx: Transaction, pages: int) -> int:
    before = free_space(tx)
    tx.changes += 1
    tx.execute(f"PRAGMA incremental_vacuum({pages})").fetchall()
    return before.file_bytes - free_space(tx).file_bytes


def _next_size(pages: int, took: float) -> int:
    """
    >>> _next_size(16, 0.001), _next_size(16, 0.009), _next_size(16, 0.1), _next_size(512, 0.001), _next_size(1, 1.0)
    (32, 16, 8, 512, 1)
    """
    if took < STEP_SECONDS / 2:
        return min(pages * 2, MAX_PAGES)
    return pages if took <= STEP_SECONDS else max(pages // 2, 1)


def _checkpoint(store: Compactable) -> None:
    """Move the log into the file, which cuts the file off; on a reader's connection, so that no writer waits."""
    store.read(lambda view: view.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall())
