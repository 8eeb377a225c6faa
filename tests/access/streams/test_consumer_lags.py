"""Consumer lags: records and seconds that each consumer is behind, by its stored positions."""

import asyncio

from tablewright import Clock, Repository
from tablewright.access.procedures import run_sync
from tablewright.access.streams.consumer_lags import ConsumerLag, consumer_lags
from tablewright.access.streams.events import Inserted, on
from tests.access.streams.goals import Goal, Recorder, Step, design, goal, switch_stream


def step(number: int) -> Step:
    return Step(goal_id="g", step_id=str(number))


def test_without_consumers_there_are_no_lags(db: Repository) -> None:
    assert db.streams.lags() == []


def test_a_consumer_that_has_handled_everything_has_no_lag(db: Repository, clock: Clock) -> None:
    db.create(step(1))
    db.streams.handle(Recorder(Step).listener, consumer="mailer")
    clock.advance(60)
    (lag,) = db.streams.lags()
    assert lag == ConsumerLag("mailer", "goals-main", 0, False, 0.0, 0, False)


def test_the_lag_is_counted_from_the_position_of_each_consumer(db: Repository, clock: Clock) -> None:
    db.create(step(1))
    db.streams.handle(Recorder(Step).listener, consumer="slow")
    clock.advance(60)
    db.create(step(2))
    db.streams.handle(Recorder(Step).listener, consumer="fast")
    clock.advance(30)
    db.create(step(3))
    clock.advance(5)
    found = {lag.consumer: (lag.records, lag.seconds) for lag in db.streams.lags()}
    assert found == {"fast": (1, 5.0), "slow": (2, 35.0)}


def test_failed_records_are_counted(db: Repository) -> None:
    @on(Step, "inserted")
    def broken(event: Inserted[Step]) -> None:
        raise ValueError

    db.create(step(1))
    db.streams.handle(broken, tries=1)
    (lag,) = db.streams.lags()
    assert (lag.records, lag.failed) == (0, 1)


def test_a_long_lag_is_counted_in_part(db: Repository) -> None:
    db.streams.handle(Recorder(Step).listener)
    db.create(step(0))
    db.streams.handle(Recorder(Step).listener)
    for number in range(1, 5):
        db.create(step(number))
    (lag,) = run_sync(consumer_lags(design, db.context, most=3), db.connection.call)
    assert (lag.records, lag.is_more) == (3, True)
    (lag,) = run_sync(consumer_lags(design, db.context, most=4), db.connection.call)
    assert (lag.records, lag.is_more) == (4, False)


def test_a_new_stream_is_counted_from_its_beginning(db: Repository, clock: Clock) -> None:
    db.create(step(1))
    db.streams.handle(Recorder(Step).listener)
    clock.advance(1)
    switch_stream(db, on=False)
    clock.advance(1)
    switch_stream(db, on=True)
    db.create(step(2))
    (lag,) = db.streams.lags()
    assert lag.records == 1


def test_records_that_were_trimmed_are_a_gap(db: Repository, clock: Clock) -> None:
    db.create(step(1))
    db.streams.handle(Recorder(Step).listener)
    db.create(step(2))
    clock.advance(25 * 3600)
    db.create(step(3))
    (lag,) = db.streams.lags()
    assert (lag.records, lag.has_gap) == (1, True)


def test_an_async_repository_has_the_same_lags(db: Repository) -> None:
    db.create(goal())
    db.streams.handle(Recorder(Goal).listener)
    db.create(step(1))
    assert asyncio.run(db.aio.streams.lags()) == db.streams.lags()
