"""A store that another process writes: its commits are read from the same file.

SQLite lets many processes read a file in WAL mode beside the one that writes. A reader sees each commit as soon as it
is made: a write that was acknowledged before a read began is part of that read, in every process.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import apsw

from tablewright.engine.storage import page_checksums
from tablewright.engine.storage.rows import Transaction
from tablewright.engine.storage.store import CACHE_KIB, STATEMENT_CACHE, Store
from tablewright.errors import StoreError

T = TypeVar("T")


class ReaderStore(Store):
    """The file of a store that another process has opened. It is read only, and takes no lock."""

    def __init__(self, path: Path) -> None:
        # Not those of `Store`: a reader has no writing connection.
        self.path = path
        self.durability = "full"
        self._lock = None
        self._closed = False
        self._missing = None
        self._readers = []
        self._spaces = {}

    def forget_spaces(self) -> None:
        """Look for each space again: the writer created or dropped some."""
        self._spaces.clear()

    def write(self, work: Callable[[Transaction], T]) -> NoReturn:
        """Raise: only the other process writes."""
        raise StoreError(f"{self.path} is read only here: another process writes it")

    def stage(self, work: Callable[[Transaction], Any]) -> NoReturn:
        """Raise: only the other process writes."""
        self.write(work)

    def flush(self) -> None:
        """Do nothing: a reader has nothing to make durable."""

    def close(self) -> None:
        """Release the file; readers that are still running finish first."""
        self._closed = True
        self._close_readers()

    def _connect(self) -> apsw.Connection:
        assert self.path is not None
        try:
            # A reader of a file in WAL mode writes to the shared memory beside the file, but never to the file.
            connection = page_checksums.connect(
                str(self.path), STATEMENT_CACHE, flags=apsw.SQLITE_OPEN_READWRITE
            )
            connection.set_busy_timeout(5_000)
            connection.execute(f"PRAGMA cache_size = -{CACHE_KIB}")
            connection.execute("PRAGMA query_only = ON")
        except apsw.Error as error:
            raise self._explain(error) from error
        return connection
