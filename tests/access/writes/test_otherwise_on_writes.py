"""`otherwise` on writes: the caller's exception for each failed precondition, alone and in a transaction."""

from collections.abc import Callable
from typing import Any

import pytest

from tablewright import errors, writes
from tablewright.access.procedures import Procedure
from tablewright.access.writes import entity_writes
from tablewright.access.writes.batch import batch
from tablewright.access.writes.entity_writes import transact
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
    Write,
)
from tests.access import shop
from tests.access.shop import Customer, Order, order
from tests.access.studio import Artist, Ledger, Note, Room, Studio, left_by

MISSING = Target(Room, {"room_id": "missing"})
STORED = Target(Room, {"room_id": "1"})
EVE = Artist(studio="s", artist_id="eve", email="A@x")


class Failed(Exception):
    pass


def _case(make: Callable[[], Write], error: type[errors.WriteError], name: str) -> Any:
    return pytest.param(make, error, id=name)


CASES = [
    _case(lambda: Create(Room(room_id="1"), otherwise=Failed), errors.AlreadyExists, "create"),
    _case(lambda: Create(EVE, otherwise=Failed), errors.UniqueViolation, "create unique"),
    _case(lambda: Put(EVE, otherwise=Failed), errors.UniqueViolation, "put"),
    _case(lambda: Put(Ledger(ledger_id="1"), otherwise=Failed), errors.VersionConflict, "put version"),
    _case(lambda: Update(MISSING, set={"seats": 1}, otherwise=Failed), errors.DoesNotExist, "update"),
    _case(
        lambda: Update(STORED, set={"seats": 2}, when=Room.seats == 9, otherwise=Failed),
        errors.ConditionNotMet,
        "update when",
    ),
    _case(lambda: Add(MISSING, taken=1, otherwise=Failed), errors.DoesNotExist, "add"),
    _case(lambda: Delete(MISSING, otherwise=Failed), errors.DoesNotExist, "delete"),
    _case(
        lambda: Delete(Target(Artist, {"studio": "s", "artist_id": "no"}), otherwise=Failed),
        errors.DoesNotExist,
        "delete with dependents",
    ),
    _case(lambda: Move(MISSING, {"room_id": "2"}, otherwise=Failed), errors.DoesNotExist, "move"),
]
CHECKS = [
    _case(lambda: Check(STORED, Room.seats == 9, otherwise=Failed), errors.ConditionNotMet, "check"),
    _case(lambda: CheckAbsent(STORED, otherwise=Failed), errors.AlreadyExists, "check absent"),
]


@pytest.fixture
def filled(store: Studio) -> Studio:
    for entity in (
        Room(room_id="1"),
        Ledger(ledger_id="1"),
        Artist(studio="s", artist_id="1", email="a@x"),
    ):
        store.run_sync(entity_writes.create(store.context, entity))
    return store


def alone(store: Studio, write: Write) -> Procedure[Any]:
    match write:
        case Create(entity):
            return entity_writes.create(store.context, entity, write.otherwise)
        case Put(entity):
            return entity_writes.put(store.context, entity, write.otherwise)
        case Update():
            return entity_writes.update(store.context, write)
        case Delete():
            return entity_writes.delete(store.context, write)
        case Move():
            return entity_writes.move(store.context, write)
        case _:
            raise AssertionError(write)


@pytest.mark.parametrize(("make", "error"), CASES)
def test_a_single_write_raises_it_from_the_typed_error(
    filled: Studio, make: Callable[[], Write], error: type[errors.WriteError]
) -> None:
    before = filled.table()
    with pytest.raises(Failed) as caught:
        filled.run_sync(alone(filled, make()))
    assert type(caught.value.__cause__) is error
    assert filled.table() == before


@pytest.mark.parametrize(("make", "error"), CASES + CHECKS)
def test_a_transaction_raises_it_from_the_failed_transaction(
    filled: Studio, make: Callable[[], Write], error: type[errors.WriteError]
) -> None:
    before = filled.table()
    write = make()
    with pytest.raises(Failed) as caught:
        filled.run_sync(transact(filled.context, Put(Note(note_id="1"), otherwise=KeyError), write))
    failed = caught.value.__cause__
    assert isinstance(failed, errors.TransactionFailed)
    assert [type(failure) for failure in failed.failures] == [type(None), error]
    assert f"write 2 ({type(write).__name__}): " in str(failed)
    assert filled.table() == before


def test_the_first_failed_write_that_has_one_decides(filled: Studio) -> None:
    plain = Check(STORED, Room.seats == 9)
    room = Create(Room(room_id="1"), otherwise=Failed)
    ledger = Create(Ledger(ledger_id="1"), otherwise=KeyError)
    for given, raised in (((room, ledger), Failed), ((ledger, room), KeyError)):
        with pytest.raises(raised):
            filled.run_sync(transact(filled.context, *given))
    with pytest.raises(KeyError):
        filled.run_sync(transact(filled.context, plain, ledger))
    with pytest.raises(errors.TransactionFailed):
        filled.run_sync(transact(filled.context, plain, Create(Note(note_id="1"), otherwise=Failed)))


def test_writes_that_succeed_do_not_raise_it(filled: Studio) -> None:
    assert filled.run_sync(entity_writes.delete(filled.context, Delete(STORED, otherwise=Failed)))
    room = filled.run_sync(entity_writes.create(filled.context, Room(room_id="1"), Failed))
    made = Note(note_id="1")
    filled.run_sync(
        transact(filled.context, Create(made, otherwise=Failed), Add(room, taken=1, otherwise=Failed))
    )
    assert filled.table().items() >= left_by(made, room.changed(taken=1)).items()


def test_an_invalid_write_is_not_replaced(filled: Studio) -> None:
    wrong = Update(STORED, set={"colour": "red"}, otherwise=Failed)
    with pytest.raises(errors.InvalidWrite, match="colour"):
        filled.run_sync(entity_writes.update(filled.context, wrong))
    with pytest.raises(errors.TransactionFailed, match="colour"):
        filled.run_sync(transact(filled.context, wrong))


@pytest.mark.parametrize(
    "write", [Put(Note(note_id="1"), otherwise=Failed), Delete(STORED, otherwise=Failed)]
)
def test_a_batch_rejects_it(filled: Studio, write: Any) -> None:
    with pytest.raises(errors.InvalidWrite, match="a batch has no preconditions"):
        filled.run_sync(batch(filled.context, [write]))


def test_every_call_takes_it_on_every_backend(db: Any) -> None:
    first = db.create(order("ada", 1), otherwise=Failed)
    missing = shop.OrderById(customer_id="ada", order_id="404")
    calls: list[Callable[[], object]] = [
        lambda: db.create(first, otherwise=Failed),
        lambda: db.update(first, set={"size": 1}, when=Order.size == 9, otherwise=Failed),
        lambda: db.add(missing, size=1, otherwise=Failed),
        lambda: db.delete(missing, otherwise=Failed),
        lambda: db.move(missing, order_id="405", otherwise=Failed),
        lambda: db.transact(writes.Check(missing, otherwise=Failed)),
    ]
    for call in calls:
        with pytest.raises(Failed) as caught:
            call()
        assert isinstance(caught.value.__cause__, errors.TablewrightError)
    db.put(Customer(customer_id="ada", email="e"), otherwise=Failed)
    assert db.delete(first, otherwise=Failed) is True
