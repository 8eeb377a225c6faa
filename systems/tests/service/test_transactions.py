"""A transaction raises the error of its first failed write; that of the permission comes first."""

import pytest
from tablewright_systems.service import Conflict, Forbidden, busy, is_conflict, transact, transact_as, written

from systems.tests.service.shop import Letter, Order, OrderById
from tablewright import Repository, errors, writes

TAKEN = Conflict("this order exists already")


def paid(order_id: str) -> writes.Write:
    return writes.Check(
        OrderById(order_id=order_id), Order.status == "paid", otherwise=Forbidden("pay first")
    )


def test_written_entities_are_returned(db: Repository) -> None:
    order, letter, *_ = transact(
        db, writes.Create(Order(order_id="1")), writes.Create(Letter(recipient="ada", mailing_id="m"))
    )
    assert (order.order_id, letter.recipient) == ("1", "ada")


def test_error_of_the_first_failed_write_is_raised(db: Repository) -> None:
    db.create(Order(order_id="1"))
    with pytest.raises(Conflict, match="this order exists already"):
        transact(db, writes.Create(Order(order_id="2")), writes.Create(Order(order_id="1"), otherwise=TAKEN))
    assert db.run(OrderById(order_id="2")) is None


def test_without_otherwise_the_error_of_the_store_is_raised(db: Repository) -> None:
    db.create(Order(order_id="1"))
    with pytest.raises(errors.AlreadyExists):
        transact(db, writes.Create(Order(order_id="1")), writes.Create(Order(order_id="2")))


def test_permission_is_checked_first_and_is_not_in_the_result(db: Repository) -> None:
    db.create(Order(order_id="1"))
    db.create(Order(order_id="2"))
    with pytest.raises(Forbidden):
        transact_as(db, paid("1"), writes.Create(Order(order_id="2"), otherwise=TAKEN))
    db.update(OrderById(order_id="1"), set={"status": "paid"})
    made, *_ = transact_as(db, paid("1"), writes.Create(Order(order_id="3")))
    assert made.order_id == "3"


def test_written_finds_the_entity_of_a_class() -> None:
    letter = Letter(recipient="ada", mailing_id="m")
    assert written((None, Order(order_id="1"), letter), Letter) is letter


def test_busy_is_a_conflict() -> None:
    assert busy().status == 409


CHANGED = errors.VersionConflict("Job", {}, 1, 2)
MISSING = errors.DoesNotExist("Source", {}, "does not exist")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CHANGED, True),
        (errors.Contended("Job", {}, "busy"), True),
        (MISSING, False),
        (errors.TransactionFailed([None, CHANGED]), True),
        (errors.TransactionFailed([MISSING, CHANGED]), False),
    ],
    ids=["version", "contended", "missing", "transaction", "transaction with another reason"],
)
def test_conflicts_are_failures_that_only_other_writers_caused(
    error: errors.TablewrightError, expected: bool
) -> None:
    assert is_conflict(error) is expected
