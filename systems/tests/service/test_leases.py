"""One worker at a time has an entity; a worker that lost its lease changes nothing."""

from datetime import timedelta

import pytest
from tablewright_systems.service import Conflict, Lease, backoff, transact

from systems.tests.races import race, winners
from systems.tests.service.shop import Order, OrderById
from tablewright import Clock, Repository, writes

LEASE = Lease(timedelta(minutes=5))


@pytest.fixture
def order(db: Repository) -> Order:
    return db.create(Order(order_id="1"))


def test_taken_entity_is_not_taken_again(db: Repository, order: Order) -> None:
    assert LEASE.take(db, order, changes={"status": "packing"}) is not None
    assert LEASE.take(db, order) is None
    assert db.get_or_raise(OrderById(order_id="1")).status == "packing"


def test_concurrent_workers_have_one_winner(db: Repository, order: Order) -> None:
    taken = winners(race(*[lambda: LEASE.take(db, order)] * 4))
    assert len([item for item in taken if item]) == 1


def test_condition_must_hold(db: Repository, order: Order) -> None:
    assert LEASE.take(db, order, when=Order.status == "paid") is None
    assert LEASE.take(db, order, when=Order.status == "new") is not None


def test_entity_that_was_deleted_is_not_taken(db: Repository, order: Order) -> None:
    db.delete(order)
    assert LEASE.take(db, order) is None


def test_ended_lease_can_be_taken_over_and_the_first_worker_changes_nothing(
    db: Repository, order: Order, clock: Clock
) -> None:
    first = LEASE.take(db, order)
    assert first is not None
    clock.advance(timedelta(minutes=5))
    second = LEASE.take(db, order)
    assert second is not None
    assert LEASE.renew(db, first) is None
    assert LEASE.end(db, first, changes={"status": "sent by the first"}) is None
    lost = Conflict("the lease was lost")
    with pytest.raises(Conflict, match="the lease was lost"):
        transact(db, writes.Update(first, set={"note": "x"}, when=LEASE.held(first), otherwise=lost))
    assert LEASE.end(db, second, changes={"status": "sent"}) is not None
    stored = db.get_or_raise(OrderById(order_id="1"))
    assert (stored.status, stored.note, stored.lease_id, stored.leased_until) == ("sent", None, None, None)


def test_renewed_lease_lasts_longer(db: Repository, order: Order, clock: Clock) -> None:
    first = LEASE.take(db, order)
    assert first is not None
    clock.advance(timedelta(minutes=4))
    assert LEASE.renew(db, first, changes={"note": "half"}) is not None
    clock.advance(timedelta(minutes=4))
    assert LEASE.take(db, order) is None


FIRST, LONGEST = timedelta(seconds=30), timedelta(hours=1)


def test_delays_double_up_to_the_longest() -> None:
    delays = [backoff(failures, FIRST, LONGEST, "job") for failures in range(12)]
    assert all(delays[n + 1] == 2 * delays[n] for n in range(5))
    assert delays[-1] == delays[-2]
    assert LONGEST <= delays[-1] <= LONGEST * 1.1


def test_delays_differ_by_name() -> None:
    assert backoff(1, FIRST, LONGEST, "job-1") != backoff(1, FIRST, LONGEST, "job-2")
