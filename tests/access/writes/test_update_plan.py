"""Updates: which write without a read, which read first, and which are rejected."""

from datetime import timedelta
from typing import Any

import pytest

from tablewright.access.procedures import Call, Procedure
from tablewright.access.writes.entity_writes import create, update
from tablewright.access.writes.values import Add, Target, Update
from tablewright.design.entities.entities import Entity
from tablewright.design.keys.keys import Keys
from tablewright.errors import ConditionNotMet, Contended, DoesNotExist, InvalidWrite
from tests.access.studio import Artist, ArtistById, Room, RoomAt, Studio, left_by, main

ROOM = Target(Room, {"room_id": "1"})


class Shelf(Entity, table=main, type="SHELF"):
    """Two indexes that share their partition key, and nothing that must be read."""

    shelf_id: str
    hall: str | None = None
    rank: int | None = None
    label: str | None = None

    keys = Keys(
        primary=("SHELF#{shelf_id}", "SHELF"),
        GSI1=("HALL#{shelf_id}", "{label}"),
        GSI3=("HALL#{shelf_id}", "{rank}"),
    )


def test_index_keys_are_updated_without_a_read_when_all_fields_are_known(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    store.operations()
    room = store.run_sync(update(store.context, Update(ROOM, set={"owner": "me", "name": "attic"})))
    assert store.operations() == ["UpdateItem"]
    assert store.table() == left_by(room)
    assert [item["GSI1PK"]["S"] for item in store.index("GSI1")] == ["OWNER#me"]


def test_index_keys_are_updated_after_a_read_when_a_field_is_missing(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    store.operations()
    room = store.run_sync(update(store.context, Update(ROOM, set={"owner": "you"})))
    assert store.operations() == ["GetItem", "UpdateItem"]
    assert (room.owner, room.name) == ("you", "room")
    assert store.table() == left_by(room)


@pytest.mark.parametrize("write", [Update(ROOM, remove=["owner"]), Update(ROOM, set={"owner": None})])
def test_removing_a_field_removes_its_index_key(store: Studio, write: Update[Room]) -> None:
    store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    room = store.run_sync(update(store.context, write))
    assert room.owner is None
    assert store.index("GSI1") == []
    assert store.table() == left_by(room)


def test_a_sparse_key_is_removed_when_its_condition_fails(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", is_open=True)))
    assert len(store.index("GSI2")) == 2
    closed = store.run_sync(update(store.context, Update(artist, set={"is_open": False})))
    assert store.index("GSI2") == []
    assert store.table() == left_by(closed)


def test_indexes_that_share_an_attribute_are_updated_together(store: Studio) -> None:
    shelf = store.run_sync(create(store.context, Shelf(shelf_id="1", label="l", rank=1)))
    store.operations()
    shelf = store.run_sync(update(store.context, Update(shelf, set={"rank": None, "label": "m"})))
    assert store.operations() == ["UpdateItem"]
    assert store.table() == left_by(shelf)
    shelf = store.run_sync(update(store.context, Update(shelf, remove=["label"], set={"rank": 2})))
    assert store.table() == left_by(shelf)
    shelf = store.run_sync(update(store.context, Update(shelf, set={"label": "n"})))
    store.operations()
    shelf = store.run_sync(update(store.context, Update(shelf, remove=["rank"])))
    assert store.operations() == ["GetItem", "UpdateItem"], (
        "whether the shared key stays depends on the label"
    )
    assert len(store.index("GSI1")) == 1
    assert store.table() == left_by(shelf)


def test_update_of_a_missing_entity_writes_nothing(store: Studio) -> None:
    for write in (
        Update(ROOM, set={"owner": "me", "name": "attic"}),
        Update(ROOM, set={"owner": "me"}),
        Update(ROOM, remove=["owner"]),
        Add(ROOM, taken=1),
        Update(ArtistById(studio="s", artist_id="1"), set={"level": 2}),
    ):
        with pytest.raises(DoesNotExist, match="does not exist"):
            store.run_sync(update(store.context, write))
    assert store.table() == {}


def test_an_expired_entity_cannot_be_updated(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    store.clock.advance(timedelta(days=31))
    with pytest.raises(DoesNotExist):
        store.run_sync(update(store.context, Update(ArtistById(studio="s", artist_id="1"), set={"level": 2})))
    assert store.table() == left_by(artist)


def test_update_does_not_change_an_item_of_another_type(store: Studio) -> None:
    key = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": {**key, "type": {"S": "LEDGER"}}})
    with pytest.raises(DoesNotExist):
        store.run_sync(update(store.context, Add(ROOM, taken=1)))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"set": {"room_id": "2"}}, r"Room\.room_id is part of the primary key.*use move"),
        ({"remove": ["room_id"]}, r"Room\.room_id is required"),
        ({"add": {"room_id": 1}}, "use move"),
        ({"set": {"taken": 0}}, r"Room\.taken is a Counter; change it with add"),
        ({"set": {"nmae": "x"}}, "Room has no field nmae; did you mean name"),
        ({"set": {"seats": "many"}}, r"Room\.seats must be a valid integer, got .many."),
        ({"set": {"name": "x"}, "remove": ["name"]}, "names name more than once"),
        ({"add": {"seats": "1"}}, "add takes a number or a set"),
        ({}, "changes nothing"),
        ({"set": {"name": "x"}, "when": True}, "when= takes a condition, not True"),
        ({"set": {"name": "x"}, "version": 3}, "Room has no Version field"),
    ],
)
def test_invalid_updates_are_rejected_before_a_call(
    store: Studio, changes: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidWrite, match=message):
        store.run_sync(update(store.context, Update(ROOM, **changes)))
    assert store.operations() == []


def test_removing_a_field_that_cannot_be_none_sets_its_default(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", name="attic", seats=9)))
    room = store.run_sync(update(store.context, Update(ROOM, remove=["name", "seats"])))
    assert (room.name, room.seats) == ("room", 1)
    assert store.table() == left_by(room)


def test_add_is_one_call(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", taken=2)))
    store.operations()
    room = store.run_sync(update(store.context, Update(RoomAt(number="1"), add={"taken": 3, "seats": -1})))
    assert store.operations() == ["UpdateItem"]
    assert (room.taken, room.seats) == (5, 0)


def test_add_to_an_absent_number_starts_at_its_default(store: Studio) -> None:
    item = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}, "type": {"S": "ROOM"}, "roomId": {"S": "1"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": item})
    room = store.run_sync(update(store.context, Add(ROOM, seats=1, taken=1)))
    assert (room.seats, room.taken) == (2, 1)


def test_add_to_a_set_adds_members(store: Studio) -> None:
    artist = store.run_sync(
        create(store.context, Artist(studio="s", artist_id="1", tags={"a"}, friends=["f"]))
    )
    artist = store.run_sync(update(store.context, Update(artist, add={"tags": {"b"}})))
    assert artist.tags == {"a", "b"}
    assert store.table() == left_by(artist)


def test_update_sets_the_write_time_and_the_expiry(store: Studio) -> None:
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    store.clock.advance(60)
    later = store.run_sync(
        update(store.context, Update(ArtistById(studio="s", artist_id="1"), set={"level": 2}))
    )
    assert later.updated_at == artist.updated_at + timedelta(seconds=60)
    assert artist.expires_at is not None
    assert later.expires_at == artist.expires_at + 60
    assert store.table() == left_by(later)


@pytest.mark.parametrize("changes", [{"seats": 4, "name": "x", "owner": "y"}, {"owner": "y"}])
def test_a_failed_condition_is_raised(store: Studio, changes: dict[str, Any]) -> None:
    store.run_sync(create(store.context, Room(room_id="1", seats=2)))
    before = store.table()
    with pytest.raises(ConditionNotMet) as caught:
        store.run_sync(update(store.context, Update(ROOM, set=changes, when=Room.seats > 2)))
    assert caught.value.condition == (Room.seats > 2)
    assert store.table() == before
    assert store.run_sync(update(store.context, Update(ROOM, set=changes, when=Room.seats == 2))).owner == "y"


def run_against_writer(store: Studio, procedure: Procedure[Any], write: Any, times: int) -> Any:
    """Run a procedure; another writer writes after each of its first reads."""

    def call(operation: str, request: dict[str, Any]) -> dict[str, Any]:
        nonlocal times
        reply = store.db.call(operation, request)
        if operation == "GetItem" and times:
            times -= 1
            write()
        return reply

    from tablewright.access.procedures import run_sync

    return run_sync(procedure, call, lambda seconds: None)


def test_an_update_is_planned_again_after_another_write(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    names = iter("abc")

    def rename() -> None:
        name = next(names)
        store.run_sync(update(store.context, Update(ROOM, set={"name": name, "owner": "other"})))

    write = Update(ROOM, set={"owner": "you"})
    room = run_against_writer(store, update(store.context, write), rename, times=3)
    assert (room.owner, room.name) == ("you", "c")
    assert store.table() == left_by(room)


def test_a_change_of_another_field_is_kept_without_a_retry(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    store.operations()

    def count() -> None:
        store.run_sync(update(store.context, Update(ROOM, add={"taken": 1}, set={"seats": 8})))

    room = run_against_writer(
        store, update(store.context, Update(ROOM, set={"owner": "you"})), count, times=1
    )
    assert (room.owner, room.taken, room.seats) == ("you", 1, 8)
    assert store.operations() == ["UpdateItem"], (
        "the update itself went past the store's book, and was made once"
    )


def test_permanent_contention_is_raised(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", owner="me")))
    number = iter(range(100))

    def rename() -> None:
        store.run_sync(
            update(store.context, Update(ROOM, set={"name": f"n{next(number)}", "owner": "other"}))
        )

    with pytest.raises(Contended, match="changed by other writers in every attempt"):
        run_against_writer(
            store, update(store.context, Update(ROOM, set={"owner": "you"})), rename, times=100
        )


def test_names_and_values_are_always_aliased(store: Studio) -> None:
    write = Update(ROOM, set={"name": "x", "owner": "y"}, add={"taken": 1}, when=Room.seats.one_of(1, 2))  # type: ignore[attr-defined]
    call = next(update(store.context, write))
    assert isinstance(call, Call)
    for expression in ("UpdateExpression", "ConditionExpression"):
        words = set(call.request[expression].replace("(", " ").replace(")", " ").replace(",", " ").split())
        known = {
            "SET",
            "REMOVE",
            "AND",
            "OR",
            "IN",
            "NOT",
            "BETWEEN",
            "=",
            "+",
            "if_not_exists",
            "attribute_exists",
        }
        assert all(word[0] in "#:" for word in words - known)
