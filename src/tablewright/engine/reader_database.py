"""A database that another process writes. This process only reads items, from the same file.

What the engine keeps in memory about a file is the catalog. The writer increases a shared counter after each commit
that changes a definition, before any client learns of the change. A reader that finds another number loads the catalog
again. So a table is created, changed or deleted for every process, once the call that did it has returned.
"""

from pathlib import Path
from typing import Any

from tablewright.engine.core.operations import Operation
from tablewright.engine.core.sessions import Authorizer
from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.database import Database, Write
from tablewright.engine.storage.reader_store import ReaderStore

READS = frozenset({"BatchGetItem", "GetItem", "Query", "Scan", "TransactGetItems"})
"""The operations that a reader runs: they depend on committed rows and definitions only."""


class ReaderDatabase(Database):
    """Reads items of a file that another process has opened; `definitions` counts the changes of its catalog."""

    def __init__(self, path: Path, region: str, definitions: SharedCounter) -> None:
        self._definitions = definitions
        self._known = -1
        self._reader_store = ReaderStore(path)
        super().__init__(self._reader_store, region=region)

    def _start(self) -> None:
        """Load the catalog; the writer sweeps, and runs jobs."""
        self._load_definitions()

    @property
    def counts_accesses(self) -> bool:
        """Whether a table has contributor insights, which only the writer can count."""
        self._load_definitions()
        return self.state.accesses is not None

    def refresh(self) -> None:
        """Load the catalog again, if the counter has changed."""
        self._load_definitions()

    def _load_definitions(self) -> None:
        number = self._definitions.value
        if number != self._known:
            self._reader_store.forget_spaces()
            self._reader_store.read(self.state.load_catalog)
            self._known = number

    def _reply(
        self, operation: Operation, request: dict[str, Any], write: Write, by: Authorizer | None
    ) -> dict[str, Any]:
        """The reply; it is computed again, also after an error, if a definition changed meanwhile."""
        while True:
            self._load_definitions()
            try:
                reply = super()._reply(operation, request, write, by)
            except Exception:
                if self._definitions.value == self._known:
                    raise
                continue
            if self._definitions.value == self._known:
                return reply

    def close(self) -> None:
        """Release the file."""
        self._store.close()
