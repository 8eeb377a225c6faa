"""Handlers: everything is told, in order, at least once, whatever goes wrong; and nothing that is not theirs."""

import asyncio
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any, TypeVar, assert_type

import pytest

from tablewright import Clock
from tablewright.access.connect import connect
from tablewright.access.encryption.keyrings import KeyFile, MemoryKeys
from tablewright.access.repository import Repository
from tablewright.access.streams.events import (
    Event,
    EventName,
    Expired,
    Inserted,
    Listener,
    Modified,
    Removed,
    on,
)
from tablewright.access.streams.handlers import Report
from tablewright.access.streams.positions import Positions
from tablewright.connections import Embedded
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.patterns.patterns import Get
from tablewright.design.tables.tables import Table
from tablewright.errors import DesignError, SecretShredded, UnknownItem, UsageError

T = TypeVar("T", bound=Entity)
START = 1_750_000_000.0

main = Table("tell-main", key=("PK", "SK"), ttl="expiresAt", stream="NEW_AND_OLD_IMAGES")
quiet = Table("tell-quiet", key="id", stream="NEW_IMAGE")


class Goal(Entity, table=main, type="GOAL"):
    goal_id: str
    owner: str
    title: Annotated[str, markers.Unique()]
    note: Annotated[str | None, markers.Encrypted(context=("owner",))] = None
    expires_at: int | None = None
    keys = Keys(primary=("GOAL#{goal_id}", "GOAL"))
    by_owner = Copy(primary=("OWNER#{owner}", "GOAL#{goal_id}"), fields=["title"])


class Step(Entity, table=main, type="STEP"):
    goal_id: str
    step_id: str
    done: bool = False
    keys = Keys(primary=("GOAL#{goal_id}", "STEP#{step_id}"))


class Thing(Entity, table=quiet):
    id: str


class GoalById(Get[Goal]):
    goal_id: str


design = Design("tell", entities=[Goal, Step, Thing], patterns=[GoalById])


@pytest.fixture
def clock() -> Clock:
    return Clock(START)


@pytest.fixture
def db(clock: Clock) -> Iterator[Repository]:
    with connect(design, clock=clock) as db:
        yield db


def goal(number: int = 1, **more: Any) -> Goal:
    return Goal(goal_id=f"g{number}", owner="ada", **({"title": f"title {number}"} | more))


class Heard:
    """A listener's memory."""

    def __init__(self, entity: type[Entity], *events: EventName) -> None:
        self.events: list[Any] = []
        self.listener: Listener[Any] = on(entity, *events)(self.events.append)

    def names(self) -> list[str]:
        return [type(event).__name__ for event in self.events]


def test_each_event_is_told_with_typed_entities(db: Repository, clock: Clock) -> None:
    told: list[Any] = []

    @on(Goal, "inserted")
    def inserted(event: Inserted[Goal]) -> None:
        told.append(("inserted", event.new))

    @on(Goal, "modified")
    def modified(event: Modified[Goal]) -> None:
        told.append(("modified", event.old, event.new))

    @on(Goal, "removed")
    def removed(event: Removed[Goal]) -> None:
        told.append(("removed", event.old))

    @on(Goal, "expired")
    def expired(event: Expired[Goal]) -> None:
        told.append(("expired", event.old))

    first = db.create(goal(1, note="secret"))
    second = db.update(first, set={"title": "other"})
    db.delete(second)
    mortal = db.create(goal(2, expires_at=int(START) + 10))
    clock.advance(60)
    assert isinstance(db.connection, Embedded)
    db.connection.sweep()
    report = db.streams.handle(inserted, modified, removed, expired)
    assert told == [
        ("inserted", first),
        ("modified", first, second),
        ("removed", second),
        ("inserted", mortal),
        ("expired", mortal),
    ]
    assert (report.delivered, report.failures, report.gaps) == (5, [], [])


def test_copies_locks_and_other_types_are_not_told(db: Repository) -> None:
    goals, steps = Heard(Goal), Heard(Step)
    db.create(goal())
    db.create(Step(goal_id="g1", step_id="s1"))
    db.streams.handle(goals.listener, steps.listener)
    assert [event.new for event in goals.events] == [goal()]
    assert [event.new for event in steps.events] == [Step(goal_id="g1", step_id="s1")]


def test_an_event_tells_when_and_which(db: Repository) -> None:
    heard = Heard(Goal)
    db.create(goal())
    db.streams.handle(heard.listener)
    (event,) = heard.events
    assert event.at == datetime.fromtimestamp(START, UTC)
    assert len(event.id) == 32


def test_an_item_that_changes_its_type_leaves_one_and_joins_the_other(db: Repository) -> None:
    goals, steps = Heard(Goal), Heard(Step)
    db.create(Step(goal_id="g1", step_id="s1"))
    _raw_put(db, {"PK": "GOAL#g1", "SK": "STEP#s1", "type": "OTHER"})
    _raw_put(db, {"PK": "GOAL#g1", "SK": "STEP#s1", "type": "STEP", "goalId": "g1", "stepId": "s1"})
    db.streams.handle(goals.listener, steps.listener)
    assert (goals.names(), steps.names()) == ([], ["Inserted", "Removed", "Inserted"])


class TestPositions:
    def test_what_was_told_is_not_told_again(self, db: Repository) -> None:
        heard = Heard(Goal)
        db.create(goal(1))
        assert db.streams.handle(heard.listener).delivered == 1
        assert db.streams.handle(heard.listener).delivered == 0
        db.create(goal(2))
        assert db.streams.handle(heard.listener).delivered == 1
        assert [event.new.goal_id for event in heard.events] == ["g1", "g2"]

    def test_consumers_hear_independently(self, db: Repository) -> None:
        heard = Heard(Goal)
        db.create(goal())
        told = [
            db.streams.handle(heard.listener, consumer=name).delivered
            for name in ("mailer", "index", "mailer")
        ]
        assert told == [1, 1, 0]

    def test_a_crash_while_listening_tells_again(self, db: Repository) -> None:
        heard = Heard(Goal)

        @on(Goal, "inserted")
        def dies(event: Inserted[Goal]) -> None:
            if event.new.goal_id == "g2":
                raise KeyboardInterrupt

        for number in (1, 2):
            db.create(goal(number))
        with pytest.raises(KeyboardInterrupt):
            db.streams.handle(dies)
        db.streams.handle(heard.listener)
        assert [event.new.goal_id for event in heard.events] == ["g1", "g2"]

    def test_the_position_survives_in_a_file(self, tmp_path: Any, keyring: KeyFile) -> None:
        heard = Heard(Goal)
        for number in (1, 2):
            with connect(design, tmp_path / "app.db", secrets=keyring) as db:
                db.create(goal(number))
                db.streams.handle(heard.listener)
        assert [event.new.goal_id for event in heard.events] == ["g1", "g2"]

    def test_two_processes_of_one_consumer_do_not_move_a_position_back(self, db: Repository) -> None:
        other = Heard(Goal)

        @on(Goal, "inserted")
        def slow(event: Inserted[Goal]) -> None:
            if not other.events:
                db.create(goal(2))
                db.streams.handle(other.listener)

        db.create(goal(1))
        db.streams.handle(slow)
        again = Heard(Goal)
        db.streams.handle(again.listener)
        assert [event.new.goal_id for event in other.events] == ["g1", "g2"]
        assert again.events == []

    def test_more_records_than_one_page_holds(self, db: Repository) -> None:
        heard = Heard(Step)
        for number in range(1100):
            db.put(Step(goal_id="g", step_id=f"{number:05}"))
        assert db.streams.handle(heard.listener).delivered == 1100
        assert [event.new.step_id for event in heard.events] == [f"{number:05}" for number in range(1100)]

    def test_what_is_older_than_a_day_is_reported_as_a_gap(self, db: Repository, clock: Clock) -> None:
        heard = Heard(Goal)
        db.create(goal(1))
        db.streams.handle(heard.listener)
        db.create(goal(2))
        clock.advance(2 * 24 * 3600)
        db.create(goal(3))
        report = db.streams.handle(heard.listener)
        assert [event.new.goal_id for event in heard.events] == ["g1", "g3"]
        assert len(report.gaps) == 1

    def test_a_stream_that_was_switched_off_and_on(self, db: Repository, clock: Clock) -> None:
        heard = Heard(Goal)
        db.create(goal(1))
        _switch_stream(db, on=False)
        db.create(goal(2))
        clock.advance(1)
        _switch_stream(db, on=True)
        db.create(goal(3))
        assert db.streams.handle(heard.listener).delivered == 2
        assert db.streams.handle(heard.listener).delivered == 0
        assert [event.new.goal_id for event in heard.events] == ["g1", "g3"]

    def test_positions_of_streams_that_are_gone_are_dropped(self, db: Repository, clock: Clock) -> None:
        heard = Heard(Goal)
        db.create(goal(1))
        db.streams.handle(heard.listener)
        _switch_stream(db, on=False)
        clock.advance(2 * 24 * 3600)
        _switch_stream(db, on=True)
        db.create(goal(2))
        db.streams.handle(heard.listener)
        assert len(db.connection.call("Scan", {"TableName": "tell-positions"})["Items"]) == 1


class TestOverTheWire:
    """The same listeners and secrets through boto3 and a server, as they would be on AWS."""

    def test_events_positions_and_secrets(self, endpoint: str) -> None:
        heard = Heard(Goal)
        with connect(design, endpoint, secrets=MemoryKeys(), create=True) as db:
            first = db.create(goal(1, note="secret"))
            db.update(first, set={"note": "other"})
            assert db.streams.handle(heard.listener, create=True).delivered == 2
            db.delete(first)
            assert db.streams.handle(heard.listener).delivered == 1
            assert db.streams.handle(heard.listener).delivered == 0
        assert heard.names() == ["Inserted", "Modified", "Removed"]
        assert heard.events[1].new.note == heard.events[2].old.note == "other"
        assert heard.events[0].at.tzinfo is not None

    def test_positions_are_not_kept_where_nobody_asked(self, endpoint: str) -> None:
        elsewhere = Design("elsewhere", entities=[Goal])
        with (
            connect(elsewhere, endpoint, secrets=MemoryKeys(), create=True) as db,
            pytest.raises(UsageError, match=r"elsewhere-positions .*create=True"),
        ):
            db.streams.handle(Heard(Goal).listener)


class TestFailures:
    def test_a_listener_that_raises_is_told_again(self, db: Repository, pauses: list[float]) -> None:
        attempts: list[str] = []

        @on(Goal, "inserted")
        def flaky(event: Inserted[Goal]) -> None:
            attempts.append(event.id)
            if len(attempts) < 3:
                raise OSError("not now")

        db.create(goal())
        report = db.streams.handle(flaky)
        assert (report.delivered, report.failures) == (1, [])
        assert len(attempts) == 3
        assert len(set(attempts)) == 1
        assert len(pauses) == 2

    def test_what_it_refuses_to_the_last_is_reported_and_passed_by(
        self, db: Repository, pauses: list[float]
    ) -> None:
        heard = Heard(Goal)

        @on(Goal, "inserted")
        def picky(event: Inserted[Goal]) -> None:
            if event.new.goal_id == "g1":
                raise ValueError("never")

        for number in (1, 2):
            db.create(goal(number))
        report = db.streams.handle(picky, heard.listener, tries=2)
        assert report.delivered == 3
        (failure,) = report.failures
        assert "picky" in failure.listener
        assert isinstance(failure.error, ValueError)
        assert failure.key == {"PK": {"S": "GOAL#g1"}, "SK": {"S": "GOAL"}}
        assert db.streams.handle(picky, heard.listener).delivered == 0
        (noted,) = db._run(Positions("tell-positions", "default").failed())
        assert (noted["error"], noted["key"]["M"]) == ({"S": "ValueError"}, failure.key)

    def test_an_item_that_is_no_entity_is_reported(self, db: Repository) -> None:
        heard = Heard(Goal)
        _raw_put(db, {"PK": "GOAL#g1", "SK": "GOAL", "type": "GOAL"})
        db.create(goal(2))
        report = db.streams.handle(heard.listener)
        assert [event.new.goal_id for event in heard.events] == ["g2"]
        assert [type(failure.error) for failure in report.failures] == [UnknownItem]

    def test_what_was_shredded_is_reported_without_its_content(self, db: Repository) -> None:
        heard = Heard(Goal)
        db.create(goal(1, note="secret"))
        db.keys.shred(Goal, owner="ada")
        report = db.streams.handle(heard.listener)
        assert [type(failure.error) for failure in report.failures] == [SecretShredded]
        assert "secret" not in repr(report)


class TestFollowing:
    def test_round_after_round_until_told_to_stop(self, db: Repository, pauses: list[float]) -> None:
        heard = Heard(Goal)
        reports: list[Report] = []
        db.create(goal(1))

        def stop() -> bool:
            if len(pauses) == 1 and len(heard.events) == 1:
                db.create(goal(2))
            return len(pauses) >= 3

        db.streams.follow(heard.listener, stop=stop, report=reports.append, pause=7)
        assert [report.delivered for report in reports] == [1, 1]
        assert pauses == [7, 7, 7]

    def test_async_listeners_are_awaited(self, db: Repository) -> None:
        told: list[str] = []

        @on(Goal, "inserted")
        async def slow(event: Inserted[Goal]) -> None:
            await asyncio.sleep(0)
            told.append(event.new.goal_id)
            if event.new.goal_id == "g2":
                raise ValueError

        async def run() -> Report:
            aio = db.aio
            for number in (1, 2):
                await aio.create(goal(number))
            return await aio.streams.handle(slow, tries=1)

        report = asyncio.run(run())
        assert told == ["g1", "g2"]
        assert (report.delivered, len(report.failures)) == (1, 1)

    def test_async_listeners_need_the_async_repository(self, db: Repository) -> None:
        @on(Goal, "inserted")
        async def slow(event: Inserted[Goal]) -> None:
            raise AssertionError

        db.create(goal())
        with pytest.raises(UsageError, match=r"db\.aio"):
            db.streams.handle(slow)


class TestTypes:
    """What a type checker must know; an ignored error that is none would be one."""

    def test_each_event_has_what_it_has(self, db: Repository) -> None:
        @on(Goal, "modified")
        def modified(event: Modified[Goal]) -> None:
            assert_type(event.old, Goal)
            assert_type(event.new, Goal)

        @on(Goal, "removed", "expired")
        def gone(event: Event[Goal]) -> None:
            assert isinstance(event, Removed | Expired)
            assert_type(event.old, Goal)

        @on(Goal, "removed")  # type: ignore[arg-type]
        def other_event(event: Inserted[Goal]) -> None:
            raise AssertionError

        @on(Goal, "inserted")  # type: ignore[arg-type]
        def other_entity(event: Inserted[Step]) -> None:
            raise AssertionError

        db.update(db.create(goal()), set={"title": "other"})
        assert db.streams.handle(modified, gone).delivered == 1


class TestMisuse:
    @pytest.mark.parametrize("event", ["modified", "removed", "expired"])
    def test_a_stream_that_does_not_show_what_is_asked(self, event: Any) -> None:
        with pytest.raises(
            DesignError, match=r'on\(Thing, .*set stream="NEW_AND_OLD_IMAGES"'.replace('"', "['\"]")
        ):
            on(Thing, event)

    def test_a_word_that_is_no_event(self) -> None:
        with pytest.raises(DesignError, match="inserted, modified, removed, expired"):
            on(Goal, "created")  # type: ignore[call-overload]

    def test_nobody(self, db: Repository) -> None:
        with pytest.raises(UsageError, match="there are no listeners"):
            db.streams.handle()

    def test_a_position_table_is_not_made_where_nobody_asked(self, db: Repository) -> None:
        with pytest.raises(UsageError, match=r"tell-positions .*create=True"):
            db.streams.handle(Heard(Goal).listener, create=False)

    def test_several_events_for_one_function(self, db: Repository) -> None:
        gone: list[Event[Goal]] = []
        listener = on(Goal, "removed", "expired")(gone.append)
        db.delete(db.create(goal()))
        assert db.streams.handle(listener).delivered == 1


@pytest.fixture
def pauses(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    taken: list[float] = []
    monkeypatch.setattr("time.sleep", taken.append)
    return taken


@pytest.fixture
def keyring(tmp_path: Any) -> KeyFile:
    return KeyFile.create(tmp_path / "keys.json")


def _raw_put(db: Repository, item: dict[str, str]) -> None:
    stored = {name: {"S": value} for name, value in item.items()}
    db.connection.call("PutItem", {"TableName": main.name, "Item": stored})


def _switch_stream(db: Repository, *, on: bool) -> None:
    told = {"StreamEnabled": on, **({"StreamViewType": "NEW_AND_OLD_IMAGES"} if on else {})}
    db.connection.call("UpdateTable", {"TableName": main.name, "StreamSpecification": told})
