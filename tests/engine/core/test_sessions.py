"""Sessions: what readers and writers see of tables that are not committed yet, and the effects of a change."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView, open_store
from tablewright.errors import ResourceNotFound
from tests.engine.core.operations.music_table import CREATE_MUSIC, item, put


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(tmp_path / "data.db" if request.param == "file" else None))
    database.call("CreateTable", CREATE_MUSIC)
    yield database
    database.close()


def test_a_writer_sees_its_own_new_table_and_a_reader_of_a_file_only_committed_ones(tmp_path: Path) -> None:
    db = Database(open_store(tmp_path / "data.db"))
    db.call("CreateTable", CREATE_MUSIC)
    definition = db.state.catalog.table("music").definition
    renamed = {**definition, "Description": {**definition["Description"], "TableName": "staged"}}
    staged = db.state.store.stage(lambda rows: db.state.catalog.save(rows, renamed))
    assert db.sessions.read(lambda tx: tx.durable_table("staged")) is None
    db.state.store.flush()
    staged.outcome()
    assert db.sessions.read(lambda tx: tx.durable_table("staged")) is not None
    assert db.sessions.write(lambda tx: tx.durable_table("staged")) is not None
    db.close()


def test_an_unknown_table_has_the_message_of_its_plane(db: Database) -> None:
    with pytest.raises(ResourceNotFound, match=r"^Requested resource not found$"):
        db.sessions.read(lambda tx: tx.table("missing"))
    with pytest.raises(ResourceNotFound, match="Table: missing not found"):
        db.sessions.read(lambda tx: tx.described("missing"))


def test_totals_are_the_same_for_readers_and_writers(db: Database) -> None:
    put(db, "nina")
    table = db.state.catalog.table("music")
    expected = (1, len("artistnina"))
    assert db.sessions.read(lambda tx: tx.totals(table)) == expected
    put(db, "ella")
    assert db.sessions.write(lambda tx: tx.totals(table)) == (2, 2 * expected[1])


def test_a_new_space_is_empty_and_a_dropped_one_is_gone(db: Database) -> None:
    space = db.sessions.write(lambda tx: tx.new_space())
    assert db.sessions.read(lambda tx: tx.rows.has_space(space))
    assert db.state.tallies.known(space) == (0, 0)
    db.sessions.write(lambda tx: tx.drop_space(space))
    assert not db.sessions.read(lambda tx: tx.rows.has_space(space))
    assert db.state.tallies.known(space) is None


def test_every_effect_is_applied_in_order(db: Database) -> None:
    applied: list[str] = []
    db.state.effects = (
        lambda tx, change, meter: applied.append("first"),
        lambda tx, change, meter: applied.append("second"),
    )
    change = ItemChange(db.state.catalog.table("music"), b"key", None, StoredItem.of(item("nina"), 10))

    def apply(tx: Writing) -> None:
        tx.apply(change)

    db.sessions.write(apply)
    assert applied == ["first", "second"]


def test_a_table_is_counted_beside_writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A put during the count is not in the snapshot, and is in the tally."""
    path = tmp_path / "data.db"
    db = Database(open_store(path))
    db.call("CreateTable", CREATE_MUSIC)
    put(db, "nina")
    db.close()
    db = Database(open_store(path))
    totals = ReadView.totals
    writes: list[str] = []

    def put_then_count(
        view: ReadView, space: int, low: bytes = b"", high: bytes | None = None
    ) -> tuple[int, int]:
        if not writes:
            writes.append("ella")
            put(db, "ella")
        return totals(view, space, low, high)

    monkeypatch.setattr(ReadView, "totals", put_then_count)
    space = db.state.catalog.table("music").space
    for wait in (False, True):
        writes.clear()
        db.state.tallies.forget(space)
        counted = db.sessions.read(partial(Reading.count, space=space, wait=wait))
        assert counted is not None
        assert (writes, counted[0]) == (["ella"], 1)
        assert db.state.tallies.known(space) == db.state.store.read(lambda rows: totals(rows, space))
        db.call("DeleteItem", {"TableName": "music", "Key": item("ella")})
    db.close()
