"""What a run of a job can do: continue from its position, and end early."""

import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from tablewright_systems.service import JobRun, RunEnded

from tablewright import Clock, Repository


def stored_in(positions: list[str]) -> Callable[[str], bool]:
    def store(position: str) -> bool:
        positions.append(position)
        return True

    return store


def test_days_continue_from_the_stored_day_however_long_the_pause(db: Repository, clock: Clock) -> None:
    saved: list[str] = []
    run = JobRun(db, store_position=stored_in(saved))
    assert list(run.days(date(2026, 2, 28))) == [date(2026, 2, 28), date(2026, 3, 1)]
    clock.advance(timedelta(days=9))
    days = list(JobRun(db, saved[-1]).days(date(2026, 2, 1)))
    assert (days[0], days[-1], len(days)) == (date(2026, 3, 1), date(2026, 3, 10), 10)


def test_day_is_saved_only_when_its_work_is_done(db: Repository) -> None:
    run = JobRun(db)
    for _ in run.days(date(2026, 2, 27)):
        assert run.position is None
        break


def test_since(db: Repository) -> None:
    first = datetime(2026, 1, 1, tzinfo=UTC)
    assert JobRun(db).since(first) == first
    assert JobRun(db, db.now().isoformat()).since(first) == db.now()


def test_save_ends_a_stopping_run_after_it_stored_the_position(db: Repository) -> None:
    stored: list[str] = []
    stop = threading.Event()
    run = JobRun(db, None, stored_in(stored), stop)
    run.save("a")
    stop.set()
    assert run.is_stopping
    with pytest.raises(RunEnded):
        run.save("b")
    assert stored == ["a", "b"]
    run.wait(timedelta(hours=1))


def test_save_ends_a_run_whose_job_was_taken_over(db: Repository) -> None:
    run = JobRun(db, store_position=lambda position: False)
    with pytest.raises(RunEnded):
        run.save("a")


def test_work_that_fails_for_one_row_does_not_stop_the_others(db: Repository) -> None:
    done = []

    def work(row: int) -> bool:
        if row == 1:
            raise ValueError("row 1")
        done.append(row)
        return row != 0

    with pytest.raises(ValueError, match="row 1"):
        JobRun(db).for_each(range(4), work)
    assert done == [0, 2, 3]
    assert JobRun(db).for_each([0, 2, 3], work) == 2


def test_work_ends_when_the_run_is_stopping(db: Repository) -> None:
    run = JobRun(db)

    def stop(row: int) -> bool:
        run.stop.set()
        return True

    assert run.for_each(range(3), stop) == 1
