"""A new table's definition: an empty space of its own for the items and for each index."""

from collections.abc import Iterator

import pytest

from tablewright.engine.core.tables.table_definitions import new_definition
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    yield database
    database.close()


def test_each_index_has_a_space(db: Database) -> None:
    description = {
        "TableName": "music",
        "LocalSecondaryIndexes": [{"IndexName": "by-year"}],
        "GlobalSecondaryIndexes": [{"IndexName": "by-label"}, {"IndexName": "by-genre"}],
    }
    definition = db.sessions.write(lambda tx: new_definition(tx, description, {"team": "red"}))
    assert list(definition["Spaces"]) == ["", "by-year", "by-label", "by-genre"]
    assert len(set(definition["Spaces"].values())) == 4
    assert definition["Id"] == definition["Spaces"][""]
    assert definition["Description"] is description
    assert definition["Tags"] == {"team": "red"}


def test_two_tables_share_nothing(db: Database) -> None:
    first, second = (db.sessions.write(lambda tx: new_definition(tx, {})) for _ in range(2))
    assert first["Id"] != second["Id"]
    assert first["Tags"] == {}
