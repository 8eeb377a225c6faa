"""Delete: what is removed, and the result."""

import pytest

from tablewright.access.writes.single import create, delete
from tablewright.access.writes.targets import Target
from tablewright.access.writes.values import Delete
from tablewright.errors import ConditionNotMet, DoesNotExist
from tests.access.studio import Artist, ArtistById, Room, RoomAt, Studio


def test_delete_returns_whether_the_entity_existed(store: Studio) -> None:
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


def test_delete_with_a_condition(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", seats=4)))
    with pytest.raises(ConditionNotMet) as caught:
        store.run_sync(delete(store.context, Delete(room, when=Room.seats > 4)))
    assert (caught.value.entity, caught.value.key) == ("Room", {"room_id": "1"})
    assert caught.value.condition == (Room.seats > 4)
    with pytest.raises(DoesNotExist):
        store.run_sync(delete(store.context, Delete(Target(Room, {"room_id": "2"}), when=Room.seats > 0)))
