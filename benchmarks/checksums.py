"""Checksums: what the verification of each row costs, in processor time, with items of 300 bytes and of 1 KB.

The same database answers with and without it, in turns. Pages are in memory, so the page checksums take no part.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import orjson

from benchmarks.settings import Settings
from benchmarks.timing import compare, table
from tablewright import embedded
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.database import Database
from tablewright.engine.storage import rows
from tablewright.engine.storage.rows import END, PREFIX_BYTES, SIZE_MASK, ReadView

PARTITIONS, ITEMS = 50, 10
TABLE = {
    "BillingMode": "PAY_PER_REQUEST",
    "AttributeDefinitions": [{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
    "KeySchema": [
        {"AttributeName": "pk", "KeyType": "HASH"},
        {"AttributeName": "sk", "KeyType": "RANGE"},
    ],
}


def report(settings: Settings) -> Iterator[str]:
    """GetItem, Query and PutItem with and without the verification."""
    for size in (300, 1_000):
        with (
            tempfile.TemporaryDirectory() as folder,
            embedded(Path(folder) / "bench.db", durability="relaxed") as db,
        ):
            yield from _compared(db._open(), size)


def _compared(db: Database, size: int) -> Iterator[str]:
    for name in ("bench", "bare"):
        db.call("CreateTable", {**TABLE, "TableName": name})
    puts = [_body(Item={**_key(number), "text": {"S": "x" * size}}) for number in range(PARTITIONS * ITEMS)]
    gets = [_body(Key=_key(number)) for number in range(PARTITIONS * ITEMS)]
    queries = [
        _body(
            KeyConditionExpression="pk = :p", ExpressionAttributeValues={":p": {"S": f"partition {number}"}}
        )
        for number in range(PARTITIONS)
    ]
    _send(db, "PutItem", puts)
    # A put reads the row that it replaces, so each contestant has a table of its own.
    bare = [body.replace(b'"bench"', b'"bare"') for body in puts]
    for operation, bodies, others in (
        ("GetItem", gets * 5, gets * 5),
        ("Query", queries * 20, queries * 20),
        ("PutItem", puts * 2, bare * 2),
    ):
        contestants: dict[str, Callable[[], object]] = {
            "without checksums": _without(partial(_send, db, operation, others)),
            "with checksums": partial(_send, db, operation, bodies),
        }
        found = compare(contestants, 2, clock=time.process_time)
        yield table(f"{len(bodies)} times {operation}, items of {size} bytes", found, limit=1.05)


def _key(number: int) -> dict[str, Any]:
    return {"pk": {"S": f"partition {number % PARTITIONS}"}, "sk": {"S": f"{number // PARTITIONS:03}"}}


def _body(**request: Any) -> bytes:
    return orjson.dumps({"TableName": "bench", **request})


def _send(db: Database, operation: str, bodies: list[bytes]) -> None:
    for body in bodies:
        db.call_json(operation, body)


def _without(work: Callable[[], object]) -> Callable[[], object]:
    """The work, with rows that are neither verified nor given a checksum."""

    def run() -> None:
        # This takes a tenth of a millisecond; the batches are long enough that it does not count.
        with (
            patch.multiple(ReadView, get=_get, range=_range),
            patch.object(rows, "with_checksum", _size_only),
        ):
            work()

    return run


def _size_only(key: bytes, size: int, body: bytes) -> int:
    return size


def _get(view: ReadView, space: int, key: bytes) -> StoredItem | None:
    prefix, sql = view._find(space)
    for body, column in view.execute(sql.get, (prefix + key,)):
        return StoredItem(body, column & SIZE_MASK)
    return None


def _range(
    view: ReadView, space: int, low: bytes = b"", high: bytes | None = None, *, backward: bool = False
) -> Iterator[tuple[bytes, StoredItem]]:
    prefix, sql = view._find(space)
    ends = prefix + low, prefix + (high or END)
    cursor = view.execute(sql.backward if backward else sql.forward, ends)
    try:
        for stored, body, column in cursor:
            yield stored[PREFIX_BYTES:], StoredItem(body, column & SIZE_MASK)
    finally:
        cursor.close()
