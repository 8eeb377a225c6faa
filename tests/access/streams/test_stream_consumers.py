"""`db.streams` and `db.aio.streams`: handle once, follow, and what they require of listeners."""

import asyncio

import pytest

from tablewright import Repository
from tablewright.access.streams.events import Event, Inserted, on
from tablewright.access.streams.stream_consumers import DeliveryReport
from tablewright.errors import UsageError
from tests.access.streams.goals import Goal, Recorder, goal


def test_a_listener_is_required(db: Repository) -> None:
    with pytest.raises(UsageError, match="there are no listeners"):
        db.streams.handle()


def test_a_missing_position_table_is_an_error(db: Repository) -> None:
    with pytest.raises(UsageError, match=r"goals-positions .*create=True"):
        db.streams.handle(Recorder(Goal).listener, create=False)


def test_several_events_for_one_function(db: Repository) -> None:
    gone: list[Event[Goal]] = []
    listener = on(Goal, "removed", "expired")(gone.append)
    db.delete(db.create(goal()))
    assert db.streams.handle(listener).delivered == 1


def test_rounds_repeat_until_stopped(db: Repository, pauses: list[float]) -> None:
    recorder = Recorder(Goal)
    reports: list[DeliveryReport] = []
    db.create(goal(1))

    def stop() -> bool:
        if len(pauses) == 1 and len(recorder.events) == 1:
            db.create(goal(2))
        return len(pauses) >= 3

    db.streams.follow(recorder.listener, stop=stop, report=reports.append, pause=7)
    assert [report.delivered for report in reports] == [1, 1]
    assert pauses == [7, 7, 7]


def test_async_listeners_are_awaited(db: Repository) -> None:
    events: list[str] = []

    @on(Goal, "inserted")
    async def slow(event: Inserted[Goal]) -> None:
        await asyncio.sleep(0)
        events.append(event.new.goal_id)
        if event.new.goal_id == "g2":
            raise ValueError

    async def run() -> DeliveryReport:
        aio = db.aio
        for number in (1, 2):
            await aio.create(goal(number))
        return await aio.streams.handle(slow, tries=1)

    report = asyncio.run(run())
    assert events == ["g1", "g2"]
    assert (report.delivered, len(report.failures)) == (1, 1)


def test_async_listeners_need_the_async_repository(db: Repository) -> None:
    @on(Goal, "inserted")
    async def slow(event: Inserted[Goal]) -> None:
        raise AssertionError

    db.create(goal())
    with pytest.raises(UsageError, match=r"db\.aio"):
        db.streams.handle(slow)
