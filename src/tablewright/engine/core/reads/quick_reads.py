"""Quick reads: a read that turns out to be long is given up, so that a server can repeat it in a thread.

A page may have 1 MB of tiny items, 150,000 of them, and a filter with 300 operators; a batch may return 16 MB. On the
event loop of a server, such a read would delay all other clients, for seconds.

    with QUICK_READS:
        reply = database.call_json(...)      # raises LongRead after some rows or bytes

A read has no effects, so nothing is undone. Sessions that count accesses or inject faults do have effects: their reads
are never given up.
"""

import threading
from types import TracebackType

from tablewright.engine.core.sessions import Reading

MOST_ROWS = 1000
MOST_BYTES = 1 << 20
DECODING = 8
"""An item that is decoded, for a filter or a projection, counts as so many of its size."""


class LongRead(Exception):
    """The read takes too long for a thread that serves other clients as well."""


class _Thread(threading.local):
    is_quick = False


_thread = _Thread()


class QuickReads:
    """Inside of it, long reads of this thread raise LongRead."""

    def __enter__(self) -> None:
        _thread.is_quick = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _thread.is_quick = False


QUICK_READS = QuickReads()


def must_be_quick(tx: Reading) -> bool:
    """Whether a long read of this session is given up."""
    return _thread.is_quick and type(tx) is Reading and tx.state.accesses is None


def page_budget(limit: int | None, page_size: int, *, decoded: bool) -> tuple[int, int]:
    """The rows and bytes after which a page of that limit and size is given up, if it is not complete."""
    rows = MOST_ROWS if limit is None or limit > MOST_ROWS else limit
    return rows, min(page_size, MOST_BYTES // DECODING) if decoded else page_size


class ByteBudget:
    """Gives up a read of single items after `MOST_BYTES`."""

    __slots__ = ("_left",)

    def __init__(self, tx: Reading) -> None:
        self._left = MOST_BYTES if must_be_quick(tx) else None

    def spend(self, size: int, *, decoded: bool) -> None:
        """Count the bytes of an item; raises LongRead if there are too many. To decode one takes far longer."""
        if self._left is not None:
            self._left -= size * DECODING if decoded else size
            if self._left < 0:
                raise LongRead
