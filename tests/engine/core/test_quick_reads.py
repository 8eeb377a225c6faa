"""Quick reads: long reads are given up inside of QUICK_READS, and complete outside of it, with the same reply."""

import json
import threading
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.sessions import MOST_BYTES, MOST_ROWS, QUICK_READS, LongRead
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.limits.limit_tables import table

QUERY = {
    "TableName": "rows",
    "KeyConditionExpression": "p = :p",
    "ExpressionAttributeValues": {":p": {"S": "k"}},
}
LARGE = [{"p": {"S": str(number)}} for number in range(3)]
LONG_READS: dict[str, tuple[str, dict[str, Any]]] = {
    "Query": ("Query", QUERY),
    "Query with a higher limit": ("Query", QUERY | {"Limit": MOST_ROWS + 1}),
    "Query backward": ("Query", QUERY | {"ScanIndexForward": False}),
    "Scan": ("Scan", {"TableName": "rows"}),
    "Scan of large items with a filter": (
        "Scan",
        {"TableName": "large", "FilterExpression": "attribute_exists(p)"},
    ),
    "ExecuteStatement": ("ExecuteStatement", {"Statement": 'SELECT * FROM "rows"'}),
    "BatchGetItem": ("BatchGetItem", {"RequestItems": {"large": {"Keys": LARGE}}}),
    "BatchGetItem with a projection": (
        "BatchGetItem",
        {"RequestItems": {"large": {"Keys": LARGE[:1], "ProjectionExpression": "p"}}},
    ),
    "TransactGetItems": (
        "TransactGetItems",
        {"TransactItems": [{"Get": {"TableName": "large", "Key": key}} for key in LARGE]},
    ),
    "BatchExecuteStatement": (
        "BatchExecuteStatement",
        {"Statements": [{"Statement": f"SELECT * FROM large WHERE p = '{number}'"} for number in range(3)]},
    ),
}
SHORT_READS: dict[str, tuple[str, dict[str, Any]]] = {
    "Query with a limit": ("Query", QUERY | {"Limit": MOST_ROWS}),
    "BatchGetItem": ("BatchGetItem", {"RequestItems": {"large": {"Keys": LARGE[:2]}}}),
    "Scan of large items": ("Scan", {"TableName": "large"}),
    "Scan of one large item with a filter": (
        "Scan",
        {"TableName": "large", "FilterExpression": "attribute_exists(p)", "Limit": 1},
    ),
}


@pytest.fixture(scope="module")
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock())
    database.call("CreateTable", table("rows", "p", "c", types={"p": "S", "c": "N"}))
    database.call("CreateTable", table("large", "p"))
    for first in range(0, MOST_ROWS + 25, 25):
        items = [{"p": {"S": "k"}, "c": {"N": str(first + number)}} for number in range(25)]
        puts = [{"PutRequest": {"Item": item}} for item in items]
        database.call("BatchWriteItem", {"RequestItems": {"rows": puts}})
    for key in LARGE:
        item = {**key, "text": {"S": "x" * (MOST_BYTES * 3 // 8)}}
        database.call("PutItem", {"TableName": "large", "Item": item})
    yield database
    database.close()


def send(db: Database, operation: str, request: dict[str, Any]) -> tuple[int, bytes]:
    return db.call_json(operation, json.dumps(request).encode())


@pytest.mark.parametrize("name", LONG_READS)
def test_long_reads_are_given_up(db: Database, name: str) -> None:
    with QUICK_READS, pytest.raises(LongRead):
        send(db, *LONG_READS[name])
    status, body = send(db, *LONG_READS[name])
    assert status == 200
    assert json.loads(body), "afterwards, the same read is complete"


@pytest.mark.parametrize("name", SHORT_READS)
def test_short_reads_have_the_same_reply(db: Database, name: str) -> None:
    with QUICK_READS:
        quick = send(db, *SHORT_READS[name])
    assert quick == send(db, *SHORT_READS[name])
    assert quick[0] == 200


def test_other_threads_are_not_affected(db: Database) -> None:
    statuses: list[int] = []
    with QUICK_READS:
        thread = threading.Thread(target=lambda: statuses.append(send(db, *LONG_READS["Query"])[0]))
        thread.start()
        thread.join()
    assert statuses == [200]


def test_counted_accesses_are_counted_once() -> None:
    """A read of a database with contributor insights is never given up: it would be counted twice."""
    database = Database(open_store(), Clock())
    database.call("CreateTable", table("rows", "p", "c"))
    for number in range(MOST_ROWS + 1):
        item = {"p": {"S": "k"}, "c": {"S": str(number)}}
        database.call("PutItem", {"TableName": "rows", "Item": item})
    request = {"TableName": "rows", "ContributorInsightsAction": "ENABLE"}
    database.call("UpdateContributorInsights", request)
    with QUICK_READS:
        assert send(database, "Query", QUERY)[0] == 200
    (partition,) = database.ask("contributors", "rows")["accessed_partitions"]
    assert partition["count"] == MOST_ROWS + 1
    database.close()
