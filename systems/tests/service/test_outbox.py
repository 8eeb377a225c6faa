"""Messages are delivered once each, in batches; a failure or a crash loses none."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from tablewright_systems.service import Batch, Conflict, JobRun, Outbox, transact

from systems.tests.races import race
from systems.tests.service.shop import Letter, LettersOf, Mailing, Mailings, Order
from tablewright import Clock, Repository, errors, writes

PEOPLE = [f"person-{number}" for number in range(7)]


class PostOffice:
    """Delivers letters in batches of three, and fails or crashes where a test says so."""

    def __init__(self) -> None:
        self.fails_at: str | None = None
        self.error: BaseException = OSError("the post office is closed")

    def deliver(self, db: Repository, message: Mailing) -> Iterator[Batch]:
        start = int(message.position or 0)
        for first in range(start, len(message.recipients), 3):
            batch = message.recipients[first : first + 3]
            if self.fails_at in batch:
                raise self.error
            letters = [writes.Create(Letter(recipient=name, mailing_id=message.message_id)) for name in batch]
            yield Batch(letters, position=str(first + 3))


@pytest.fixture
def office() -> PostOffice:
    return PostOffice()


@pytest.fixture
def outbox(office: PostOffice) -> Outbox[Mailing]:
    return Outbox(Mailings(), office.deliver)


def received(db: Repository) -> list[int]:
    return [len(db.all(LettersOf(recipient=name))) for name in PEOPLE]


def test_message_is_stored_with_what_it_reports_or_not_at_all(
    db: Repository, outbox: Outbox[Mailing]
) -> None:
    db.create(Order(order_id="1"))
    order = writes.Create(Order(order_id="1"), otherwise=Conflict("this order exists already"))
    with pytest.raises(Conflict):
        transact(db, order, writes.Create(Mailing(recipients=PEOPLE)))
    assert outbox.deliver_due(db).delivered == 0


def test_delivered_message_leaves_the_outbox(db: Repository, outbox: Outbox[Mailing]) -> None:
    db.create(Mailing(recipients=PEOPLE))
    outbox.run(JobRun(db))
    assert received(db) == [1] * 7
    assert db.all(Mailings()) == []


def test_failed_delivery_continues_after_its_last_batch(
    db: Repository, outbox: Outbox[Mailing], office: PostOffice, clock: Clock
) -> None:
    db.create(Mailing(recipients=PEOPLE))
    db.create(Mailing(recipients=PEOPLE[:1]))
    office.fails_at = PEOPLE[4]
    result = outbox.deliver_due(db)
    assert (result.delivered, result.failed) == (1, 1)
    assert received(db) == [2, 1, 1, 0, 0, 0, 0]
    (left,) = db.all(Mailings())
    assert (left.failures, left.last_error) == (1, "OSError: the post office is closed")
    office.fails_at = None
    assert outbox.deliver_due(db).delivered == 0, "a failed message waits"
    clock.advance(timedelta(seconds=12))
    assert outbox.deliver_due(db).delivered == 1
    assert received(db) == [2, 1, 1, 1, 1, 1, 1]


def test_killed_delivery_is_taken_over(
    db: Repository, outbox: Outbox[Mailing], office: PostOffice, clock: Clock
) -> None:
    db.create(Mailing(recipients=PEOPLE))
    office.fails_at, office.error = PEOPLE[4], KeyboardInterrupt()
    with pytest.raises(KeyboardInterrupt):
        outbox.deliver_due(db)
    office.fails_at = None
    assert outbox.deliver_due(db).delivered == 0, "the lease of the killed process has not ended"
    clock.advance(timedelta(minutes=3))
    assert outbox.deliver_due(db).delivered == 1
    assert received(db) == [1] * 7


def test_concurrent_deliveries_deliver_once(db: Repository, outbox: Outbox[Mailing]) -> None:
    db.create(Mailing(recipients=PEOPLE))
    results = race(lambda: outbox.deliver_due(db), lambda: outbox.deliver_due(db))
    assert sorted(result.delivered for result in results) == [0, 1]
    assert received(db) == [1] * 7


def test_a_stopping_process_begins_no_delivery(db: Repository, outbox: Outbox[Mailing]) -> None:
    db.create(Mailing(recipients=PEOPLE))
    run = JobRun(db)
    run.stop.set()
    outbox.run(run)
    assert len(db.all(Mailings())) == 1


def test_batch_that_fails_in_the_store_is_kept(db: Repository, outbox: Outbox[Mailing], clock: Clock) -> None:
    message = db.create(Mailing(recipients=PEOPLE))
    obstacle = db.create(Letter(recipient=PEOPLE[5], mailing_id=message.message_id))
    assert outbox.deliver_due(db).failed == 1
    assert received(db) == [1, 1, 1, 0, 0, 1, 0]
    (left,) = db.all(Mailings())
    assert (left.last_error or "").startswith(errors.AlreadyExists.__name__)
    db.delete(obstacle)
    clock.advance(timedelta(minutes=1))
    assert outbox.deliver_due(db).delivered == 1
    assert received(db) == [1] * 7
