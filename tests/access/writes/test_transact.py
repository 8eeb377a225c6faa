"""Transactions: all or nothing, never split, never executed twice."""

from datetime import timedelta

import pytest

from tablewright import Faults
from tablewright.access.writes.entity_writes import create, transact, update
from tablewright.access.writes.values import (
    Add,
    Check,
    CheckAbsent,
    Create,
    Delete,
    Move,
    Put,
    Target,
    Update,
)
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    DoesNotExist,
    InternalFailure,
    InvalidWrite,
    TransactionCanceled,
    TransactionConflict,
    TransactionFailed,
    TransactionTooLarge,
    UniqueViolation,
)
from tests.access.studio import Artist, Flaky, Note, Room, RoomAt, Studio, left_by, studio

ROOM = Target(Room, {"room_id": "1"})


def test_all_kinds_of_writes_in_one_transaction(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", seats=2)))
    note = store.run_sync(create(store.context, Note(note_id="old")))
    moving = store.run_sync(create(store.context, Artist(studio="s", artist_id="m", email="m@x")))
    store.operations()
    made, counted, _, moved, put = store.run_sync(
        transact(
            store.context,
            Create(Artist(studio="s", artist_id="1", email="a@x", friends=["f"])),
            Add(ROOM, taken=1),
            Delete(note),
            Move(moving, {"studio": "t"}),
            Put(Note(note_id="new")),
        )
    )
    assert store.operations() == ["GetItem", "TransactWriteItems"]
    assert counted is None, "a blind update does not know the whole entity"
    assert isinstance(made, Artist)
    assert isinstance(moved, Artist)
    assert isinstance(put, Note)
    assert store.table() == left_by(made, room.changed(taken=1), moved, put)


def test_a_failed_transaction_lists_the_error_of_each_write(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1", seats=2)))
    artist = store.run_sync(create(store.context, Artist(studio="s", artist_id="1", email="a@x")))
    note = store.run_sync(create(store.context, Note(note_id="old")))
    with pytest.raises(TransactionFailed) as caught:
        store.run_sync(
            transact(
                store.context,
                Put(Note(note_id="1")),
                Create(Artist(studio="s", artist_id="2", email="A@x")),
                Check(room, Room.seats > 2),
                Create(note),
                Add(RoomAt(number="2"), taken=1),
            )
        )
    kinds = [type(failure) for failure in caught.value.failures]
    assert kinds == [type(None), UniqueViolation, ConditionNotMet, AlreadyExists, DoesNotExist]
    assert "write 2 (Create): Artist(studio='s', artist_id='2') cannot have email" in str(caught.value)
    assert store.table() == left_by(room, artist, note)


def test_an_invalid_write_fails_the_transaction_before_it_is_sent(store: Studio) -> None:
    missing = Update(Target(Artist, {"studio": "s", "artist_id": "1"}), set={"level": 2})
    with pytest.raises(TransactionFailed) as caught:
        store.run_sync(transact(store.context, Put(Note(note_id="1")), missing))
    assert [type(failure) for failure in caught.value.failures] == [type(None), DoesNotExist]
    assert store.table() == {}


def test_check_requires_that_the_entity_exists(store: Studio) -> None:
    with pytest.raises(TransactionFailed, match="does not exist"):
        store.run_sync(transact(store.context, Check(ROOM), Put(Note(note_id="1"))))
    room = store.run_sync(create(store.context, Room(room_id="1")))
    store.run_sync(transact(store.context, Check(ROOM, Room.seats == 1), Put(Note(note_id="1"))))
    assert store.table() == left_by(room, Note(note_id="1"))


def test_check_absent_accepts_a_missing_or_expired_entity(store: Studio) -> None:
    artist = Target(Artist, {"studio": "s", "artist_id": "1"})
    store.run_sync(transact(store.context, CheckAbsent(artist), Put(Note(note_id="1"))))
    store.run_sync(create(store.context, Artist(studio="s", artist_id="1")))
    with pytest.raises(TransactionFailed) as caught:
        store.run_sync(transact(store.context, Put(Note(note_id="2")), CheckAbsent(artist)))
    assert [type(failure) for failure in caught.value.failures] == [type(None), AlreadyExists]
    store.clock.advance(timedelta(days=31))
    store.run_sync(transact(store.context, CheckAbsent(artist), Put(Note(note_id="3"))))


def test_locks_and_copies_count_towards_the_limit(store: Studio) -> None:
    friends = [str(number) for number in range(48)]
    artists = [Artist(studio="s", artist_id=n, email=f"{n}@x", friends=friends) for n in "12"]
    with pytest.raises(
        TransactionTooLarge, match="touches 102 items, locks and copies included, and DynamoDB allows 100"
    ):
        store.run_sync(transact(store.context, *map(Create, artists)))
    assert store.operations() == []
    store.run_sync(transact(store.context, *(Create(each.changed(friends=friends[:47])) for each in artists)))
    assert len(store.table()) == 100


def test_two_writes_of_one_item_are_rejected(store: Studio) -> None:
    with pytest.raises(InvalidWrite, match="touch one item: Put of Note and Delete of Note"):
        store.run_sync(transact(store.context, Put(Note(note_id="1")), Delete(Note(note_id="1"))))


def test_an_empty_transaction_makes_no_call(store: Studio) -> None:
    assert store.run_sync(transact(store.context)) == ()
    assert store.operations() == []


CONFLICT = TransactionCanceled([{"Code": "TransactionConflict"}, {"Code": "None"}])


def test_a_transaction_is_repeated_with_its_token(store: Studio) -> None:
    room = store.run_sync(create(store.context, Room(room_id="1")))
    flaky = Flaky(store, (CONFLICT, False), (InternalFailure("broken"), True), (CONFLICT, False))
    flaky.run_sync(transact(store.context, Add(ROOM, taken=1), Put(Note(note_id="1"))))
    assert len(set(flaky.tokens)) == 1
    assert len(flaky.tokens) == 4
    assert len(flaky.pauses) == 3
    assert store.table() == left_by(room.changed(taken=1), Note(note_id="1"))


def test_a_single_write_is_repeated_after_a_transaction_conflict(store: Studio) -> None:
    store.run_sync(create(store.context, Room(room_id="1")))
    flaky = Flaky(store, (TransactionConflict("ongoing"), False), (TransactionConflict("ongoing"), False))
    assert flaky.run_sync(update(store.context, Add(ROOM, taken=1))).taken == 1


def test_a_permanent_conflict_is_raised(store: Studio) -> None:
    flaky = Flaky(store, *[(CONFLICT, False)] * 50)
    with pytest.raises(TransactionCanceled, match="TransactionConflict"):
        flaky.run_sync(transact(store.context, Put(Note(note_id="1")), Put(Note(note_id="2"))))
    assert store.table() == {}


def test_with_random_faults_every_write_is_executed_once(store: Studio) -> None:
    with studio(Faults(seed=3, conflicts=0.3, throttling=0.2, internal_errors=0.3)) as troubled:
        artist = troubled.run_sync(create(troubled.context, Artist(studio="s", artist_id="1", email="a@x")))
        for _ in range(20):
            artist = troubled.run_sync(update(troubled.context, Update(artist, add={"likes": 1})))
        assert artist.likes == 20
        assert troubled.table() == left_by(artist)
