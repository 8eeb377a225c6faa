"""Bulk access is for embedded databases."""

from tablewright import Faults, embedded
from tablewright.connections.bulk import bulk_access
from tablewright.connections.remote import Remote


def test_an_embedded_database_has_bulk_access() -> None:
    with embedded() as db:
        assert bulk_access(db) is not None


def test_other_connections_have_none() -> None:
    with embedded(faults=Faults(throttling=0.5)) as db:
        assert bulk_access(db) is None
    remote = Remote("us-east-1", "http://127.0.0.1:1")
    assert bulk_access(remote) is None
    remote.close()
