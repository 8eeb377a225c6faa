"""Rows of other programs are adopted once; rows that cannot be adopted are logged."""

from datetime import timedelta

import pytest
from tablewright_systems.boards.jobs import JOBS
from tablewright_systems.boards.proofs.fixtures import put_documents
from tablewright_systems.boards.service import users
from tablewright_systems.registry import find
from tablewright_systems.service import Job, JobRunner, once
from tablewright_systems.verification.proof_runner import proof_context

from tablewright import Clock, Repository


def test_rows_are_adopted_and_rejects_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    system = find("boards")
    assert system is not None
    with proof_context(system) as context:
        put_documents(context, "ada", "b1", "username")
        put_documents(context, "bob", "b2", "username")
        runner = JobRunner(context.db.connection, {"boards": (context.db, JOBS)}, clock=context.clock)
        runner.run_due()
        assert not users.NAMES.is_free(context.db, "USERNAME")
        assert "2026-11-claims-of-users rejected" in caplog.text
        assert [job.last_error for job in runner.jobs] == [None, None]


def test_complete_adoption_is_not_repeated(db: Repository, clock: Clock) -> None:
    problems = [OSError("the store is not reachable")]
    adopted: list[Repository] = []

    def adopt(db: Repository) -> str:
        if problems:
            raise problems.pop()
        adopted.append(db)
        return "2 rows changed"

    runner = JobRunner(
        db.connection, {"shop": (db, [Job("adoption", timedelta(hours=1), once(adopt))])}, clock=clock
    )
    for _ in range(4):
        runner.run_due()
        clock.advance(timedelta(hours=1))
    assert adopted == [db]
