"""Create, put, delete and move: what each does, refuses and says."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from tablewright.access.writes.single import create, delete, move, put, request
from tablewright.access.writes.targets import Address
from tablewright.access.writes.values import Create, Delete, Move
from tablewright.errors import AlreadyExists, ConditionNotMet, DoesNotExist, InvalidWrite
from tests.access.studio import START, Artist, ArtistById, Note, Room, RoomAt, Studio, left_by, studio

MOMENT = datetime.fromtimestamp(START, UTC)


@pytest.fixture
def store() -> Iterator[Studio]:
    with studio() as opened:
        yield opened


def test_create_takes_one_call_for_one_item(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    assert store.operations() == ["PutItem"]
    assert store.table() == left_by(room)


def test_create_takes_one_transaction_for_several_items(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    assert store.operations() == ["TransactWriteItems"]
    assert store.table() == left_by(artist)


def test_create_fails_when_it_exists(store: Studio) -> None:
    for entity in (Room(room_id="1"), Artist(studio="s", artist_id="1", email="a@x")):
        store.run_sync(create(store.context, entity))
        before = store.table()
        with pytest.raises(AlreadyExists, match="already exists"):
            store.run_sync(create(store.context, entity))
        assert store.table() == before


def test_create_stamps_by_the_clock_of_the_store(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    assert (artist.created_at, artist.updated_at, artist.version) == (MOMENT, MOMENT, 1)
    assert artist.expires_at == int(START) + 30 * 24 * 3600


def test_create_keeps_moments_that_were_given(store: Studio) -> None:
    born = MOMENT - timedelta(days=3)
    artist = Artist(studio="s", artist_id="1", created_at=born, updated_at=born, expires_at=2_000_000_000)
    made = store.run_sync(create(store.context, artist))
    assert (made.created_at, made.updated_at, made.expires_at) == (born, born, 2_000_000_000)


def test_a_changed_copy_is_stamped_as_one_that_was_never_written(store: Studio) -> None:
    changed = Artist(studio="s", artist_id="1").changed(level=3)
    assert store.run_sync(create(store.context, changed)).created_at == MOMENT


def test_what_has_expired_can_be_created_again(store: Studio) -> None:
    entity = Artist(studio="s", artist_id="1", email="a@x", friends=["f"])
    store.run_sync(create(store.context, entity))
    store.clock.advance(timedelta(days=31))
    again = store.run_sync(create(store.context, entity))
    assert store.table() == left_by(again)


def test_an_expired_lock_stands_in_nobodys_way(store: Studio) -> None:
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    store.clock.advance(timedelta(days=31))
    other = store.run_sync(create(store.context, Artist(studio="s", artist_id="2", email="a@x")))
    store.db.sweep()
    assert store.table() == left_by(other)


def test_put_writes_a_plain_entity_blindly(store: Studio) -> None:
    store.run_sync(put(store.context, Note(note_id="1", text="old")))
    note = store.run_sync(put(store.context, Note(note_id="1", text="new")))
    assert store.operations() == ["PutItem", "PutItem"]
    assert store.table() == left_by(note)


def test_put_does_not_overwrite_another_kind_of_entity(store: Studio) -> None:
    key = {"PK": {"S": "NOTE#1"}, "SK": {"S": "NOTE"}, "type": {"S": "LEDGER"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": key})
    for write in (put(store.context, Note(note_id="1")), create(store.context, Note(note_id="1"))):
        with pytest.raises(AlreadyExists, match="an item of another type is stored under its key"):
            store.run_sync(write)
    with pytest.raises(AlreadyExists):
        store.run_sync(delete(store.context, Delete(Note(note_id="1"))))


def test_put_keeps_the_counts_of_what_exists(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", taken=5)))
    room = store.run_sync(put(store.context, Room(room_id="1", name="new", taken=0)))
    assert (room.taken, room.name) == (5, "new")
    assert store.table() == left_by(room)


def test_put_of_what_is_so_already_writes_nothing(store: Studio) -> None:
    room = store.run_sync(put(store.context, Room(room_id="1")))
    store.operations()
    assert store.run_sync(put(store.context, room)) == room
    assert store.operations() == ["GetItem"]


def test_put_touches_and_slides_the_expiry(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.clock.advance(60)
    again = store.run_sync(put(store.context, artist))
    assert again.updated_at == MOMENT + timedelta(seconds=60)
    assert again.created_at == MOMENT
    assert again.expires_at == int(START) + 60 + 30 * 24 * 3600


def test_unknown_attributes_survive_a_write_back(store: Studio) -> None:
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


def test_delete_tells_whether_there_was_one(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x", friends=["f"])))
    store.operations()
    assert store.run_sync(delete(store.context, Delete(RoomAt(number="1"))))
    assert store.operations() == ["DeleteItem"]
    assert store.run_sync(delete(store.context, Delete(ArtistById(studio="s", artist_id="1"))))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert store.table() == {}
    assert not store.run_sync(delete(store.context, Delete(RoomAt(number="1"))))
    assert not store.run_sync(delete(store.context, Delete(ArtistById(studio="s", artist_id="1"))))


def test_delete_on_a_condition(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", seats=4)))
    with pytest.raises(ConditionNotMet) as caught:
        store.run_sync(delete(store.context, Delete(room, when=Room.seats > 4)))
    assert (caught.value.entity, caught.value.key) == ("Room", {"room_id": "1"})
    assert caught.value.condition == (Room.seats > 4)
    with pytest.raises(DoesNotExist):
        store.run_sync(delete(store.context, Delete(Address(Room, {"room_id": "2"}), when=Room.seats > 0)))


def test_move_is_one_transaction(store: Studio) -> None:
    artist = Artist(studio="s", artist_id="1", email="a@x", nickname="n", friends=["f"], likes=4)
    store.run_sync(create(store.context, artist))
    store.operations()
    moved = store.run_sync(move(store.context, Move(ArtistById(studio="s", artist_id="1"), {"studio": "t"})))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert (moved.studio, moved.likes, moved.version) == ("t", 4, 2)
    assert store.table() == left_by(moved)


def test_move_refuses_what_it_cannot_do(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.run_sync(create(store.context, Artist(studio="t", artist_id="1")))
    before = store.table()
    with pytest.raises(AlreadyExists, match=r"Artist\(studio='t', artist_id='1'\) already exists"):
        store.run_sync(move(store.context, Move(artist, {"studio": "t"})))
    with pytest.raises(InvalidWrite, match="move does not change the key of Artist"):
        store.run_sync(move(store.context, Move(artist, {"studio": "s"})))
    with pytest.raises(InvalidWrite, match="made of studio, artist_id; level was given"):
        store.run_sync(move(store.context, Move(artist, {"level": 3})))
    with pytest.raises(DoesNotExist):
        store.run_sync(move(store.context, Move(ArtistById(studio="x", artist_id="1"), {"studio": "y"})))
    assert store.table() == before


@pytest.mark.parametrize(
    ("key", "complaint"),
    [
        ({}, "is made of room_id; room_id is missing"),
        ({"room_id": "1", "name": "x"}, "name is not part of it"),
        ({"room_id": 5}, r"Room\.room_id: Input should be a valid string"),
    ],
)
def test_a_key_must_be_the_whole_key(store: Studio, key: dict[str, object], complaint: str) -> None:
    with pytest.raises(InvalidWrite, match=complaint):
        store.run_sync(delete(store.context, Delete(Address(Room, key))))


def test_a_write_can_be_shown_without_being_done(store: Studio) -> None:
    call = store.run_sync(request(store.context, Create(Note(note_id="1", text="t"))))
    assert call.operation == "PutItem"
    assert call.request["ConditionExpression"] == "(attribute_not_exists(#0)) OR (#1 BETWEEN :0 AND :1)"
    several = store.run_sync(request(store.context, Create(Artist(studio="s", artist_id="1", email="a@x"))))
    assert several.operation == "TransactWriteItems"
    assert store.table() == {}
