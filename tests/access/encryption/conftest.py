"""The store that the tests of encryption share."""

from collections.abc import Iterator

import pytest

from tablewright import embedded
from tests.access.encryption.secrets_store import Store, design


@pytest.fixture
def store() -> Iterator[Store]:
    """A database in memory with the tables of the design, and a vault."""
    with embedded() as db:
        for table in design.tables:
            db.call("CreateTable", table.definition())
        yield Store(db)
