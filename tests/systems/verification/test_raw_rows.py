"""Rows of other programs: plain values become attributes, and a busy store is called again."""

from typing import Any

import pytest

from tablewright import Clock, Repository, connect, errors
from tablewright_systems.registry import SYSTEMS
from tablewright_systems.verification import attribute, call_raw, put_row


class Busy:
    """A connection that rejects a number of calls."""

    def __init__(self, connection: Any, times: int) -> None:
        self._connection = connection
        self.clock: Clock = connection.clock
        self.left = times

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.left:
            self.left -= 1
            raise errors.ProvisionedThroughputExceeded("busy")
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        """Do nothing."""


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (None, {"NULL": True}),
        (True, {"BOOL": True}),
        (1.5, {"N": "1.5"}),
        ("", {"S": ""}),
        ([{"a": 1}], {"L": [{"M": {"a": {"N": "1"}}}]}),
    ],
)
def test_plain_values_are_stored_as_dynamodb_does(value: Any, expected: dict[str, Any]) -> None:
    assert attribute(value) == expected


def test_a_row_is_stored_as_it_is_although_the_store_is_busy() -> None:
    boards = SYSTEMS[0].design
    with connect(boards, environment="test") as db:
        busy = Busy(db.connection, 2)
        other = Repository(boards, busy, db.context)
        table = boards.tables[0]
        row = dict.fromkeys(table.key, "x")
        put_row(other, table, row | {"ours": False})
        assert busy.left == 0
        found = call_raw(other, "Scan", {"TableName": db.context.table_name(table)})
        assert found["Items"] == [{**{name: {"S": "x"} for name in row}, "ours": {"BOOL": False}}]


def test_other_errors_are_raised_at_once() -> None:
    boards = SYSTEMS[0].design
    with connect(boards, environment="test") as db, pytest.raises(errors.ResourceNotFound):
        call_raw(db, "Scan", {"TableName": "absent"})
