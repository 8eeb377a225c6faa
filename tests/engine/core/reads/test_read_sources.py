"""Sources: the table or index of a read, its keys and its attributes."""

from collections.abc import Iterator

import pytest

from tablewright.engine.core.reads.read_sources import ReadSource, source_of
from tablewright.engine.database import Database
from tablewright.errors import ResourceNotFound, ValidationError
from tests.engine.core.operations.reading import PLAYERS as CREATE_PLAYERS
from tests.engine.core.operations.reading import opened
from tests.engine.player_table import GLOBAL, LOCAL, PLAYERS

ITEM = {"team": {"S": "red"}, "nick": {"S": "ada"}, "pos": {"N": "1"}, "city": {"S": "Oslo"}}


@pytest.fixture
def db() -> Iterator[Database]:
    database = opened(CREATE_PLAYERS)
    yield database
    database.close()


def test_the_key_of_an_index_row_contains_the_key_of_the_table() -> None:
    table, local = ReadSource(PLAYERS), ReadSource(PLAYERS, LOCAL)
    assert table.key_names == ("team", "nick")
    assert local.key_names == ("team", "nick", "pos")
    assert ReadSource(PLAYERS, GLOBAL).key_names == ("team", "nick", "city")
    assert local.key_of(ITEM).endswith(table.key_of(ITEM))
    assert local.key_of(ITEM) != table.key_of(ITEM)


def test_an_index_contains_its_keys_and_its_projected_attributes() -> None:
    assert ReadSource(PLAYERS).has_attribute("anything")
    local = ReadSource(PLAYERS, LOCAL)
    assert [name for name in ("nick", "pos", "note", "other") if local.has_attribute(name)] == [
        "nick",
        "pos",
        "note",
    ]


def test_a_source_is_found_by_name(db: Database) -> None:
    found = db.sessions.read(lambda tx: source_of(tx, "players", "by-city", "Query", consistent=False))
    assert found.index is not None
    assert found.index.name == "by-city"
    with pytest.raises(ResourceNotFound):
        db.sessions.read(lambda tx: source_of(tx, "missing", None, "Query", consistent=False))
    with pytest.raises(ValidationError, match="does not have the specified index: by-age"):
        db.sessions.read(lambda tx: source_of(tx, "players", "by-age", "Query", consistent=False))


def test_only_tables_and_local_indexes_are_read_consistently(db: Database) -> None:
    for index in (None, "by-pos"):
        db.sessions.read(lambda tx, index=index: source_of(tx, "players", index, "Query", consistent=True))  # type: ignore[misc]
    with pytest.raises(ValidationError, match="Consistent reads are not supported"):
        db.sessions.read(lambda tx: source_of(tx, "players", "by-city", "Query", consistent=True))
