"""Bulk access to an embedded database, for the packages above: many items with few commits.

This module imports the engine: import it only for an embedded database, which has loaded it.
"""

from pathlib import Path

from tablewright.engine.bulk_access import (
    ANYTHING,
    Anything,
    BulkAccess,
    KeyedItem,
    Replaced,
    Replacement,
    Watch,
)
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.shared_counter import SharedCounter
from tablewright.engine.reader_database import ReaderDatabase

__all__ = [
    "ANYTHING",
    "Anything",
    "BulkAccess",
    "FileReader",
    "KeyedItem",
    "Replaced",
    "Replacement",
    "StoredTable",
    "Watch",
]


class FileReader:
    """Reads a data file that another process has opened, to plan what that process then writes."""

    def __init__(self, path: Path) -> None:
        self._loads = SharedCounter.create()
        self._database = ReaderDatabase(path, "", self._loads)
        self.access = BulkAccess(self._database.sessions)

    def refresh(self) -> None:
        """Load the definitions of the tables again."""
        self._loads.increase()
        self._database.refresh()

    def close(self) -> None:
        """Release the file."""
        self._database.close()
        self._loads.close()
