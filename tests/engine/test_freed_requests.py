"""A request is freed when its reply is made, also after an error: nothing of it waits for the garbage collector.

The server switches the collector off while a large request runs. A request that only the collector can free would stay
in memory until then, and freeing it would stop the event loop.
"""

import gc
import json
from collections.abc import Iterator
from contextlib import nullcontext
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.engine.storage.group_commit import Staged
from tablewright.errors import ServiceError

FAILS = "attribute_exists(absent)"
ITEM = {"p": {"S": "a"}, "list": {"L": [{"S": "x"}, {"M": {}}]}}
PUT = {"TableName": "freed", "Item": ITEM}
KEY = {"TableName": "freed", "Key": {"p": {"S": "a"}}}
TABLE = {
    "TableName": "freed",
    "KeySchema": [{"AttributeName": "p", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "p", "AttributeType": "S"}],
    "BillingMode": "PAY_PER_REQUEST",
}
REQUESTS: dict[str, tuple[str, dict[str, Any]]] = {
    "success": ("PutItem", PUT),
    "failed condition": ("PutItem", PUT | {"ConditionExpression": FAILS}),
    "missing key": ("PutItem", PUT | {"Item": {"q": {"S": "a"}}}),
    "missing table": ("PutItem", PUT | {"TableName": "other"}),
    "item too large": ("PutItem", PUT | {"Item": ITEM | {"t": {"S": "x" * 500_000}}}),
    "wrong type": ("PutItem", PUT | {"Item": {"p": {"S": 1}}}),
    "invalid expression": ("PutItem", PUT | {"ConditionExpression": "a = = b"}),
    "failed update": ("UpdateItem", KEY | {"UpdateExpression": "SET a = b"}),
    "failed delete": ("DeleteItem", KEY | {"ConditionExpression": FAILS}),
    "missing table of a batch": (
        "BatchWriteItem",
        {"RequestItems": {"other": [{"PutRequest": {"Item": ITEM}}]}},
    ),
    "repeated item of a batch": (
        "BatchWriteItem",
        {"RequestItems": {"freed": [{"PutRequest": {"Item": ITEM}}] * 2}},
    ),
    "canceled transaction": (
        "TransactWriteItems",
        {"TransactItems": [{"Put": PUT | {"ConditionExpression": FAILS}}]},
    ),
    "missing key in a transaction": (
        "TransactWriteItems",
        {"TransactItems": [{"Put": PUT | {"Item": {"q": {"S": "a"}}}}]},
    ),
    "failed statement": ("ExecuteStatement", {"Statement": "UPDATE freed SET a = b WHERE p = 'a'"}),
    "failed statement of a transaction": (
        "ExecuteTransaction",
        {"TransactStatements": [{"Statement": "DELETE FROM freed WHERE p = 'a' AND q = 1"}]},
    ),
    "missing table of a read": ("GetItem", KEY | {"TableName": "other"}),
    "invalid read": ("Query", {"TableName": "freed", "KeyConditionExpression": "q = :v"}),
}


@pytest.fixture(autouse=True, scope="module")
def only_new_objects() -> None:
    """Let the collector look at new objects only: the tests that ran before leave many others."""
    gc.collect()
    gc.freeze()


@pytest.fixture
def database() -> Iterator[Database]:
    opened = Database(open_store())
    assert opened.call_json("CreateTable", json.dumps(TABLE).encode())[0] == 200
    yield opened
    opened.close()


def left_by(database: Database, operation: str, body: bytes, way: str) -> int:
    """How many objects a request leaves to the garbage collector: the least of five counts.

    Other threads of the test process can add objects of their own to a count; a request that leaves some adds to each.
    """

    def count() -> int:
        gc.collect()
        if way == "at once":
            database.call_json(operation, body)
        elif way == "in a turn":
            database.call_json_in_turn(operation, body, nullcontext)
        else:
            database.stage_json(operation, body)
            database.flush()
        return gc.collect()

    gc.disable()
    try:
        return min(count() for _ in range(5))
    finally:
        gc.enable()


@pytest.mark.parametrize("way", ["at once", "staged", "in a turn"])
@pytest.mark.parametrize("name", REQUESTS)
def test_a_request_is_freed_at_once(database: Database, name: str, way: str) -> None:
    operation, request = REQUESTS[name]
    body = json.dumps(request).encode()
    left_by(database, operation, body, way)  # the first call imports modules and fills caches
    assert left_by(database, operation, body, way) == 0


def test_an_error_kept_by_its_staged_write_would_be_found(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    def raise_error(staged: Any) -> None:
        raise staged._error

    monkeypatch.setattr(Staged, "_raise_error", raise_error)
    operation, request = REQUESTS["failed condition"]
    body = json.dumps(request).encode()
    left_by(database, operation, body, "at once")
    assert left_by(database, operation, body, "at once") > 10


def test_an_outcome_is_taken_once() -> None:
    store = open_store()

    def fail(_: object) -> None:
        raise ServiceError("failed")

    staged = store.stage(fail)
    for message in ("failed", "taken twice"):
        with pytest.raises(ServiceError, match=message):
            staged.tentative()
    store.close()
