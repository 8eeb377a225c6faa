"""Bulk access to an embedded database, for the packages above: many items with few commits."""

from pathlib import Path

from tablewright.connections.connection import Connection
from tablewright.connections.embedded import Embedded
from tablewright.engine.bulk_access import (
    ANYTHING,
    Anything,
    BulkAccess,
    Replaced,
    Replacement,
    Row,
    Watch,
)
from tablewright.engine.reader_database import ReaderDatabase
from tablewright.engine.state.catalog import Table as StoredTable
from tablewright.engine.state.shared_counter import SharedCounter

__all__ = [
    "ANYTHING",
    "Anything",
    "BulkAccess",
    "FileReader",
    "Replaced",
    "Replacement",
    "Row",
    "StoredTable",
    "Watch",
    "bulk_access",
    "data_file",
]


def bulk_access(connection: Connection) -> BulkAccess | None:
    """Return bulk access to the database of a connection; None when the connection is to a server or to AWS."""
    return connection.bulk_access() if isinstance(connection, Embedded) else None


def data_file(connection: Connection) -> Path | None:
    """Return the path of the data file that a connection has opened; None when it has none."""
    return connection.path if isinstance(connection, Embedded) else None


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
