"""Upserts: create or update in one call, with copies, locks, counters, versions and times kept right."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from tablewright import errors
from tablewright.access.writes.plans.upsert_plan import given_fields
from tablewright.access.writes.single import create, delete, put, upsert
from tablewright.access.writes.transact import transact
from tablewright.access.writes.values import Create, Delete, Put, Upsert
from tests.access import shop
from tests.access.concurrency import together
from tests.access.shop import Order, order
from tests.access.studio import Artist, ArtistById, Interrupted, Note, Room, Studio, left_by

BY_ID = ArtistById(studio="s", artist_id="1")
ARTIST = Artist(studio="s", artist_id="1", email="a@x", city="Oslo", friends=["f"], likes=1)


class Full(Exception):
    pass


def test_it_creates_and_then_updates(store: Studio) -> None:
    made = store.run_sync(upsert(store.context, Upsert(ARTIST, set={"level": 5}, add={"likes": 1})))
    assert (made.level, made.likes, made.version) == (1, 1, 1)
    assert store.table() == left_by(made)
    store.clock.advance(timedelta(days=1))
    changed = store.run_sync(upsert(store.context, Upsert(ARTIST, set={"level": 5}, add={"likes": 1})))
    assert (changed.level, changed.likes, changed.version) == (5, 2, 2)
    assert changed.created_at == made.created_at
    assert changed.updated_at > made.updated_at
    assert store.table() == left_by(changed)


def test_without_an_update_it_sets_the_given_fields(store: Studio) -> None:
    made = store.run_sync(create(store.context, ARTIST.changed(level=3, nickname="Ed")))
    store.clock.advance(timedelta(days=1))
    given = Artist(studio="s", artist_id="1", email="b@x", city=None, friends=["g"], likes=9)
    changed = store.run_sync(upsert(store.context, Upsert(given)))
    kept = (changed.level, changed.nickname, changed.likes, changed.created_at)
    assert kept == (3, "Ed", made.likes, made.created_at)
    assert (changed.email, changed.city, changed.friends, changed.version) == ("b@x", None, ["g"], 2)
    assert store.table() == left_by(changed)


def test_an_entity_that_was_read_keeps_its_automatic_fields_automatic(store: Studio) -> None:
    read = store.run_sync(upsert(store.context, Upsert(ARTIST)))
    assert set(given_fields(read)) == {"email", "city", "friends"}
    store.clock.advance(timedelta(days=1))
    again = store.run_sync(upsert(store.context, Upsert(read)))
    assert again.expires_at == (read.expires_at or 0) + 86_400
    assert store.table() == left_by(again)


def test_unique_values_are_claimed_and_released(store: Studio) -> None:
    store.run_sync(upsert(store.context, Upsert(ARTIST)))
    eve = Artist(studio="s", artist_id="eve", email="A@x")
    with pytest.raises(errors.UniqueViolation):
        store.run_sync(upsert(store.context, Upsert(eve)))
    store.run_sync(create(store.context, eve.changed(email="e@x")))
    with pytest.raises(errors.UniqueViolation):
        store.run_sync(upsert(store.context, Upsert(eve)))
    store.run_sync(upsert(store.context, Upsert(ARTIST.changed(email="new@x"))))
    assert store.run_sync(upsert(store.context, Upsert(eve))).email == "A@x"


def test_an_expired_entity_is_created_again(store: Studio) -> None:
    old = store.run_sync(upsert(store.context, Upsert(ARTIST)))
    store.clock.advance(timedelta(days=31))
    new = store.run_sync(upsert(store.context, Upsert(ARTIST, add={"likes": 1})))
    assert (new.likes, new.version) == (1, 1)
    assert new.created_at > old.created_at
    assert store.table() == left_by(new)


def test_a_condition_holds_for_the_stored_entity_only(store: Studio) -> None:
    room = Room(room_id="1", taken=1)
    write = Upsert(room, add={"taken": 1}, when=Room.taken < 2, otherwise=Full)
    assert store.run_sync(upsert(store.context, write)).taken == 1
    assert store.run_sync(upsert(store.context, write)).taken == 2
    with pytest.raises(Full) as caught:
        store.run_sync(upsert(store.context, write))
    assert isinstance(caught.value.__cause__, errors.ConditionNotMet)


def test_an_upsert_that_cannot_change_anything_is_rejected(store: Studio) -> None:
    with pytest.raises(errors.InvalidWrite, match="upsert of Room changes nothing if the entity exists"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1", taken=1))))
    with pytest.raises(errors.InvalidWrite, match="colour"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1"), set={"colour": "red"})))
    assert store.operations() == []


def test_an_item_of_another_type_is_not_overwritten(store: Studio) -> None:
    item = {"PK": {"S": "ROOM#1"}, "SK": {"S": "ROOM"}, "type": {"S": "OTHER"}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": item})
    with pytest.raises(errors.AlreadyExists, match="another type"):
        store.run_sync(upsert(store.context, Upsert(Room(room_id="1", name="n"))))


def test_it_is_part_of_a_transaction(store: Studio) -> None:
    for expected in (1, 2):
        store.run_sync(
            transact(
                store.context,
                Create(Note(note_id=str(expected))),
                Upsert(Room(room_id="1", taken=1), add={"taken": 1}, when=Room.taken < 2, otherwise=Full),
            )
        )
    with pytest.raises(Full):
        store.run_sync(
            transact(
                store.context,
                Create(Note(note_id="3")),
                Upsert(Room(room_id="1", taken=1), add={"taken": 1}, when=Room.taken < 2, otherwise=Full),
            )
        )
    notes = [Note(note_id="1"), Note(note_id="2")]
    assert store.table() == left_by(Room(room_id="1", taken=2), *notes)


@pytest.mark.parametrize("entity", [ARTIST, Room(room_id="1", name="n")], ids=["dependents", "one item"])
def test_when_it_is_created_meanwhile_it_is_updated(store: Studio, entity: Any) -> None:
    write = "TransactWriteItems" if isinstance(entity, Artist) else "PutItem"
    race = Interrupted(store, write, lambda: store.run_sync(create(store.context, entity)))
    counter = "likes" if isinstance(entity, Artist) else "taken"
    found = race.run_sync(upsert(store.context, Upsert(entity, add={counter: 1})))
    assert race.operations[:3] == ["GetItem", write, "GetItem"]
    assert getattr(found, counter) == getattr(entity, counter) + 1
    assert store.table() == left_by(found)


def test_when_it_is_deleted_meanwhile_it_is_created(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", taken=7)))
    race = Interrupted(store, "UpdateItem", lambda: store.run_sync(delete(store.context, Delete(room))))
    found = race.run_sync(upsert(store.context, Upsert(Room(room_id="1", taken=1), add={"taken": 1})))
    assert race.operations == ["GetItem", "UpdateItem", "GetItem", "PutItem"]
    assert found.taken == 1
    assert store.table() == left_by(found)


def test_a_put_of_an_entity_deleted_meanwhile_creates_it(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1", seats=1)))
    room = Room(room_id="1", seats=2)
    race = Interrupted(store, "UpdateItem", lambda: store.run_sync(delete(store.context, Delete(room))))
    race.run_sync(put(store.context, room))
    assert race.operations == ["GetItem", "UpdateItem", "GetItem", "PutItem"]
    assert store.table() == left_by(room)


def test_a_delete_of_an_entity_deleted_meanwhile_returns_false(store: Studio) -> None:
    store.run_sync(create(store.context, ARTIST))

    def other() -> Callable[[], object]:
        return lambda: store.run_sync(delete(store.context, Delete(BY_ID)))

    race = Interrupted(store, "TransactWriteItems", other())
    assert race.run_sync(delete(store.context, Delete(BY_ID))) is False
    assert store.table() == {}
    store.run_sync(create(store.context, ARTIST))
    race = Interrupted(store, "TransactWriteItems", other())
    with pytest.raises(Full):
        race.run_sync(delete(store.context, Delete(BY_ID, otherwise=Full)))


def test_it_works_on_every_backend(db: Any) -> None:
    first = order("ada", 1, size=1)
    assert db.upsert(first, add={"size": 1}).size == 1
    assert db.upsert(first, add={"size": 1}).size == 2
    with pytest.raises(Full):
        db.upsert(first, add={"size": 1}, when=Order.size == 1, otherwise=Full)
    db.transact(Upsert(first, set={"size": 9}), Put(shop.Customer(customer_id="ada", email="e")))
    assert db.get_or_raise(shop.OrderById(customer_id="ada", order_id="001")).size == 9


def test_concurrent_upserts_create_once_and_update_otherwise(db: Any) -> None:
    first = order("ada", 1, size=1)
    found = together(db, 8, lambda repository: repository.upsert(first, add={"size": 1}))
    sizes = sorted(each.size for each in found)
    assert sizes == list(range(1, 9)), "one writer created the order, each other writer added to it"
