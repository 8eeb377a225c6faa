"""Job runner: order, failures, stops, and jobs that continue when the database is opened again."""

import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from tablewright.engine import feature_list as feature_list  # registers the kinds of features
from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.job_runner import Job, Jobs, Stopped, job_function, new_key, schedule
from tablewright.engine.core.plugs import JOBS
from tablewright.engine.core.sessions import Writing
from tablewright.engine.database import Database
from tests.engine.archive import archive


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with archive(tmp_path) as database:
        yield database


def schedule_jobs(db: Database, *kinds: str) -> None:
    def work(tx: Writing) -> None:
        for kind in kinds:
            schedule(tx, new_key(tx), kind, {})

    # The jobs of these tests have runners of their own.
    db.state.wake_jobs = lambda: None
    db.sessions.write(work)


def waiting(db: Database) -> list[str]:
    return db.sessions.read(lambda tx: [job["Kind"] for _, job in job_records.documents(tx.rows, "job")])


def test_jobs_run_in_the_order_in_which_they_were_scheduled(db: Database) -> None:
    ran: list[str] = []

    def run(job: Job) -> None:
        ran.append(job.document["Kind"])
        job.write(job.end)

    jobs = Jobs(db.sessions, lambda kind: run)
    schedule_jobs(db, "first", "second", "third")
    jobs.wake()
    jobs.wait()
    assert ran == ["first", "second", "third"]
    assert waiting(db) == []


def test_a_failed_job_is_logged_and_stays_for_the_next_opening(
    db: Database, caplog: pytest.LogCaptureFixture
) -> None:
    def run(job: Job) -> None:
        if job.document["Kind"] == "broken":
            raise RuntimeError
        job.write(job.end)

    jobs = Jobs(db.sessions, lambda kind: run)
    schedule_jobs(db, "broken", "sound")
    jobs.wake()
    jobs.wait()
    assert caplog.messages == ["broken job failed"]
    assert waiting(db) == ["broken"]


def test_a_job_is_stopped_between_its_transactions(db: Database) -> None:
    started, may_continue, stopped = threading.Event(), threading.Event(), threading.Event()

    def run(job: Job) -> None:
        started.set()
        may_continue.wait(20)
        try:
            job.write(job.end)
        except Stopped:
            stopped.set()
            raise

    jobs = Jobs(db.sessions, lambda kind: run)
    schedule_jobs(db, "long")
    jobs.wake()
    assert started.wait(20)
    stopping = threading.Thread(target=jobs.stop)
    stopping.start()
    while not jobs._stopping.is_set():
        pass
    may_continue.set()
    stopping.join(20)
    assert stopped.is_set()
    assert waiting(db) == ["long"]


@pytest.mark.parametrize("kind", sorted(JOBS))
def test_each_kind_has_a_function(kind: str) -> None:
    assert job_function(kind).__name__ == "run"
