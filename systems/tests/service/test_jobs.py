"""What a run of a job can do: continue from its position, and end early."""

import logging
import threading
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta

import pytest
from tablewright_systems.service import Job, JobRun, JobRunner, RunEnded
from tablewright_systems.service.jobs import LEASE, JobState, StateOfJob

from systems.tests.races import race
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


MINUTE = timedelta(minutes=1)


@pytest.fixture
def runner_of(db: Repository, clock: Clock) -> Callable[..., JobRunner]:
    """Return a runner of jobs; each call stands for one process."""
    return lambda *jobs: JobRunner(db.connection, {"shop": (db, jobs)}, clock=clock)


def state_of(runner: JobRunner, name: str) -> JobState:
    return runner.states.get_or_raise(StateOfJob(system="shop", name=name))


def test_job_runs_when_it_is_due(runner_of: Callable[..., JobRunner], clock: Clock) -> None:
    runs: list[JobRun] = []
    runner = runner_of(Job("count", 5 * MINUTE, runs.append))
    assert runner.run_due() == ["shop.count"]
    assert runner.run_due() == []
    clock.advance(5 * MINUTE)
    assert runner.run_due() == ["shop.count"]
    assert len(runs) == 2


def test_due_time_is_stored(runner_of: Callable[..., JobRunner], clock: Clock) -> None:
    job = Job("count", 5 * MINUTE, lambda run: None)
    runner_of(job).run_due()
    assert runner_of(job).run_due() == []


def test_next_run_continues_from_the_stored_position(
    runner_of: Callable[..., JobRunner], clock: Clock
) -> None:
    seen: list[str | None] = []

    def sweep(run: JobRun) -> None:
        seen.append(run.position)
        run.save(f"{run.position or ''}x")

    job = Job("sweep", MINUTE, sweep)
    for _ in range(3):
        runner_of(job).run_due()
        clock.advance(timedelta(days=30))
    assert seen == [None, "x", "xx"]


def test_failing_job_is_logged_and_retried_later_and_does_not_stop_the_others(
    runner_of: Callable[..., JobRunner], clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    problems: list[Exception] = [ValueError("no mail server"), ValueError("no mail server")]

    def fail(run: JobRun) -> None:
        run.save("half")
        if problems:
            raise problems.pop()

    runner = runner_of(Job("mail", 60 * MINUTE, fail), Job("count", MINUTE, lambda run: None))
    with caplog.at_level(logging.ERROR):
        assert runner.run_due() == ["shop.mail", "shop.count"]
    assert "job shop.mail failed" in caplog.text
    state = state_of(runner, "mail")
    assert (state.failures, state.last_error, state.position) == (1, "ValueError: no mail server", "half")
    assert runner.run_due() == []
    clock.advance(timedelta(seconds=2))
    assert runner.run_due() == ["shop.mail"]
    assert runner.run_due() == []
    clock.advance(timedelta(seconds=3))
    assert runner.run_due() == ["shop.mail"]
    assert (state_of(runner, "mail").failures, state_of(runner, "mail").last_error) == (0, None)


def test_two_processes_do_not_run_a_job_at_once(runner_of: Callable[..., JobRunner]) -> None:
    runs: list[int] = []
    first, second = (runner_of(Job("count", MINUTE, lambda run: runs.append(1))) for _ in range(2))
    first.run_due()  # creates the state, so that both processes then meet when they take the lease
    runs.clear()
    first.states.update(state_of(first, "count"), set={"due_at": first.states.now()})
    assert sorted(race(first.run_due, second.run_due)) == [[], ["shop.count"]]
    assert runs == [1]


def test_job_of_a_killed_process_is_taken_over_from_its_position(
    runner_of: Callable[..., JobRunner], clock: Clock
) -> None:
    positions: list[str | None] = []

    def killed(run: JobRun) -> None:
        run.save("half")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        runner_of(Job("sweep", MINUTE, killed)).run_due()
    other = runner_of(Job("sweep", MINUTE, lambda run: positions.append(run.position)))
    assert other.run_due() == []
    clock.advance(LEASE.length)
    assert other.run_due() == ["shop.sweep"]
    assert positions == ["half"]


def test_process_that_lost_its_job_changes_nothing(
    runner_of: Callable[..., JobRunner], clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    other = runner_of(Job("sweep", MINUTE, lambda run: run.save("other")))

    def stall(run: JobRun) -> None:
        clock.advance(LEASE.length)
        other.run_due()
        run.save("stalled")
        raise AssertionError("save ends the run")

    slow = runner_of(Job("sweep", MINUTE, stall))
    slow.run_due()
    assert state_of(slow, "sweep").position == "other"
    assert "another process took over the job" in caplog.text


def test_running_job_keeps_its_lease(runner_of: Callable[..., JobRunner], clock: Clock) -> None:
    other = runner_of(Job("sweep", MINUTE, lambda run: None))

    def work(run: JobRun) -> None:
        for _ in range(3):
            clock.advance(LEASE.length / 2)
            assert slow.jobs[0].renew()
            assert other.run_due() == []

    slow = runner_of(Job("sweep", MINUTE, work))
    assert slow.run_due() == ["shop.sweep"]
    assert state_of(slow, "sweep").last_error is None


def test_shared_job_runs_in_every_process(runner_of: Callable[..., JobRunner], clock: Clock) -> None:
    job = Job("worker", timedelta(seconds=1), lambda run: run.save("x"), exclusive=False)
    one, two = runner_of(job), runner_of(job)
    assert one.run_due() == two.run_due() == ["shop.worker"]
    assert one.run_due() == []
    clock.advance(timedelta(seconds=1))
    assert one.run_due() == ["shop.worker"]


def test_threads_run_the_jobs_and_stop(db: Repository) -> None:
    ran, ended = threading.Event(), threading.Event()

    def work(run: JobRun) -> None:
        ran.set()
        run.wait(timedelta(hours=1))
        ended.set()

    runner = JobRunner(
        db.connection,
        {"shop": (db, [Job("a", MINUTE, work), Job("b", MINUTE, work, exclusive=False)])},
    )
    runner.start()
    assert ran.wait(30)
    runner.stop()
    assert ended.is_set()
    assert all(state_of(runner, "a").lease_id is None for _ in range(1))


def test_stopped_job_is_due_at_once(runner_of: Callable[..., JobRunner]) -> None:
    def work(run: JobRun) -> None:
        run.stop.set()
        run.save("half")

    runner = runner_of(Job("sweep", 60 * MINUTE, work))
    runner.run_due()
    positions: list[str | None] = []
    next_process = runner_of(Job("sweep", 60 * MINUTE, lambda run: positions.append(run.position)))
    assert next_process.run_due() == ["shop.sweep"]
    assert positions == ["half"]


def test_unreachable_store_is_logged_and_tried_again(
    db: Repository, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tablewright_systems.service.jobs.LONGEST_PAUSE", timedelta(0))
    runs = threading.Event()
    runner = JobRunner(db.connection, {"shop": (db, [Job("count", MINUTE, lambda run: runs.set())])})
    run_if_due = runner.jobs[0].run_if_due
    failures = [OSError("no route to host")]

    def unreachable_once() -> bool:
        if failures:
            raise failures.pop()
        return run_if_due()

    monkeypatch.setattr(runner.jobs[0], "run_if_due", unreachable_once)
    runner.start()
    assert runs.wait(30)
    runner.stop()
    assert "job shop.count: its state cannot be read or written" in caplog.text
