"""The sweeper: removes expired items and tokens, on request and in the background."""

import gc
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core import sweeper
from tablewright.engine.core.state.catalog import TOKENS
from tablewright.engine.core.sweeper import sweep
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.streaming import (
    START,
    create_table,
    get,
    item,
    open_memory,
    put,
)


def enable_ttl(db: Database, attribute: str = "ttl", *, enabled: bool = True) -> None:
    specification = {"AttributeName": attribute, "Enabled": enabled}
    db.call("UpdateTimeToLive", {"TableName": "events", "TimeToLiveSpecification": specification})


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    create_table(database)
    enable_ttl(database)
    yield database
    database.close()


def test_a_sweep_with_a_limit_leaves_the_other_items(db: Database) -> None:
    for number in range(250):
        put(db, item("a", number, ttl=START - number))
    assert sweep(db.sessions, limit=120) == 120
    assert db.sweep() == 130


def test_tables_without_ttl_are_not_swept(db: Database) -> None:
    create_table(db, name="other")
    put(db, item("a", ttl=START), "other")
    assert db.sweep() == 0
    assert get(db, "a", table="other") is not None


class WatchedClock(Clock):
    """A clock that signals when the sweeper reads it, once in each sweep."""

    def __init__(self, start: float | None = None) -> None:
        super().__init__(start)
        self.looks = threading.Semaphore(0)

    @property
    def frozen(self) -> bool:
        self.looks.release()
        return super().frozen

    def wait_for_a_round(self) -> None:
        """Wait for a complete sweep: when the sweeper reads the clock again, the previous sweep has ended."""
        while self.looks.acquire(blocking=False):
            pass
        assert self.looks.acquire(timeout=60)
        assert self.looks.acquire(timeout=60)


def open_sweeping(clock: Clock) -> Database:
    return Database(open_store(), clock, sweep_every=0.001)


def sweeper_of(db: Database) -> threading.Thread | None:
    return db.state.sweep_timer._thread


def test_the_sweep_timer_sweeps() -> None:
    clock = WatchedClock()
    db = open_sweeping(clock)
    create_table(db, None)
    assert sweeper_of(db) is None, "without anything to sweep there is no thread"
    enable_ttl(db)
    put(db, item("a", ttl=int(clock.now()) - 60))
    put(db, item("b"))
    clock.wait_for_a_round()
    assert get(db, "a") is None
    assert get(db, "b") is not None
    thread = sweeper_of(db)
    db.close()
    assert thread is not None
    assert not thread.is_alive()


def test_the_sweep_timer_does_nothing_with_a_frozen_clock() -> None:
    clock = WatchedClock(START)
    db = open_sweeping(clock)
    create_table(db)
    enable_ttl(db)
    put(db, item("a", ttl=START))
    clock.wait_for_a_round()
    assert get(db, "a") is not None
    assert db.sweep() == 1
    db.close()


def test_a_failed_background_sweep_is_logged_and_repeated(
    caplog: pytest.LogCaptureFixture,
) -> None:
    clock = WatchedClock()
    db = open_sweeping(clock)
    create_table(db, None)
    enable_ttl(db)
    db.state.store.close()
    clock.wait_for_a_round()
    db.state.sweep_timer.stop()
    assert "sweeping failed" in caplog.text


def test_the_sweep_timer_does_not_keep_a_dropped_database_in_memory() -> None:
    db = open_sweeping(Clock(start=START))
    create_table(db)
    put(db, item("a"))
    thread = sweeper_of(db)
    del db
    gc.collect()
    assert thread is not None
    thread.join(timeout=60)
    assert not thread.is_alive()


def test_sweeping_deletes_expired_tokens(db: Database) -> None:
    def tokens() -> int:
        return db.sessions.read(lambda tx: tx.rows.totals(TOKENS)[0])

    write = {"Put": {"TableName": "events", "Item": item("a")}}
    for number in range(120):
        db.call("TransactWriteItems", {"TransactItems": [write], "ClientRequestToken": str(number)})
    db.clock.advance(599)
    db.sweep()
    assert tokens() > 0
    db.clock.advance(2)
    db.sweep()
    assert tokens() == 0


def test_the_sweep_timer_releases_much_free_space(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sweeper, "_WORTH_RELEASING", 1_000_000)
    db = Database(open_store(tmp_path / "data.db", "relaxed"), WatchedClock(START), sweep_every=0.001)
    clock = db.clock
    assert isinstance(clock, WatchedClock)
    create_table(db, view=None)
    for number in range(20):
        large = {"pk": {"S": "a"}, "sk": {"N": str(number)}, "x": {"S": "x" * 100_000}}
        db.call("PutItem", {"TableName": "events", "Item": large})
    clock.wait_for_a_round()
    full = db.free_space()
    assert full.file_bytes > 2_000_000
    db.call("DeleteTable", {"TableName": "events"})
    db.jobs.wait_for_all()
    clock.wait_for_a_round()
    assert db.free_space().file_bytes < full.file_bytes / 4
    db.close()
