"""Optimistic locking: a write succeeds only on the version that was read."""

import pytest

from tablewright.access.writes.entity_writes import create, delete, move, put, update
from tablewright.access.writes.values import Add, Delete, Move, Update
from tablewright.errors import VersionConflict
from tests.access.studio import Artist, ArtistById, Ledger, Studio, left_by

BY_ID = ArtistById(studio="s", artist_id="1")


def test_every_write_increases_the_version(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    assert artist.version == 1
    artist = store.run_sync(update(store.context, Update(artist, set={"level": 2})))
    assert artist.version == 2
    artist = store.run_sync(update(store.context, Add(BY_ID, likes=1)))
    assert artist.version == 3
    artist = store.run_sync(put(store.context, artist))
    assert artist.version == 4
    artist = store.run_sync(move(store.context, Move(artist, {"studio": "t"})))
    assert artist.version == 5
    assert store.table() == left_by(artist)


def test_a_stale_entity_is_not_written(store: Studio) -> None:
    read = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    now = store.run_sync(update(store.context, Update(read, set={"level": 2})))
    for attempt in (
        update(store.context, Update(read, set={"level": 3})),
        put(store.context, read),
        delete(store.context, Delete(read)),
        move(store.context, Move(read, {"studio": "t"})),
        update(store.context, Update(BY_ID, set={"level": 3}, version=1)),
        put(store.context, Artist(studio="s", artist_id="1")),
    ):
        with pytest.raises(VersionConflict) as caught:
            store.run_sync(attempt)
        assert caught.value.found == 2
    assert store.table() == left_by(now)


def test_without_a_version_nothing_is_checked(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    assert store.run_sync(update(store.context, Update(BY_ID, set={"level": 2}))).version == 2
    assert store.run_sync(delete(store.context, Delete(BY_ID)))


def test_a_deleted_entity_is_a_version_conflict(store: Studio) -> None:
    read = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.run_sync(delete(store.context, Delete(read)))
    for attempt in (
        put(store.context, read),
        update(store.context, Update(read, set={"level": 3})),
        delete(store.context, Delete(read)),
    ):
        with pytest.raises(VersionConflict, match="is gone, not at version 1"):
            store.run_sync(attempt)
    assert store.table() == {}


def test_the_version_of_a_plain_entity_is_checked_in_one_call(store: Studio) -> None:
    ledger = store.run_sync(put(store.context, Ledger(ledger_id="1")))
    assert ledger.version == 1
    with pytest.raises(VersionConflict):
        store.run_sync(put(store.context, Ledger(ledger_id="1")))
    ledger = store.run_sync(put(store.context, ledger.changed(total=5)))
    ledger = store.run_sync(update(store.context, Update(ledger, set={"total": 6})))
    assert store.operations() == ["PutItem", "PutItem", "PutItem", "UpdateItem"]
    assert (ledger.total, ledger.version) == (6, 3)
    assert store.table() == left_by(ledger)


def test_items_without_a_version_can_be_written(store: Studio) -> None:
    item = {"PK": {"S": "LEDGER#1"}, "SK": {"S": "LEDGER"}, "type": {"S": "LEDGER"}, "ledgerId": {"S": "1"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": {**item, "total": {"N": "2"}}})
    read = Ledger(ledger_id="1", total=2)
    assert store.run_sync(update(store.context, Update(read, add={"total": 1}))).version == 1
    with pytest.raises(VersionConflict):
        store.run_sync(update(store.context, Update(read, add={"total": 1})))
