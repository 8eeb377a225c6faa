"""Calls without the design: a busy store is called again, other errors are raised."""

from typing import Any

import pytest
from tablewright_systems.service import call_raw, raw_rows

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
    found = call_raw(Repository(db.design, busy, db.context), "Scan", {"TableName": "Shop"})
    assert (busy.left, found["Count"]) == (0, 0)


def test_other_errors_are_raised_at_once(db: Repository) -> None:
    with pytest.raises(errors.ResourceNotFound):
        call_raw(db, "Scan", {"TableName": "absent"})


def test_rows_of_all_pages(db: Repository) -> None:
    filling = {"S": "x" * 300_000}
    for number in range(8):
        item = {"PK": {"S": "x"}, "SK": {"S": str(number)}, "text": filling}
        call_raw(db, "PutItem", {"TableName": "Shop", "Item": item})
    assert [row["SK"]["S"] for row in raw_rows(db, "Scan", {"TableName": "Shop"})] == list("01234567")
