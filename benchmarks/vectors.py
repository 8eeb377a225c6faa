"""Vectors: the time of SearchVectors by number and size of vectors, and its recall against a brute-force model.

`python -m benchmarks.vectors 10000 256` measures one size, `make bench ARGS=vectors` all of `SIZES`. The time of the
processor is shown beside that of the clock, because other programs on the machine do not change it.
"""

import random
import statistics
import subprocess
import sys
import tempfile
import time
from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TypeAlias

from benchmarks.settings import Settings
from tablewright.engine.database import Database
from tablewright.engine.features.vectors import search_vectors
from tablewright.engine.features.vectors.nearest import load_numpy
from tablewright.engine.storage import open_store

SIZES = ((10_000, 256), (10_000, 1024), (100_000, 256), (100_000, 1024))
SEARCHES = 15
RESULTS = 10
Numbers: TypeAlias = "array[float]"
# Without numpy, larger indexes take minutes to measure.
MOST_IN_PYTHON = 10_000 * 1024


def report(settings: Settings) -> Iterator[str]:
    """One process for each size."""
    yield "\n".join(
        [
            f"### SearchVectors, {RESULTS} results of all vectors, COSINE, p50 in ms (of the processor)",
            "",
            "| vectors | dimensions | file, numpy | memory, numpy | file, no numpy | first search | put | recall |",
            "|---:|---:|---:|---:|---:|---:|---:|---:|",
        ]
    )
    for rows, dimensions in SIZES:
        command = [sys.executable, "-m", "benchmarks.vectors", str(rows), str(dimensions)]
        yield subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip()
    yield ""


def measure(rows: int, dimensions: int) -> str:
    """The row of the table for one size."""
    shown: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        file = Database(open_store(Path(folder) / "vectors.db", "relaxed"))
        seconds = fill(file, rows, dimensions)
        file.close()
        file = Database(open_store(Path(folder) / "vectors.db", "relaxed"))
        queries = [gaussian(random.Random(f"query {number}"), dimensions) for number in range(SEARCHES)]
        first = median(file, queries[:1])
        shown.append(median(file, queries))
        recall = recall_of(file, queries, rows, dimensions)
        memory = file.copy()
        shown.append(median(memory, queries))
        memory.close()
        if rows * dimensions <= MOST_IN_PYTHON:
            setattr(search_vectors, "load_numpy", lambda: None)  # noqa: B010
            shown.append(median(file, queries))
        file.close()
    times = [*shown, *["-"] * (3 - len(shown)), first, f"{seconds / rows * 1000:.1f}"]
    return f"| {rows:,} | {dimensions} | {' | '.join(times)} | {recall:.3f} |"


def gaussian(generator: random.Random, dimensions: int) -> Numbers:
    """A random vector of 32-bit floats."""
    return array("f", [generator.gauss(0, 1) for _ in range(dimensions)])


def vector(row: int, dimensions: int) -> Numbers:
    """The vector of a row."""
    return gaussian(random.Random(row), dimensions)


def fill(db: Database, rows: int, dimensions: int) -> float:
    """Create the table and put its items; return the seconds of the processor that the puts took."""
    index = {
        "IndexName": "by-vector",
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": dimensions,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "KEYS_ONLY"},
    }
    db.call(
        "CreateTable",
        {
            "TableName": "bench",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "N"}],
            "VectorIndexes": [index],
        },
    )
    seconds = 0.0
    for start in range(0, rows, 25):
        puts = [
            {"PutRequest": {"Item": {"id": {"N": str(row)}, "v": {"L": numbers(vector(row, dimensions))}}}}
            for row in range(start, start + 25)
        ]
        begin = time.process_time()
        db.call("BatchWriteItem", {"RequestItems": {"bench": puts}})
        seconds += time.process_time() - begin
    return seconds


def numbers(values: Numbers) -> list[dict[str, str]]:
    """Numbers as attribute values."""
    return [{"N": f"{value:.9g}"} for value in values]


def search(db: Database, query: Numbers) -> list[int]:
    """The rows that a search finds."""
    request: dict[str, Any] = {
        "TableName": "bench",
        "IndexName": "by-vector",
        "SearchVector": numbers(query),
        "TopK": RESULTS,
    }
    results = db.call("SearchVectors", request)["SearchResults"]
    return [int(result["Item"]["id"]["N"]) for result in results]


def median(db: Database, queries: list[Numbers]) -> str:
    """The median time of a search and, in brackets, of the processor, in milliseconds."""
    times, processor = [], []
    for query in queries:
        start, begin = time.perf_counter(), time.process_time()
        search(db, query)
        times.append(time.perf_counter() - start)
        processor.append(time.process_time() - begin)
    return f"{statistics.median(times) * 1000:.1f} ({statistics.median(processor) * 1000:.1f})"


def recall_of(db: Database, queries: list[Numbers], rows: int, dimensions: int) -> float:
    """The part of the best rows, by a model that sorts all distances in 64-bit floats, that searches find."""
    np = load_numpy()
    assert np is not None
    matrix = np.array([vector(row, dimensions) for row in range(rows)], dtype="f8")
    norms = np.sqrt((matrix**2).sum(axis=1))
    hits = 0
    for query in queries[:5]:
        distances = 1 - matrix @ np.array(query, dtype="f8") / norms
        expected = set(np.argsort(distances, kind="stable")[:RESULTS].tolist())
        hits += len(expected & set(search(db, query)))
    return hits / (RESULTS * len(queries[:5]))


if __name__ == "__main__":
    print(measure(int(sys.argv[1]), int(sys.argv[2])))
