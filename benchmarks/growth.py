"""Growth: the same calls on ten thousand and on a million items, and the memory of the process."""

import random
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, TypeAlias

import orjson

from benchmarks.items import TABLE, item, key, query
from tablewright import embedded
from tablewright.connections import Embedded
from tablewright.engine.database import Database

Request: TypeAlias = dict[str, Any]

SMALL, LARGE = 10_000, 1_000_000
CALLS = 20_000
BATCH = 25


def report() -> Iterator[str]:
    """One process for each size, so that each measures its own memory."""
    figures = []
    for items in (SMALL, LARGE):
        command = [sys.executable, "-m", "benchmarks.growth", str(items)]
        figures.append(orjson.loads(subprocess.run(command, check=True, capture_output=True).stdout))
    small, large = figures
    lines = [
        "### Flat in size: durable file, 1 KB items, one index",
        "",
        f"| | {SMALL:,} items | {LARGE:,} items | ratio |",
        "|---|---:|---:|---:|",
    ]
    for name in small:
        lines.append(f"| {name} | {small[name]:.1f} | {large[name]:.1f} | {large[name] / small[name]:.2f} |")
    yield "\n".join([*lines, "", "Budget: p50 within 1.5 times.", ""])


def measure(items: int) -> dict[str, float]:
    """Fill a file with so many items, open it again, and read random items."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.db"
        with embedded(path, durability="relaxed") as db:
            db.call("CreateTable", TABLE)
            fill(db, items)
        with embedded(path) as db:
            rng = random.Random(1)
            get = [{"TableName": "bench", "Key": key(rng.randrange(items))} for _ in range(CALLS)]
            ten = [query(rng.randrange(items)) for _ in range(CALLS // 4)]
            return {
                "GetItem, p50 µs": _median(get, lambda request: db.call("GetItem", request)),
                "Query of 10, p50 µs": _median(ten, lambda request: db.call("Query", request)),
                "peak memory, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
            }


def fill(db: Embedded | Database, items: int) -> None:
    """Write the items with the first numbers."""
    for start in range(0, items, BATCH):
        puts = [{"PutRequest": {"Item": item(number)}} for number in range(start, min(start + BATCH, items))]
        db.call("BatchWriteItem", {"RequestItems": {"bench": puts}})


def _median(requests: list[Request], call: Callable[[Request], object]) -> float:
    times = []
    for request in requests:
        start = time.perf_counter()
        call(request)
        times.append(time.perf_counter() - start)
    return statistics.median(times) * 1e6


if __name__ == "__main__":
    sys.stdout.buffer.write(orjson.dumps(measure(int(sys.argv[1]))))
