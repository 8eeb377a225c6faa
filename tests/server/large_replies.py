"""Reads whose replies are expensive in different ways, and a program that makes several of them at once.

    python -m tests.server.large_replies HOST PORT KIND COUNT

A program of its own: threads that read would delay the probes of the test.
"""

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.server.raw_http import RawConnection, post

TINY = "tiny-items"
LARGE = "large-items"
LISTS = "items-of-lists"
MINUTES_FOR_A_REPLY = 5
LARGE_ITEMS = 41
"""A few bytes more than 16 MB, of 400 KB each."""
ELEMENTS = 50_000

KEY_CONDITION = {"KeyConditionExpression": "p = :p", "ExpressionAttributeValues": {":p": {"S": "k"}}}
QUERY = {"TableName": TINY, **KEY_CONDITION}


def _keys(prefix: str, count: int = LARGE_ITEMS) -> list[dict[str, Any]]:
    return [{"p": {"S": f"{prefix}{number}"}} for number in range(count)]


KINDS: dict[str, tuple[str, dict[str, Any]]] = {
    "page of tiny items": ("Query", QUERY),
    "page, filtered": ("Query", QUERY | {"FilterExpression": " OR ".join(["a = :p"] * 100)}),
    "page, projected": ("Query", QUERY | {"ProjectionExpression": "c"}),
    "page, counted": ("Query", QUERY | {"Select": "COUNT"}),
    "scan": ("Scan", {"TableName": TINY}),
    "statement": ("ExecuteStatement", {"Statement": f"SELECT c FROM \"{TINY}\" WHERE p = 'k'"}),
    "batch": ("BatchGetItem", {"RequestItems": {LARGE: {"Keys": _keys("text")}}}),
    "batch, projected": (
        "BatchGetItem",
        {"RequestItems": {LISTS: {"Keys": _keys("list"), "ProjectionExpression": "l"}}},
    ),
    "transaction, projected": (
        "TransactGetItems",
        {
            "TransactItems": [
                {"Get": {"TableName": LISTS, "Key": key, "ProjectionExpression": "l"}}
                for key in _keys("list", 10)
            ]
        },
    ),
    "statements": (
        "BatchExecuteStatement",
        {
            "Statements": [
                {"Statement": f"SELECT l FROM \"{LISTS}\" WHERE p = 'list{number}'"} for number in range(25)
            ]
        },
    ),
}


def fill(path: Path, rows: int, elements: int) -> None:
    """Create the tables, with that many tiny items, and items of 400 KB or of that many elements."""
    db = Database(open_store(path, "relaxed"), Clock())
    for name, *keys in ((TINY, "p", "c"), (LARGE, "p"), (LISTS, "p")):
        schema = [
            {"AttributeName": key, "KeyType": kind}
            for key, kind in zip(keys, ("HASH", "RANGE"), strict=False)
        ]
        types = [{"AttributeName": key, "AttributeType": "N" if key == "c" else "S"} for key in keys]
        request = {"TableName": name, "KeySchema": schema, "AttributeDefinitions": types}
        db.call("CreateTable", request | {"BillingMode": "PAY_PER_REQUEST"})
    _put(db, TINY, [{"p": {"S": "k"}, "c": {"N": str(number)}} for number in range(rows)])
    _put(db, LARGE, [{**key, "text": {"S": "x" * 400_000}} for key in _keys("text")])
    numbers = {"L": [{"N": str(number % 1000)} for number in range(elements)]}
    _put(db, LISTS, [{**key, "l": numbers} for key in _keys("list")])
    db.close()


def _put(db: Database, table: str, items: list[dict[str, Any]]) -> None:
    for first in range(0, len(items), 25):
        puts = [{"PutRequest": {"Item": item}} for item in items[first : first + 25]]
        db.call("BatchWriteItem", {"RequestItems": {table: puts}})


def main(host: str, port: str, kind: str, count: str) -> None:
    operation, request = KINDS[kind]
    data = post(operation, json.dumps(request).encode())

    def read(connection: RawConnection) -> tuple[int, int]:
        with connection:
            connection.socket.settimeout(MINUTES_FOR_A_REPLY * 60)
            reply = connection.ask(data)
            return reply.status, len(reply.body)

    connections = [RawConnection((host, int(port))) for _ in range(int(count))]
    with ThreadPoolExecutor(len(connections)) as pool:
        sys.stdout.write(json.dumps(list(pool.map(read, connections))))


if __name__ == "__main__":
    main(*sys.argv[1:])
