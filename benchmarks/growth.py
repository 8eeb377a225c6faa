"""Growth: the same calls on a small and on a large table, the memory of the process, and the times of long operations.

The items are imported from a file, as a user would load them: 300 bytes each, ten to a partition, in the order of their
numbers, which is a random order for the table. Each size has a process of its own for the file, for the import and for
the reads, so that each measures its own memory.

    make bench ARGS="growth --items 10000000"
"""

import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from benchmarks.items import ITEMS_PER_PARTITION, TABLE, key, query
from benchmarks.settings import Settings
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

Request: TypeAlias = dict[str, Any]
Figures: TypeAlias = dict[str, float]

SMALL = 10_000
LARGE, QUICK_LARGE = 200_000, 50_000
CALLS = 20_000
BUDGET = 2.0

_ITEM = (
    b'{"Item":{"pk":{"S":"user#%08d"},"sk":{"S":"order#%08d"},"team":{"S":"team#%d"},"count":{"N":"%d"},'
    b'"placedAt":{"S":"2026-05-01T08:00:00.000Z"},"address":{"S":"%0100d"},"note":{"S":"%080d"}}}\n'
)
_KEYS = {name: TABLE[name] for name in ("TableName", "BillingMode", "KeySchema")}
_CREATION = {**_KEYS, "AttributeDefinitions": TABLE["AttributeDefinitions"][:2]}
_INDEX = {
    "TableName": TABLE["TableName"],
    "AttributeDefinitions": TABLE["AttributeDefinitions"],
    "GlobalSecondaryIndexUpdates": [{"Create": TABLE["GlobalSecondaryIndexes"][0]}],
}


def report(settings: Settings) -> Iterator[str]:
    """One table: each figure by size."""
    large = settings.items or (QUICK_LARGE if settings.quick else LARGE)
    few, many = _figures(SMALL), _figures(large)
    lines = [
        "### Durable file, items of 300 bytes",
        "",
        f"| | {SMALL:,} items | {large:,} items | ratio |",
        "|---|---:|---:|---:|",
    ]
    for name in few:
        lines.append(f"| {name} | {few[name]:,.1f} | {many[name]:,.1f} | {many[name] / few[name]:.2f} |")
    yield "\n".join([*lines, "", f"Budget: p50 within {BUDGET:g} times.", ""])


def _figures(items: int) -> Figures:
    """Build and measure one size, in three processes."""
    with tempfile.TemporaryDirectory() as folder:
        figures: Figures = {}
        for step in ("write", "build", "measure"):
            command = [sys.executable, "-m", "benchmarks.growth", step, folder, str(items)]
            figures |= orjson.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
    return figures


def write(folder: Path, items: int) -> Figures:
    """Write the file of items that is imported."""
    objects = folder / "buckets" / "orders"
    objects.mkdir(parents=True)
    with (objects / "items.json").open("wb") as file:
        for number in range(items):
            partition, place = divmod(number, ITEMS_PER_PARTITION)
            file.write(_ITEM % (partition, place, number % 1000, number, number, number))
    return {}


def build(folder: Path, items: int) -> Figures:
    """Import the file into a new table."""
    # A power failure would only end the benchmark: the import need not wait for the disk.
    db = Database(open_store(folder / "growth.db", "relaxed"), buckets=folder / "buckets")
    request = {
        "ClientToken": f"growth-{items}",
        "S3BucketSource": {"S3Bucket": "orders"},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": _CREATION,
    }
    seconds, processor = _timed(db, "ImportTable", request)
    (summary,) = db.call("ListImports", {})["ImportSummaryList"]
    assert summary["ImportStatus"] == "COMPLETED", summary
    db.close()
    shutil.rmtree(folder / "buckets")
    return {
        "import, seconds": seconds,
        "import, µs of processor time per item": processor / items * 1e6,
        "import, peak memory in MB": _memory("VmHWM"),
        "import, bytes written per item": _written() / items,
        "file, bytes per item": (folder / "growth.db").stat().st_size / items,
    }


def measure(folder: Path, items: int) -> Figures:
    """Read random items and partitions, build an index, and create a backup."""
    db = Database(open_store(folder / "growth.db"))
    rng = random.Random(1)
    get = [{"TableName": "bench", "Key": key(rng.randrange(items))} for _ in range(CALLS)]
    ten = [query(rng.randrange(items)) for _ in range(CALLS // 4)]
    assert len(db.call("Query", ten[0])["Items"]) == 10
    figures = _medians("GetItem", get, db) | _medians("Query", ten, db)
    figures["memory after reads, MB"] = _memory("VmRSS")
    figures["index build, seconds"], processor = _timed(db, "UpdateTable", _INDEX)
    figures["index build, bytes written per item"] = _written() / items
    figures["index build, µs of processor time per item"] = processor / items * 1e6
    figures["backup, seconds"], processor = _timed(
        db, "CreateBackup", {"TableName": "bench", "BackupName": "growth"}
    )
    figures["backup, µs of processor time per item"] = processor / items * 1e6
    figures["memory at the end, peak in MB"] = _memory("VmHWM")
    db.close()
    return figures


def _timed(db: Database, operation: str, request: Request) -> tuple[float, float]:
    """Seconds until the job of a request has ended, and its processor seconds."""
    start, processor = time.perf_counter(), time.process_time()
    db.call(operation, request)
    db.jobs.wait_for_all()
    return time.perf_counter() - start, time.process_time() - processor


def _medians(operation: str, requests: list[Request], db: Database) -> Figures:
    """The median of a call in microseconds: elapsed, then processor time."""
    return {
        f"{operation}, p50 µs": _median(operation, requests, db, time.perf_counter),
        f"{operation}, p50 µs of processor time": _median(operation, requests, db, time.thread_time),
    }


def _median(operation: str, requests: list[Request], db: Database, clock: Callable[[], float]) -> float:
    times = []
    for request in requests:
        start = clock()
        db.call(operation, request)
        times.append(clock() - start)
    return statistics.median(times) * 1e6


def _memory(name: str) -> float:
    """A figure of /proc/self/status in megabytes (on Linux): VmRSS is the present memory, VmHWM the peak."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith(f"{name}:")).split()[1]) / 1024


def _written() -> int:
    """Bytes that this process has written to the disk so far (on Linux)."""
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("write_bytes:")).split()[1])


if __name__ == "__main__":
    run = {"write": write, "build": build, "measure": measure}[sys.argv[1]]
    sys.stdout.buffer.write(orjson.dumps(run(Path(sys.argv[2]), int(sys.argv[3]))))
