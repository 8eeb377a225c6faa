"""Tables: the same calls in a file of ten tables and of ten thousand; each is made right after a table was created."""

import random
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks.items import TABLE, item, key, query
from benchmarks.settings import Settings
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

FEW, MANY = 10, 10_000
ROUNDS = 300
REOPENINGS = 5
CHANGE: dict[str, Any] = {"DeletionProtectionEnabled": False}

Waits = dict[str, list[float]]
"""Milliseconds by operation."""


def report(settings: Settings) -> Iterator[str]:
    """The times of each operation, by the number of tables and by clock."""
    few, many = (measure(tables, clock=time.thread_time) for tables in (FEW, MANY))
    elapsed = measure(MANY)
    lines = [
        f"### {MANY:,} tables with an index each: durable file",
        "",
        f"| milliseconds | {FEW} tables, p50 | {MANY:,} tables, p50 | p99 | longest | elapsed, p50 | p99 |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, waits in many.items():
        figures = [statistics.median(few[name]), statistics.median(waits), _p99(waits), max(waits)]
        figures += [statistics.median(elapsed[name]), _p99(elapsed[name])]
        lines.append(f"| {name} | {' | '.join(f'{figure:.2f}' for figure in figures)} |")
    note = (
        "Processor time of the calling thread, then elapsed time, which includes flushes and other programs. "
        "Budget: 10 ms of processor time, except for opening the file."
    )
    yield "\n".join([*lines, "", note, ""])


def _p99(waits: list[float]) -> float:
    return statistics.quantiles(waits, n=100, method="inclusive")[98]


def measure(tables: int, rounds: int = ROUNDS, clock: Callable[[], float] = time.perf_counter) -> Waits:
    """Fill a file with so many tables, then time every operation on it."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        fill(path, tables)
        database, waits = Database(open_store(path)), Waits()
        try:
            for number in range(rounds):
                _round(database, number, tables, partial(_timed, waits, clock))
        finally:
            database.close()
        for _ in range(REOPENINGS):
            _timed(waits, clock, "open the file", partial(_reopen, path))
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


def _round(database: Database, number: int, tables: int, timed: Callable[..., None]) -> None:
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
        timed("CreateTable", partial(database.call, "CreateTable", TABLE | {"TableName": new}))
        timed(operation, partial(database.call, operation, request))
        timed("DeleteTable", partial(database.call, "DeleteTable", {"TableName": new}))


def _timed(waits: Waits, clock: Callable[[], float], name: str, call: Callable[[], object]) -> None:
    began = clock()
    call()
    waits.setdefault(name, []).append((clock() - began) * 1000)


def _reopen(path: Path) -> None:
    """Open the file, read an item, and close the file."""
    database = Database(open_store(path))
    database.call("GetItem", {"TableName": _name(0), "Key": key(0)})
    database.close()


if __name__ == "__main__":
    for each, times in measure(int(sys.argv[1]), clock=time.thread_time).items():
        print(f"{each:15} p50 {statistics.median(times):8.2f} longest {max(times):8.2f} ms of processor time")
