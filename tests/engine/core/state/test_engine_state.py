"""The state of a database: created in a new store, loaded from an old one, corrected after undone writes."""

from contextlib import closing
from pathlib import Path

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import CATALOG, SYSTEM_SPACES
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.database import Database
from tablewright.engine.storage import Store, Transaction, open_store
from tablewright.errors import StoreDamaged

DEFINITION = {
    "Id": 16,
    "Spaces": {"": 16},
    "Description": {
        "TableName": "music",
        "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
        "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
    },
}


def loaded(store: Store) -> EngineState:
    state = EngineState(store, Clock(start=0), "eu-west-1")
    state.load()
    return state


def test_a_new_store_gets_its_system_spaces_and_an_old_one_its_tables(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    state = loaded(store)
    assert state.address == "dynamodb.eu-west-1.amazonaws.com"
    assert store.read(lambda rows: all(map(rows.has_space, SYSTEM_SPACES)))
    store.write(lambda tx: state.catalog.save(tx, DEFINITION))
    store.close()
    store = open_store(tmp_path / "data.db")
    assert [table.name for table in loaded(store).catalog.all()] == ["music"]
    store.close()


def test_undone_writes_are_undone_in_memory_too() -> None:
    store = open_store()
    state = loaded(store)
    state.tallies.begin(16)

    def fail(tx: Transaction) -> None:
        state.catalog.save(tx, DEFINITION)
        raise RuntimeError

    with pytest.raises(RuntimeError):
        store.write(fail)
    assert state.catalog.find("music") is None
    assert state.tallies.known(16) is None
    store.close()


def test_a_definition_that_cannot_be_read_is_reported_when_it_is_used(tmp_path: Path) -> None:
    store = open_store(tmp_path / "data.db")
    state = loaded(store)
    store.write(lambda tx: tx.put(CATALOG, b"broken", StoredItem(b'{"Description":{}}', 0)))
    store.write(lambda tx: state.catalog.save(tx, DEFINITION))
    store.write(lambda tx: tx.create_space(16))
    state = loaded(store)
    assert state.catalog.table("music").id == 16
    for _ in range(2):
        with pytest.raises(StoreDamaged, match="'broken' cannot be read"):
            state.catalog.table("broken")
    with pytest.raises(StoreDamaged, match="'broken' cannot be read"):
        state.catalog.all()
    store.close()
    with closing(Database(open_store(tmp_path / "data.db"))) as db:
        assert db.call("ListTables", {})["TableNames"] == ["broken", "music"]
        assert db.call("GetItem", {"TableName": "music", "Key": {"artist": {"S": "a"}}}) == {}
        with pytest.raises(StoreDamaged, match=r"data\.db is damaged .*table definitions"):
            db.call("GetItem", {"TableName": "broken", "Key": {"artist": {"S": "a"}}})
