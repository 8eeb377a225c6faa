"""Expiry schedules: TTL enabled on a table with items, in short steps concurrently with writers."""

from collections.abc import Callable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.jobs.job_runner import Job, Jobs
from tablewright.engine.core.state.catalog import EXPIRY
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

START = 1_700_000_000
ITEMS = 30
USERS: dict[str, Any] = {
    "TableName": "users",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
}


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.engine.core.state.row_batches.MAX_ROWS", 4)


@pytest.fixture(params=["memory", "file"])
def db(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Database]:
    database = filled(tmp_path / "data.db" if request.param == "file" else None)
    yield database
    database.close()


def filled(path: Path | None) -> Database:
    """A table of items that expire one second after the other."""
    db = Database(open_store(path, "relaxed"), Clock(START))
    db.call("CreateTable", USERS)
    for number in range(ITEMS):
        put(db, f"u{number:02}", START + number + 1)
    return db


def put(db: Database, key: str, expires: int) -> None:
    item = {"id": {"S": key}, "ends": {"N": str(expires)}}
    db.call("PutItem", {"TableName": "users", "Item": item})


def delete(db: Database, key: str) -> None:
    db.call("DeleteItem", {"TableName": "users", "Key": {"id": {"S": key}}})


def set_ttl(db: Database, attribute: str = "ends", *, enabled: bool = True) -> None:
    specification = {"AttributeName": attribute, "Enabled": enabled}
    db.call("UpdateTimeToLive", {"TableName": "users", "TimeToLiveSpecification": specification})


def idle(monkeypatch: pytest.MonkeyPatch, action: Callable[[], None]) -> None:
    """Run an action while no job starts."""
    with monkeypatch.context() as patch:
        patch.setattr(Jobs, "wake", lambda self: None)
        action()


def scheduled(db: Database) -> int:
    return db.sessions.read(lambda tx: sum(1 for _ in tx.rows.range(EXPIRY)))


def left(db: Database) -> int:
    return int(db.call("Scan", {"TableName": "users", "Select": "COUNT"})["Count"])


def test_all_items_are_scheduled_in_several_transactions(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps: list[int] = []
    write = Job.write

    def write_and_count(job: Job, work: Any) -> Any:
        result = write(job, work)
        steps.append(scheduled(db))
        return result

    monkeypatch.setattr(Job, "write", write_and_count)
    set_ttl(db)
    db.jobs.wait_for_all()
    assert scheduled(db) == ITEMS
    assert len(steps) > 3
    assert max(after - before for before, after in pairwise(steps)) <= 4
    db.clock.advance(10)
    assert (db.sweep(), left(db)) == (10, ITEMS - 10)


def test_a_small_table_is_scheduled_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.engine.core.state.row_batches.MAX_ROWS", 128)
    db = filled(None)
    idle(monkeypatch, lambda: set_ttl(db))
    assert scheduled(db) == ITEMS
    db.close()


def test_writes_during_the_job_are_scheduled_once_and_right(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    idle(monkeypatch, lambda: set_ttl(db))
    assert scheduled(db) < ITEMS, "the job has not run"
    for key in [f"u{number:02}" for number in range(0, ITEMS, 3)]:
        put(db, key, START + 1000)  # moved
    for key in [f"u{number:02}" for number in range(1, ITEMS, 3)]:
        delete(db, key)
    put(db, "new", START + 1000)
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert scheduled(db) == left(db) == ITEMS * 2 // 3 + 1
    db.clock.advance(ITEMS + 1)
    assert (db.sweep(), left(db)) == (ITEMS // 3, ITEMS // 3 + 1)


def test_ttl_that_is_disabled_and_enabled_again_has_one_schedule(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The removal of the first schedule and both scheduling jobs run after the second request."""

    def disable_and_enable() -> None:
        set_ttl(db)
        set_ttl(db, enabled=False)
        set_ttl(db, "other")
        set_ttl(db, "other", enabled=False)
        set_ttl(db)

    idle(monkeypatch, disable_and_enable)
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert scheduled(db) == ITEMS
    db.clock.advance(ITEMS + 1)
    assert (db.sweep(), left(db), scheduled(db)) == (ITEMS, 0, 0)


def test_disabled_ttl_leaves_no_schedule(db: Database) -> None:
    set_ttl(db)
    db.jobs.wait_for_all()
    set_ttl(db, enabled=False)
    db.jobs.wait_for_all()
    assert scheduled(db) == 0
    db.clock.advance(ITEMS + 1)
    assert (db.sweep(), left(db)) == (0, ITEMS)


def test_a_closed_database_continues_at_every_step(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupted = 0
    for point in range(1, 9):
        path = tmp_path / f"{point}.db"
        db = filled(path)
        write, seen = Job.write, 0

        def write_and_stop(job: Job, work: Any, write: Any = write, point: int = point) -> Any:
            nonlocal seen
            result = write(job, work)
            seen += 1
            if seen == point:
                job._jobs._stopping.set()
            return result

        with monkeypatch.context() as patch:
            patch.setattr(Job, "write", write_and_stop)
            set_ttl(db)
            db.jobs.wait_for_all()
        interrupted += scheduled(db) < ITEMS
        db.close()
        db = Database(open_store(path, "relaxed"), Clock(START))
        db.jobs.wait_for_all()
        assert scheduled(db) == ITEMS
        db.close()
    assert interrupted >= 3


def test_a_deleted_table_ends_the_job(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    idle(monkeypatch, lambda: set_ttl(db))
    db.call("DeleteTable", {"TableName": "users"})
    db.call("CreateTable", USERS)
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert scheduled(db) == 0
