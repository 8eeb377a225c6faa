"""Tables: the same calls in a file of ten tables and of ten thousand; each is made right after a table was created."""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.items import TABLE, item, key, query
from tablewright.engine.database import Database
from tablewright.storage import open_store

FEW, MANY = 10, 10_000
ROUNDS = 300
REOPENINGS = 5
CHANGE: dict[str, Any] = {"DeletionProtectionEnabled": False}

Waits = dict[str, list[float]]
"""Milliseconds by operation."""


def report() -> Iterator[str]:
    """The times of each operation, by the number of tables."""
    few, many = (measure(tables) for tables in (FEW, MANY))
    lines = [
        f"### {MANY:,} tables with an index each: durable file",
        "",
        f"| milliseconds | p50 of {FEW} tables | p50 | p99 | longest |",
        "|---|---:|---:|---:|---:|",
    ]
    for name, waits in many.items():
        p99 = statistics.quantiles(waits, n=100)[98]
        lines.append(
            f"| {name} | {statistics.median(few[name]):.2f} | {statistics.median(waits):.2f} | {p99:.2f} "
            f"| {max(waits):.2f} |"
        )
    yield "\n".join([*lines, "", "Budget: 10 ms, except for opening the file.", ""])


def measure(tables: int, rounds: int = ROUNDS) -> Waits:
    """Fill a file with so many tables, then time every operation on it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        fill(path, tables)
        database, waits = Database(open_store(path)), Waits()
        try:
            for number in range(rounds):
                _round(database, number, tables, waits)
        finally:
            database.close()
        waits["open the file"] = [_reopen(path) for _ in range(REOPENINGS)]
        return waits


def fill(path: Path, tables: int) -> None:
    """Create so many tables, each with ten items."""
    database = Database(open_store(path, "relaxed"))
    for number in range(tables):
        name = _name(number)
        database.call("CreateTable", TABLE | {"TableName": name})
        puts = [{"PutRequest": {"Item": item(place)}} for place in range(10)]
        database.call("BatchWriteItem", {"RequestItems": {name: puts}})
    database.close()


def _name(number: int) -> str:
    return f"table-{number:06}"


def _round(database: Database, number: int, tables: int, waits: Waits) -> None:
    """Make every call once, on any table, each right after a table was created."""
    chosen = _name(random.Random(number).randrange(tables))
    requests: dict[str, dict[str, Any]] = {
        "GetItem": {"TableName": chosen, "Key": key(number % 10)},
        "PutItem": {"TableName": chosen, "Item": item(number)},
        "Query": {**query(0), "TableName": chosen},
        "ListTables": {"ExclusiveStartTableName": chosen},
        "DescribeTable": {"TableName": chosen},
        "UpdateTable": {"TableName": chosen, **CHANGE},
    }
    for operation, request in requests.items():
        new = f"new-{number}-{operation}"
        _timed(waits, "CreateTable", lambda: database.call("CreateTable", TABLE | {"TableName": new}))  # noqa: B023
        _timed(waits, operation, lambda: database.call(operation, request))  # noqa: B023
        _timed(waits, "DeleteTable", lambda: database.call("DeleteTable", {"TableName": new}))  # noqa: B023


def _timed(waits: Waits, name: str, call: Callable[[], object]) -> None:
    began = time.perf_counter()
    call()
    waits.setdefault(name, []).append((time.perf_counter() - began) * 1000)


def _reopen(path: Path) -> float:
    began = time.perf_counter()
    database = Database(open_store(path))
    database.call("GetItem", {"TableName": _name(0), "Key": key(0)})
    took = time.perf_counter() - began
    database.close()
    return took * 1000


if __name__ == "__main__":
    for name, waits in measure(int(sys.argv[1])).items():
        print(f"{name:15} p50 {statistics.median(waits):8.2f} longest {max(waits):8.2f}")
