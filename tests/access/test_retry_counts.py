"""Retries are counted by their error: repeated requests, given-up requests, unprocessed parts of batches."""

from collections.abc import Mapping
from typing import Any

import pytest

from tablewright import (
    BatchGet,
    Design,
    Entity,
    Get,
    Repository,
    Table,
    embedded,
    errors,
    writes,
)
from tablewright.access import procedures
from tablewright.access.context import Context

THROTTLED = "ProvisionedThroughputExceededException"
table = Table("counted", key="id")


class Row(Entity, table=table):
    id: str


class RowById(Get[Row]):
    id: str


class RowsById(BatchGet[Row]):
    id: list[str]


class Busy:
    """A connection that fails a number of times, or leaves a number of batches unprocessed."""

    def __init__(self, connection: Any, errors_left: int = 0, unprocessed_left: int = 0) -> None:
        self._connection = connection
        self.errors_left = errors_left
        self.unprocessed_left = unprocessed_left

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self.errors_left:
            self.errors_left -= 1
            raise errors.ProvisionedThroughputExceeded("too fast")
        if self.unprocessed_left and operation.startswith("Batch"):
            self.unprocessed_left -= 1
            keys = {"Responses": {}, "UnprocessedKeys": request["RequestItems"]}
            return keys if operation == "BatchGetItem" else {"UnprocessedItems": request["RequestItems"]}
        reply: dict[str, Any] = self._connection.call(operation, request)
        return reply

    def close(self) -> None:
        """The engine stays open."""


@pytest.fixture(autouse=True)
def no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(procedures, "SHORTEST", 0.0)


def added(before: Mapping[str, int], after: Mapping[str, int]) -> dict[str, int]:
    return {
        name: count - before.get(name, 0) for name, count in after.items() if count != before.get(name, 0)
    }


def test_repeated_and_given_up_requests_are_counted() -> None:
    design = Design("counted", entities=[Row], patterns=[RowById, RowsById])
    with embedded() as engine:
        engine.call("CreateTable", table.definition())
        busy = Busy(engine)
        db = Repository(design, busy, Context())
        before = Repository.retry_counts()
        busy.errors_left = 2
        db.put(Row(id="a"))
        busy.errors_left = 1
        assert db.run(RowById(id="a")) == Row(id="a")
        assert added(before.retried, Repository.retry_counts().retried) == {THROTTLED: 3}
        busy.errors_left = 1_000
        with pytest.raises(errors.ProvisionedThroughputExceeded):
            db.run(RowById(id="a"))
        assert added(before.given_up, Repository.retry_counts().given_up) == {THROTTLED: 1}
        busy.errors_left = 0
        before = Repository.retry_counts()
        busy.unprocessed_left = 1
        assert db.all(RowsById(id=["a"])) == [Row(id="a")]
        busy.unprocessed_left = 1
        db.batch([writes.Put(Row(id="b"))])
        assert added(before.retried, Repository.retry_counts().retried) == {
            "UnprocessedKeys": 1,
            "UnprocessedItems": 1,
        }
