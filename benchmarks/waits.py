"""Waits: how long a writer of another table waits while an index is built, TTL enabled, or a table imported."""

import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from benchmarks.items import TABLE, fill, item
from benchmarks.settings import Settings
from tablewright.connections.embedded import Embedded
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

ITEMS = 200_000
OTHER = {
    "TableName": "other",
    "AttributeDefinitions": [{"AttributeName": "pk", "AttributeType": "S"}],
    "KeySchema": [{"AttributeName": "pk", "KeyType": "HASH"}],
    "BillingMode": "PAY_PER_REQUEST",
}
INDEX = {
    "IndexName": "by-text",
    "KeySchema": [{"AttributeName": "sk", "KeyType": "HASH"}, {"AttributeName": "pk", "KeyType": "RANGE"}],
    "Projection": {"ProjectionType": "ALL"},
}
CREATE: dict[str, Any] = {
    "TableName": "bench",
    "AttributeDefinitions": TABLE["AttributeDefinitions"],
    "GlobalSecondaryIndexUpdates": [{"Create": INDEX}],
}
DELETE: dict[str, Any] = {
    "TableName": "bench",
    "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-text"}}],
}

BULK: dict[str, Any] = {
    "TableName": "bench",
    "InputS3Configuration": {"S3Bucket": "files", "InputFormat": "DYNAMODB_JSON"},
    "OutputS3Configuration": {"S3Bucket": "files", "OutputType": ["ERROR"]},
}
IMPORT: dict[str, Any] = {
    "ClientToken": "waits",
    "S3BucketSource": {"S3Bucket": "files", "S3KeyPrefix": "items.json"},
    "InputFormat": "DYNAMODB_JSON",
    "TableCreationParameters": {**TABLE, "TableName": "imported"},
}


def report(settings: Settings) -> Iterator[str]:
    """The waits of a writer of another table, by what happens meanwhile."""
    lines = [
        f"### A writer of another table: durable file, {ITEMS:,} items of 1 KB",
        "",
        "| meanwhile | seconds | puts | p50 ms | p99 ms | longest ms | log MB |",
        "|---|---:|---:|---:|---:|---:|---:|",
    ]
    for name, seconds, waits, log in measure(ITEMS):
        p99 = statistics.quantiles(waits, n=100)[98] if len(waits) > 1 else 0.0
        lines.append(
            f"| {name} | {seconds:.1f} | {len(waits):,} | {statistics.median(waits):.1f} | {p99:.1f} "
            f"| {max(waits):.1f} | {log:.0f} |"
        )
    yield "\n".join([*lines, "", "Budget: longest wait 50 ms, log 64 MB.", ""])


def measure(items: int) -> Iterator[tuple[str, float, list[float], float]]:
    """Each action's name and seconds, the waits in milliseconds, and the largest size of the log in megabytes."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "waits.db"
        db = Database(open_store(path, durability="relaxed"))
        db.call("CreateTable", TABLE)
        db.call("CreateTable", OTHER)
        fill(db, items)
        db.close()
        db = Database(open_store(path))
        try:
            yield "nothing", *waits_during(db, path, lambda: time.sleep(2))
            yield "index built", *waits_during(db, path, lambda: _request(db, "UpdateTable", CREATE))
            yield "index removed", *waits_during(db, path, lambda: _request(db, "UpdateTable", DELETE))
            _write_records(path, items // 4)
            yield "bulk operation", *waits_during(db, path, lambda: _request(db, "StartBulkPutItems", BULK))
            yield "table imported", *waits_during(db, path, lambda: _request(db, "ImportTable", IMPORT))
            yield (
                "TTL enabled",
                *waits_during(db, path, lambda: _request(db, "UpdateTimeToLive", _ttl(enabled=True))),
            )
            yield (
                "TTL disabled",
                *waits_during(db, path, lambda: _request(db, "UpdateTimeToLive", _ttl(enabled=False))),
            )
            yield "backup created", *waits_during(db, path, lambda: _back_up(db))
            arn = db.call("ListBackups", {})["BackupSummaries"][0]["BackupArn"]
            restore = {"BackupArn": arn, "TargetTableName": "restored"}
            yield (
                "table restored",
                *waits_during(db, path, lambda: _request(db, "RestoreTableFromBackup", restore)),
            )
            yield (
                "table deleted",
                *waits_during(db, path, lambda: _request(db, "DeleteTable", {"TableName": "bench"})),
            )
        finally:
            db.close()


def _write_records(path: Path, count: int) -> None:
    """The input of the bulk operation, items that are in the table already; and of the import."""
    folder = path.with_name(path.name + ".buckets") / "files"
    folder.mkdir(parents=True)
    with (folder / "items.json").open("w") as file:
        for number in range(count):
            file.write(json.dumps({"Item": item(number)}) + "\n")


def _ttl(*, enabled: bool) -> dict[str, Any]:
    """Every item has a number for its expiry, too long ago to be deleted: items may expire for five years."""
    return {"TableName": "bench", "TimeToLiveSpecification": {"AttributeName": "count", "Enabled": enabled}}


def _back_up(db: Database) -> None:
    _request(db, "CreateBackup", {"TableName": "bench", "BackupName": "copy"})


def _request(db: Database, operation: str, request: dict[str, Any]) -> None:
    db.call(operation, request)
    db.jobs.wait_for_all()


def waits_during(
    db: Database | Embedded, path: Path, action: Callable[[], object]
) -> tuple[float, list[float], float]:
    """Seconds of an action, the waits of a writer of the table `other` meanwhile, and the largest log in megabytes."""
    waits: list[float] = []
    log = 0.0
    is_over = threading.Event()

    def write() -> None:
        nonlocal log
        while not is_over.is_set():
            start = time.perf_counter()
            db.call("PutItem", {"TableName": "other", "Item": {"pk": {"S": f"{len(waits) % 1000}"}}})
            waits.append((time.perf_counter() - start) * 1000)
            log = max(log, os.path.getsize(f"{path}-wal") / 1e6)
            time.sleep(0.001)

    writer = threading.Thread(target=write)
    start = time.perf_counter()
    writer.start()
    try:
        action()
    finally:
        seconds = time.perf_counter() - start
        is_over.set()
        writer.join()
    return seconds, waits, log


if __name__ == "__main__":
    for line in measure(int(sys.argv[1])):
        print(
            line[0], f"{line[1]:.1f} s", len(line[2]), f"max {max(line[2]):.1f} ms", f"log {line[3]:.0f} MB"
        )
