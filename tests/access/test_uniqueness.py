"""Unique fields: one winner, no orphan lock, an error that names the field."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest

from tablewright.access.items.footprint import is_dependent
from tablewright.access.writes.entity_writes import create, delete, move, put, transact, update
from tablewright.access.writes.values import Create, Delete, Move, Update
from tablewright.errors import (
    AlreadyExists,
    Contended,
    DoesNotExist,
    InvalidWrite,
    TablewrightError,
    UniqueViolation,
    VersionConflict,
)
from tests.access.studio import Artist, ArtistById, Studio, left_by

RACERS = 50
ROUNDS = 40
"""A race may end with the artist deleted, which leaves nothing to check; then it is run again."""


def artist(artist_id: str, **values: Any) -> Artist:
    return Artist(studio="s", artist_id=artist_id, **values)


def by_id(artist_id: str) -> ArtistById:
    return ArtistById(studio="s", artist_id=artist_id)


def race(runner: Callable[[int], Any]) -> list[Any]:
    """Run the function in threads that start together; return the result or the error of each."""
    start = Barrier(RACERS)

    def run(number: int) -> Any:
        start.wait()
        try:
            return runner(number)
        except TablewrightError as error:
            return error

    with ThreadPoolExecutor(RACERS) as pool:
        return list(pool.map(run, range(RACERS)))


def stored_artists(store: Studio) -> list[Artist]:
    """Decode the artists in the table; copies and locks are left out."""
    make = store.context.decoder(Artist.layout).make
    return [make(item) for item in store.table().values() if not is_dependent(item)]  # type: ignore[misc]


def test_a_taken_value_is_rejected_with_its_field(store: Studio) -> None:
    first = store.run_sync(create(store.context, artist("1", email="Ada@x")))
    with pytest.raises(UniqueViolation, match="cannot have email = 'ADA@X': another Artist has it") as caught:
        store.run_sync(create(store.context, artist("2", email="ADA@X")))
    assert (caught.value.entity, caught.value.field, caught.value.value) == ("Artist", "email", "ADA@X")
    assert store.table() == left_by(first)


def test_within_limits_the_scope_of_uniqueness(store: Studio) -> None:
    there = [
        store.run_sync(create(store.context, artist("1", nickname="n", city="Oslo"))),
        store.run_sync(create(store.context, artist("2", nickname="n", city="Rome"))),
        store.run_sync(create(store.context, artist("3", nickname="n"))),
    ]
    with pytest.raises(UniqueViolation) as caught:
        store.run_sync(create(store.context, artist("4", nickname="n", city="Rome")))
    assert caught.value.field == "nickname"
    assert str(caught.value).endswith(
        "cannot have nickname = 'n': another Artist of the same studio and city has it"
    )
    with pytest.raises(UniqueViolation):
        store.run_sync(update(store.context, Update(by_id("2"), set={"city": "Oslo"})))
    with pytest.raises(UniqueViolation):
        store.run_sync(create(store.context, artist("5", nickname="n")))
    assert store.table() == left_by(*there)


def test_a_changed_value_moves_its_lock(store: Studio) -> None:
    store.run_sync(create(store.context, artist("1", email="a@x")))
    store.operations()
    changed = store.run_sync(update(store.context, Update(by_id("1"), set={"email": "b@x"})))
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert store.table() == left_by(changed)
    other = store.run_sync(create(store.context, artist("2", email="a@x")))
    assert store.table() == left_by(changed, other)


def test_a_value_with_the_same_normal_form_keeps_its_lock(store: Studio) -> None:
    store.run_sync(create(store.context, artist("1", email="a@x")))
    changed = store.run_sync(update(store.context, Update(by_id("1"), set={"email": "A@X"})))
    assert store.table() == left_by(changed)


@pytest.mark.parametrize("free", ["update", "put", "delete", "move"])
def test_a_released_value_can_be_claimed(store: Studio, free: str) -> None:
    first = store.run_sync(create(store.context, artist("1", email="a@x", nickname="n")))
    match free:
        case "update":
            store.run_sync(update(store.context, Update(first, remove=["email", "nickname"])))
        case "put":
            store.run_sync(put(store.context, first.changed(email=None, nickname=None)))
        case "delete":
            store.run_sync(delete(store.context, Delete(first)))
        case "move":
            store.run_sync(move(store.context, Move(first, {"studio": "t"})))
    again = (
        None if free == "move" else "a@x"
    )  # a moved artist keeps the values that are unique in all studios
    store.run_sync(create(store.context, artist("2", email=again, nickname="n")))


def test_a_lock_of_another_entity_is_not_deleted(store: Studio) -> None:
    first = store.run_sync(create(store.context, artist("1", email="a@x")))
    key = {"PK": {"S": "_lock#ARTIST#email#a@x"}, "SK": {"S": "_lock"}}
    theirs = {**key, "type": {"S": "_lock"}, "_of": {"M": {"PK": {"S": "another"}}}}
    store.db.call("PutItem", {"TableName": "studio-test", "Item": theirs})

    def stored_lock() -> object:
        return store.db.call("GetItem", {"TableName": "studio-test", "Key": key}).get("Item")

    changed = store.run_sync(update(store.context, Update(first, set={"email": "b@x"})))
    assert stored_lock() == theirs
    with pytest.raises(UniqueViolation):
        store.run_sync(update(store.context, Update(changed, set={"email": "a@x"})))
    store.run_sync(delete(store.context, Delete(changed)))
    assert stored_lock() == theirs


def test_concurrent_claims_have_one_winner(store: Studio) -> None:
    outcomes = race(lambda number: store.run_sync(create(store.context, artist(str(number), email="a@x"))))
    winners = [each for each in outcomes if isinstance(each, Artist)]
    assert len(winners) == 1
    assert {type(each) for each in outcomes} == {Artist, UniqueViolation}
    assert store.table() == left_by(*winners)


def test_concurrent_updates_to_one_value_have_one_winner(store: Studio) -> None:
    there = [store.run_sync(create(store.context, artist(str(n), email=f"{n}@x"))) for n in range(RACERS)]
    outcomes = race(
        lambda n: store.run_sync(update(store.context, Update(by_id(str(n)), set={"email": "a@x"})))
    )
    winners = [each for each in outcomes if isinstance(each, Artist)]
    assert len(winners) == 1
    losers = [each for each in there if each.artist_id != winners[0].artist_id]
    assert store.table() == left_by(*winners, *losers)


def test_concurrent_updates_leave_the_locks_of_the_last(store: Studio) -> None:
    store.run_sync(create(store.context, artist("1", email="a@x", nickname="n")))
    outcomes = race(
        lambda n: store.run_sync(update(store.context, Update(by_id("1"), set={"email": f"{n}@x"})))
    )
    winners = [each for each in outcomes if isinstance(each, Artist)]
    assert {type(each) for each in outcomes} <= {Artist, Contended}
    assert len(winners) > 1, "no two updates raced"
    (left,) = stored_artists(store)
    assert left in winners
    assert store.table() == left_by(left)


def test_concurrent_updates_deletes_and_creates_leave_no_orphan_lock(store: Studio) -> None:

    def change(number: int) -> Artist | bool:
        if number % 10 == 3:
            return store.run_sync(delete(store.context, Delete(by_id("1"))))
        if number % 10 == 7:
            return store.run_sync(create(store.context, artist("1", email=f"c{number}@x")))
        return store.run_sync(update(store.context, Update(by_id("1"), set={"email": f"{number}@x"})))

    for _ in range(ROUNDS):
        if not stored_artists(store):
            store.run_sync(create(store.context, artist("1", email="a@x", nickname="n")))
        outcomes = race(change)
        assert {type(each) for each in outcomes} <= {Artist, bool, AlreadyExists, Contended, DoesNotExist}
        left = stored_artists(store)
        assert store.table() == left_by(*left)
        if left and any(each is True for each in outcomes):
            return
    pytest.fail(f"in {ROUNDS} races the artist was never deleted and created again")


def test_concurrent_puts_of_one_version_have_one_winner(store: Studio) -> None:
    read = store.run_sync(create(store.context, artist("1", email="a@x")))
    outcomes = race(lambda n: store.run_sync(put(store.context, read.changed(email=f"{n}@x"))))
    winners = [each for each in outcomes if isinstance(each, Artist)]
    assert len(winners) == 1
    assert {type(each) for each in outcomes} == {Artist, VersionConflict}
    assert store.table() == left_by(*winners)


def test_a_value_cannot_change_its_owner_in_one_transaction(store: Studio) -> None:
    first = store.run_sync(create(store.context, artist("1", email="a@x")))
    with pytest.raises(InvalidWrite, match="two writes of the transaction touch one item"):
        store.run_sync(transact(store.context, Delete(first), Create(artist("2", email="a@x"))))
    assert store.table() == left_by(first)
