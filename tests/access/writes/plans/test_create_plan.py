"""Create and put: the calls they make, the automatic fields they set, and what they reject."""

from datetime import UTC, datetime, timedelta

import pytest

from tablewright.access.writes.single import create, delete, put
from tablewright.access.writes.values import Delete
from tablewright.errors import AlreadyExists
from tests.access.studio import START, Artist, Note, Room, Studio, left_by

CREATED = datetime.fromtimestamp(START, UTC)


def test_create_of_one_item_is_one_call(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    assert store.operations() == ["PutItem"]
    assert store.table() == left_by(room)


def test_create_of_several_items_is_one_transaction(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    assert store.operations() == ["TransactWriteItems"]
    assert store.table() == left_by(artist)


def test_create_fails_when_the_entity_exists(store: Studio) -> None:
    for entity in (Room(room_id="1"), Artist(studio="s", artist_id="1", email="a@x")):
        store.run_sync(create(store.context, entity))
        before = store.table()
        with pytest.raises(AlreadyExists, match="already exists"):
            store.run_sync(create(store.context, entity))
        assert store.table() == before


def test_create_sets_automatic_fields_by_the_clock(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    assert (artist.created_at, artist.updated_at, artist.version) == (CREATED, CREATED, 1)
    assert artist.expires_at == int(START) + 30 * 24 * 3600


def test_create_keeps_given_timestamps(store: Studio) -> None:
    born = CREATED - timedelta(days=3)
    artist = Artist(studio="s", artist_id="1", created_at=born, updated_at=born, expires_at=2_000_000_000)
    made = store.run_sync(create(store.context, artist))
    assert (made.created_at, made.updated_at, made.expires_at) == (born, born, 2_000_000_000)


def test_a_changed_entity_gets_automatic_fields_on_create(store: Studio) -> None:
    changed = Artist(studio="s", artist_id="1").changed(level=3)
    assert store.run_sync(create(store.context, changed)).created_at == CREATED


def test_an_expired_entity_can_be_created_again(store: Studio) -> None:
    entity = Artist(studio="s", artist_id="1", email="a@x", friends=["f"])
    store.run_sync(create(store.context, entity))
    store.clock.advance(timedelta(days=31))
    again = store.run_sync(create(store.context, entity))
    assert store.table() == left_by(again)


def test_an_expired_lock_does_not_block_a_create(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    store.clock.advance(timedelta(days=31))
    other = store.run_sync(create(store.context, Artist(studio="s", artist_id="2", email="a@x")))
    store.db.sweep()
    assert store.table() == left_by(other)


def test_put_of_a_plain_entity_reads_nothing(store: Studio) -> None:
    store.run_sync(put(store.context, Note(note_id="1", text="old")))
    note = store.run_sync(put(store.context, Note(note_id="1", text="new")))
    assert store.operations() == ["PutItem", "PutItem"]
    assert store.table() == left_by(note)


def test_put_does_not_overwrite_an_item_of_another_type(store: Studio) -> None:
    key = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}, "type": {"S": "LEDGER"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": key})
    for write in (put(store.context, Note(note_id="1")), create(store.context, Note(note_id="1"))):
        with pytest.raises(AlreadyExists, match="an item of another type is stored under its key"):
            store.run_sync(write)
    with pytest.raises(AlreadyExists):
        store.run_sync(delete(store.context, Delete(Note(note_id="1"))))


def test_put_keeps_stored_counters(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", taken=5)))
    room = store.run_sync(put(store.context, Room(room_id="1", name="new", taken=0)))
    assert (room.taken, room.name) == (5, "new")
    assert store.table() == left_by(room)


def test_put_of_an_unchanged_entity_writes_nothing(store: Studio) -> None:
    room = store.run_sync(put(store.context, Room(room_id="1")))
    store.operations()
    assert store.run_sync(put(store.context, room)) == room
    assert store.operations() == ["GetItem"]


def test_put_updates_the_write_time_and_the_expiry(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.clock.advance(60)
    again = store.run_sync(put(store.context, artist))
    assert again.updated_at == CREATED + timedelta(seconds=60)
    assert again.created_at == CREATED
    assert again.expires_at == int(START) + 60 + 30 * 24 * 3600


def test_unknown_attributes_are_kept_by_a_put(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1")))
    key = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}}
    edit = {"UpdateExpression": "SET legacy = :v", "ExpressionAttributeValues": {":v": {"S": "kept"}}}
    store.db.call("UpdateItem", {"TableName": "studio-test", "Key": key, **edit})
    item = store.db.call("GetItem", {"TableName": "studio-test", "Key": key})["Item"]
    read = store.context.decoder(Room.layout).make(item)
    assert isinstance(read, Room)
    store.run_sync(put(store.context, read.changed(name="new")))
    assert [item.get("legacy") for item in store.table().values()] == [{"S": "kept"}]
    store.run_sync(put(store.context, room.changed(name="newer")))
    assert [item.get("legacy") for item in store.table().values()] == [None]
