"""The sides of a move: batches of writes, and rates."""

from typing import Any

import pytest

from tablewright import Connection, Design, Table, billing, embedded
from tablewright.access.context import Context
from tablewright.errors import MoveError
from tablewright.lifecycle.move.sides import MoveSide, delete, put, shared_rate

things = Table("things", "id", billing=billing.Provisioned(10, 4))
others = Table("others", "id", billing=billing.OnDemand(max_read=100))
plain = Table("plain", "id")


def side(connection: Connection, *tables: Table, name: Any = "target") -> MoveSide:
    design = Design("sides", tables=tables)
    return MoveSide(name, connection, design, Context(), pause=lambda seconds: None)


def test_writes_are_batched() -> None:
    with embedded() as connection:
        connection.call("CreateTable", things.definition())
        target = side(connection, things)
        target.write(things, [put({"id": {"S": str(number)}}) for number in range(60)])
        target.write(things, [delete({"id": {"S": str(number)}}) for number in range(30)])
        assert connection.call("Scan", {"TableName": "things"})["Count"] == 30
        assert target.get(things, {"id": {"S": "29"}}) is None
        assert target.get(things, {"id": {"S": "30"}}) == {"id": {"S": "30"}}


class Throttled:
    """Processes one write of each batch, or none."""

    def __init__(self, connection: Connection, processed: int) -> None:
        self._connection = connection
        self._processed = processed
        self.calls = 0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self.calls += 1
        ((table, writes),) = request["RequestItems"].items()
        if self._processed:
            self._connection.call(operation, {"RequestItems": {table: writes[: self._processed]}})
        left = writes[self._processed :]
        return {"UnprocessedItems": {table: left} if left else {}}

    def close(self) -> None:
        pass


def test_unprocessed_writes_are_repeated() -> None:
    with embedded() as connection:
        connection.call("CreateTable", things.definition())
        throttled = Throttled(connection, 1)
        side(throttled, things).write(things, [put({"id": {"S": str(number)}}) for number in range(5)])
        assert throttled.calls == 5
        assert connection.call("Scan", {"TableName": "things"})["Count"] == 5


def test_a_table_that_stays_throttled_is_an_error() -> None:
    with embedded() as connection, pytest.raises(MoveError, match="throttled for too long; lower --rate"):
        side(Throttled(connection, 0), things).write(things, [put({"id": {"S": "1"}})])


def test_a_share_is_one_of_the_smallest_capacity() -> None:
    with embedded() as connection:
        for table in (things, others, plain):
            connection.call("CreateTable", table.definition())
        assert shared_rate(side(connection, things, others, name="source"), 0.5) == 5
        assert shared_rate(side(connection, others, plain, name="source"), 0.5) == 50
        assert shared_rate(side(connection, others, plain), 0.5) == 2_000
