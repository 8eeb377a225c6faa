"""ExecuteTransaction: golden cases, tokens, and its limits."""

from collections.abc import Iterator

import pytest

from tablewright.engine.database import Database
from tablewright.storage import open_store
from tests.engine.statements import TABLES, play


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    for table in TABLES:
        database.call("CreateTable", table)
    yield database
    database.close()


@pytest.mark.parametrize("name", ["transactions.txt"])
def test_cases(name: str, db: Database, update_golden: bool) -> None:
    play(name, db, update=update_golden)
