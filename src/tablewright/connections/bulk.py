"""Bulk access to an embedded database, for the packages above: many items with few commits."""

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
from tablewright.engine.state.catalog import Table as StoredTable

__all__ = [
    "ANYTHING",
    "Anything",
    "BulkAccess",
    "Replaced",
    "Replacement",
    "Row",
    "StoredTable",
    "Watch",
    "bulk_access",
]


def bulk_access(connection: Connection) -> BulkAccess | None:
    """Return bulk access to the database of a connection; None when the connection is to a server or to AWS."""
    return connection.bulk_access() if isinstance(connection, Embedded) else None
