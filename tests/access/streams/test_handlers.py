"""Handlers: every record is delivered in order and at least once, through crashes, failures and gaps."""

from datetime import UTC, datetime
from typing import Any

import pytest

from tablewright import Clock, Design, Repository, connect
from tablewright.access.encryption.keyrings import KeyFile, MemoryKeys
from tablewright.access.streams.events import Expired, Inserted, Modified, Removed, on
from tablewright.access.streams.shard_reader import Positions
from tablewright.connections import Embedded
from tablewright.errors import SecretShredded, UnknownItem, UsageError
from tests.access.streams.goals import START, Goal, Recorder, Step, design, goal, put_raw, switch_stream


def test_each_event_has_typed_entities(db: Repository, clock: Clock) -> None:
    events: list[Any] = []

    @on(Goal, "inserted")
    def inserted(event: Inserted[Goal]) -> None:
        events.append(("inserted", event.new))

    @on(Goal, "modified")
    def modified(event: Modified[Goal]) -> None:
        events.append(("modified", event.old, event.new))

    @on(Goal, "removed")
    def removed(event: Removed[Goal]) -> None:
        events.append(("removed", event.old))

    @on(Goal, "expired")
    def expired(event: Expired[Goal]) -> None:
        events.append(("expired", event.old))

    first = db.create(goal(1, note="secret"))
    second = db.update(first, set={"title": "other"})
    db.delete(second)
    mortal = db.create(goal(2, expires_at=int(START) + 10))
    clock.advance(60)
    assert isinstance(db.connection, Embedded)
    db.connection.sweep()
    report = db.streams.handle(inserted, modified, removed, expired)
    assert events == [
        ("inserted", first),
        ("modified", first, second),
        ("removed", second),
        ("inserted", mortal),
        ("expired", mortal),
    ]
    assert (report.delivered, report.failures, report.gaps) == (5, [], [])


def test_copies_locks_and_other_types_are_not_delivered(db: Repository) -> None:
    goals, steps = Recorder(Goal), Recorder(Step)
    db.create(goal())
    db.create(Step(goal_id="g1", step_id="s1"))
    db.streams.handle(goals.listener, steps.listener)
    assert [event.new for event in goals.events] == [goal()]
    assert [event.new for event in steps.events] == [Step(goal_id="g1", step_id="s1")]


def test_an_event_has_a_time_and_an_id(db: Repository) -> None:
    recorder = Recorder(Goal)
    db.create(goal())
    db.streams.handle(recorder.listener)
    (event,) = recorder.events
    assert event.at == datetime.fromtimestamp(START, UTC)
    assert len(event.id) == 32


def test_a_change_of_type_removes_one_entity_and_inserts_another(db: Repository) -> None:
    goals, steps = Recorder(Goal), Recorder(Step)
    db.create(Step(goal_id="g1", step_id="s1"))
    put_raw(db, {"PK": "GOAL#g1", "SK": "STEP#s1", "type": "OTHER"})
    put_raw(db, {"PK": "GOAL#g1", "SK": "STEP#s1", "type": "STEP", "goalId": "g1", "stepId": "s1"})
    db.streams.handle(goals.listener, steps.listener)
    assert (goals.names(), steps.names()) == ([], ["Inserted", "Removed", "Inserted"])


class TestPositions:
    def test_an_event_is_delivered_once(self, db: Repository) -> None:
        recorder = Recorder(Goal)
        db.create(goal(1))
        assert db.streams.handle(recorder.listener).delivered == 1
        assert db.streams.handle(recorder.listener).delivered == 0
        db.create(goal(2))
        assert db.streams.handle(recorder.listener).delivered == 1
        assert [event.new.goal_id for event in recorder.events] == ["g1", "g2"]

    def test_consumers_are_independent(self, db: Repository) -> None:
        recorder = Recorder(Goal)
        db.create(goal())
        delivered = [
            db.streams.handle(recorder.listener, consumer=name).delivered
            for name in ("mailer", "index", "mailer")
        ]
        assert delivered == [1, 1, 0]

    def test_events_are_delivered_again_after_a_crash(self, db: Repository) -> None:
        recorder = Recorder(Goal)

        @on(Goal, "inserted")
        def dies(event: Inserted[Goal]) -> None:
            if event.new.goal_id == "g2":
                raise KeyboardInterrupt

        for number in (1, 2):
            db.create(goal(number))
        with pytest.raises(KeyboardInterrupt):
            db.streams.handle(dies)
        db.streams.handle(recorder.listener)
        assert [event.new.goal_id for event in recorder.events] == ["g1", "g2"]

    def test_the_position_survives_in_a_file(self, tmp_path: Any, keyring: KeyFile) -> None:
        recorder = Recorder(Goal)
        for number in (1, 2):
            with connect(design, tmp_path / "app.db", secrets=keyring) as db:
                db.create(goal(number))
                db.streams.handle(recorder.listener)
        assert [event.new.goal_id for event in recorder.events] == ["g1", "g2"]

    def test_two_processes_of_one_consumer_do_not_move_a_position_back(self, db: Repository) -> None:
        other = Recorder(Goal)

        @on(Goal, "inserted")
        def slow(event: Inserted[Goal]) -> None:
            if not other.events:
                db.create(goal(2))
                db.streams.handle(other.listener)

        db.create(goal(1))
        db.streams.handle(slow)
        again = Recorder(Goal)
        db.streams.handle(again.listener)
        assert [event.new.goal_id for event in other.events] == ["g1", "g2"]
        assert again.events == []

    def test_more_records_than_one_page_holds(self, db: Repository) -> None:
        recorder = Recorder(Step)
        for number in range(1100):
            db.put(Step(goal_id="g", step_id=f"{number:05}"))
        assert db.streams.handle(recorder.listener).delivered == 1100
        assert [event.new.step_id for event in recorder.events] == [f"{number:05}" for number in range(1100)]

    def test_trimmed_records_are_reported_as_a_gap(self, db: Repository, clock: Clock) -> None:
        recorder = Recorder(Goal)
        db.create(goal(1))
        db.streams.handle(recorder.listener)
        db.create(goal(2))
        clock.advance(2 * 24 * 3600)
        db.create(goal(3))
        report = db.streams.handle(recorder.listener)
        assert [event.new.goal_id for event in recorder.events] == ["g1", "g3"]
        assert len(report.gaps) == 1

    def test_a_stream_that_was_disabled_and_enabled(self, db: Repository, clock: Clock) -> None:
        recorder = Recorder(Goal)
        db.create(goal(1))
        switch_stream(db, on=False)
        db.create(goal(2))
        clock.advance(1)
        switch_stream(db, on=True)
        db.create(goal(3))
        assert db.streams.handle(recorder.listener).delivered == 2
        assert db.streams.handle(recorder.listener).delivered == 0
        assert [event.new.goal_id for event in recorder.events] == ["g1", "g3"]

    def test_positions_of_deleted_streams_are_deleted(self, db: Repository, clock: Clock) -> None:
        recorder = Recorder(Goal)
        db.create(goal(1))
        db.streams.handle(recorder.listener)
        switch_stream(db, on=False)
        clock.advance(2 * 24 * 3600)
        switch_stream(db, on=True)
        db.create(goal(2))
        db.streams.handle(recorder.listener)
        assert len(db.connection.call("Scan", {"TableName": "goals-positions"})["Items"]) == 1


class TestOverTheWire:
    """The same listeners and secrets through boto3 and a server, as they would be on AWS."""

    def test_events_positions_and_secrets(self, endpoint: str) -> None:
        recorder = Recorder(Goal)
        with connect(design, endpoint, secrets=MemoryKeys(), create=True) as db:
            first = db.create(goal(1, note="secret"))
            db.update(first, set={"note": "other"})
            assert db.streams.handle(recorder.listener, create=True).delivered == 2
            db.delete(first)
            assert db.streams.handle(recorder.listener).delivered == 1
            assert db.streams.handle(recorder.listener).delivered == 0
        assert recorder.names() == ["Inserted", "Modified", "Removed"]
        assert recorder.events[1].new.note == recorder.events[2].old.note == "other"
        assert recorder.events[0].at.tzinfo is not None

    def test_the_position_table_is_not_created_by_default(self, endpoint: str) -> None:
        elsewhere = Design("elsewhere", entities=[Goal])
        with (
            connect(elsewhere, endpoint, secrets=MemoryKeys(), create=True) as db,
            pytest.raises(UsageError, match=r"elsewhere-positions .*create=True"),
        ):
            db.streams.handle(Recorder(Goal).listener)


class TestFailures:
    def test_a_listener_that_raises_is_called_again(self, db: Repository, pauses: list[float]) -> None:
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

    def test_a_failed_record_is_reported_and_skipped(self, db: Repository, pauses: list[float]) -> None:
        recorder = Recorder(Goal)

        @on(Goal, "inserted")
        def picky(event: Inserted[Goal]) -> None:
            if event.new.goal_id == "g1":
                raise ValueError("never")

        for number in (1, 2):
            db.create(goal(number))
        report = db.streams.handle(picky, recorder.listener, tries=2)
        assert report.delivered == 3
        (failure,) = report.failures
        assert "picky" in failure.listener
        assert isinstance(failure.error, ValueError)
        assert failure.key == {"PK": {"S": "GOAL#g1"}, "SK": {"S": "GOAL"}}
        assert db.streams.handle(picky, recorder.listener).delivered == 0
        (noted,) = db._run(Positions("goals-positions", "default").failed())
        assert (noted["error"], noted["key"]["M"]) == ({"S": "ValueError"}, failure.key)

    def test_an_item_that_cannot_be_decoded_is_reported(self, db: Repository) -> None:
        recorder = Recorder(Goal)
        put_raw(db, {"PK": "GOAL#g1", "SK": "GOAL", "type": "GOAL"})
        db.create(goal(2))
        report = db.streams.handle(recorder.listener)
        assert [event.new.goal_id for event in recorder.events] == ["g2"]
        assert [type(failure.error) for failure in report.failures] == [UnknownItem]

    def test_a_shredded_secret_is_reported_without_its_content(self, db: Repository) -> None:
        recorder = Recorder(Goal)
        db.create(goal(1, note="secret"))
        db.keys.shred(Goal, owner="ada")
        report = db.streams.handle(recorder.listener)
        assert [type(failure.error) for failure in report.failures] == [SecretShredded]
        assert "secret" not in repr(report)


@pytest.fixture
def keyring(tmp_path: Any) -> KeyFile:
    return KeyFile.create(tmp_path / "keys.json")
