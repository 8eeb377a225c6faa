"""Calls without the design: a busy store is called again, other errors are raised."""

from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.boards.jobs import JOBS
from tablewright_systems.boards.proofs.fixtures import put_documents
from tablewright_systems.boards.service import users
from tablewright_systems.registry import find
from tablewright_systems.service import Job, JobRunner, call_raw, erase_all, once, raw_rows
from tablewright_systems.verification import put_row
from tablewright_systems.verification.proof_runner import proof_context

from systems.tests.service.shop import Letter, LettersOf, table
from tablewright import Clock, Repository, errors


class Busy:
    """A connection that rejects a number of calls."""

    def __init__(self, connection: Any, times: int, error: type[Exception]) -> None:
        self._connection = connection
        self.clock: Clock = connection.clock
        self.left = times
        self._error = error

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.left:
            self.left -= 1
            raise self._error("busy")
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        """Do nothing."""


BUSY = (errors.ProvisionedThroughputExceeded, errors.Throttling, errors.TransactionConflict)


@pytest.mark.parametrize("error", BUSY)
def test_busy_store_is_called_again(db: Repository, error: type[Exception]) -> None:
    busy = Busy(db.connection, 2, error)
    result = call_raw(Repository(db.design, busy, db.context), "Scan", {"TableName": "Shop"})
    assert (busy.left, result["Count"]) == (0, 0)


def test_other_errors_are_raised_at_once(db: Repository) -> None:
    with pytest.raises(errors.ResourceNotFound):
        call_raw(db, "Scan", {"TableName": "absent"})


def test_rows_of_all_pages(db: Repository) -> None:
    filling = {"S": "x" * 300_000}
    for number in range(8):
        item = {"PK": {"S": "x"}, "SK": {"S": str(number)}, "text": filling}
        call_raw(db, "PutItem", {"TableName": "Shop", "Item": item})
    assert [row["SK"]["S"] for row in raw_rows(db, "Scan", {"TableName": "Shop"})] == list("01234567")


def rows_of(db: Repository) -> list[str]:
    result = db.connection.call("Scan", {"TableName": table.name})["Items"]
    return sorted(f"{item['PK']['S']} {item['SK']['S']}" for item in result)


def test_readable_and_unreadable_rows_are_deleted(db: Repository) -> None:
    for recipient in ("ada", "bob"):
        db.create(Letter(recipient=recipient, mailing_id="m1"))
        put_row(db, table, {"PK": f"LETTER#{recipient}", "SK": "MAILING#m2", "type": "Postcard"})
    erase_all(db, LettersOf(recipient="ada"))
    assert rows_of(db) == ["LETTER#bob MAILING#m1", "LETTER#bob MAILING#m2"]


def test_all_pages_are_deleted(db: Repository) -> None:
    filling = "x" * 300_000
    for number in range(8):
        row = {"PK": "LETTER#ada", "SK": f"MAILING#{number}", "type": "Postcard", "text": filling}
        put_row(db, table, row)
    erase_all(db, LettersOf(recipient="ada"))
    assert rows_of(db) == []


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
