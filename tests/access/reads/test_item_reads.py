"""Item reads: items by their keys, one, many, or several at the same point in time."""

from typing import Any, TypeVar

import pytest

from tablewright import Entity, Keys, Table, embedded
from tablewright.access.context import Context
from tablewright.access.create_tables import create_missing
from tablewright.access.items.footprint import comparable_key
from tablewright.access.procedures import Procedure, Reply, run_sync
from tablewright.access.reads.item_reads import item_at, items_at, items_together
from tablewright.connections import Embedded
from tablewright.errors import TransactionCanceled, TransactionConflict

T = TypeVar("T")
things = Table("things", "id")
CONTEXT = Context()


class Thing(Entity, table=things):
    id: str
    keys = Keys(primary="{id}")


def key(number: int) -> dict[str, Any]:
    return {"id": {"S": f"{number:03}"}}


@pytest.fixture(scope="module")
def store() -> Any:
    with embedded() as connection:
        run_sync(create_missing([things], CONTEXT), connection.call)
        for number in range(150):
            connection.call("PutItem", {"TableName": "things", "Item": key(number)})
        yield connection


def test_one_item(store: Embedded) -> None:
    assert run_sync(item_at(CONTEXT, things, key(7)), store.call) == key(7)
    assert run_sync(item_at(CONTEXT, things, key(999)), store.call) is None


def test_more_items_than_one_request_takes(store: Embedded) -> None:
    keys = [key(number) for number in (*range(150), 7, 999)]
    found = run_sync(items_at(CONTEXT, things, keys), store.call)
    assert found == {comparable_key(things, each): each for each in keys[:150]}


def test_unprocessed_keys_are_read_again(store: Embedded) -> None:
    requests: list[int] = []
    pauses: list[float] = []

    def call(operation: str, request: dict[str, Any]) -> Reply:
        keys = request["RequestItems"]["things"]["Keys"]
        requests.append(len(keys))
        reply = store.call(operation, {"RequestItems": {"things": {"Keys": keys[:2]}}})
        unprocessed = {"things": {"Keys": keys[2:]}} if keys[2:] else {}
        return reply | {"UnprocessedKeys": unprocessed}

    found = run_sync(items_at(CONTEXT, things, [key(number) for number in range(5)]), call, pauses.append)
    assert len(found) == 5
    assert (requests, len(pauses)) == ([5, 3, 1], 2)


def test_items_of_one_point_in_time_have_the_order_of_the_keys(store: Embedded) -> None:
    found = run_sync(items_together(CONTEXT, things, [key(2), key(999), key(1)]), store.call)
    assert found == [key(2), None, key(1)]


def test_a_conflict_with_a_write_is_retried(store: Embedded) -> None:
    conflicts = [TransactionCanceled([{"Code": "TransactionConflict"}])] * 2

    def call(operation: str, request: dict[str, Any]) -> Reply:
        if conflicts:
            raise conflicts.pop()
        return store.call(operation, request)

    procedure: Procedure[Any] = items_together(CONTEXT, things, [key(1)])
    assert run_sync(procedure, call, lambda seconds: None) == [key(1)]

    def always(operation: str, request: dict[str, Any]) -> Reply:
        raise TransactionCanceled([{"Code": "TransactionConflict"}])

    with pytest.raises(TransactionConflict):
        run_sync(items_together(CONTEXT, things, [key(1)]), always, lambda seconds: None)
