"""Migrations: items a second on a data file and over an endpoint, beside the code before, and the waits of a writer.

    make bench ARGS=migrations                     100,000 items
    ITEMS=10000 make bench ARGS=migrations         fewer

Each migration converts one attribute of every item. `plain` entities are one item; `lock and copy` entities have a
unique field and a copy that has the converted attribute, so that each conversion is a transaction. `before` is the code
of the commit below, which made calls for each item; it is read from the repository, and run in turns with the present
code. `item by item` is the present code with calls for each item, as over other connections; `two processes` convert,
and a third writes.
"""

import io
import json
import os
import statistics
import subprocess
import sys
import tarfile
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import NamedTuple

from benchmarks.migration_runs import DESIGNS, fill, timed
from benchmarks.settings import Settings
from benchmarks.waits import OTHER, waits_during
from benchmarks.wire.contestants import IN_MEMORY, Running
from tablewright import connect, embedded
from tablewright.lifecycle.traversal.bulk_pages import BulkPages

ITEMS = int(os.environ.get("ITEMS", "100000"))
BEFORE = "29dc112"
FEW = 1500
"""Items of runs that make calls for each item."""
MANY = 6000
OVER_ENDPOINT = 1000
ROUNDS = 3
ROOT = Path(__file__).parents[1]


class Rate(NamedTuple):
    """What a run reached."""

    elapsed: float
    """Items a second."""
    cpu: float
    """Items a second of the processor time of the process that migrates."""


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    items = max(ITEMS // 10, 1) if settings.quick else ITEMS
    with tempfile.TemporaryDirectory() as folder:
        old, absence = _code_before(Path(folder))
        if absence:
            yield f"Not compared with the code before: {absence}.\n"
        yield _on_file(old, items, settings.rounds(ROUNDS))
        yield _over_endpoint(old, Path(folder), settings.rounds(ROUNDS))
    yield _beside_a_writer(MANY)


def _on_file(old: Path | None, items: int, rounds: int) -> str:
    lines = [
        f"### A data file, full durability: medians of {rounds} runs in turns, and one of {items:,} items",
        "",
        "| | items | items/s | items/s of CPU | ratio of items/s | ratio of CPU |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for name in DESIGNS:
        ways: dict[str, tuple[int, Callable[[], Rate]]] = {
            "item by item": (FEW, partial(_run, "items", name, FEW)),
            "page by page": (MANY, partial(_run, "pages", name, MANY)),
        }
        if old is not None:
            ways = {"before": (FEW, partial(_run, "pages", name, FEW, old=old)), **ways}
        medians = _medians({way: run for way, (_, run) in ways.items()}, rounds)
        first = next(iter(medians.values()))
        for way, rate in medians.items():
            lines.append(f"| {name}, {way} | {ways[way][0]:,} | {_cells(rate, first)} |")
        for way, label in (("pages", "page by page"), ("processes", "page by page, two processes")):
            lines.append(f"| {name}, {label} | {items:,} | {_cells(_run(way, name, items), first)} |")
    return "\n".join([*lines, ""])


def _over_endpoint(old: Path | None, folder: Path, rounds: int) -> str:
    lines = [
        f"### Over an endpoint, {OVER_ENDPOINT} items: medians of {rounds} runs in turns, CPU of the client",
        "",
        "| | items/s of CPU | ratio |",
        "|---|---:|---:|",
    ]
    with Running(IN_MEMORY, folder) as server:
        url = f"http://{server.address[0]}:{server.address[1]}"
        for name in DESIGNS:
            ways = {"now": partial(_run, "endpoint", name, OVER_ENDPOINT, url)}
            if old is not None:
                ways = {
                    "before": partial(_run, "endpoint", name, OVER_ENDPOINT, url, old=old),
                    **ways,
                }
            medians = _medians(ways, rounds)
            first = next(iter(medians.values()))
            lines += [
                f"| {name}, {way} | {rate.cpu:,.0f} | {rate.cpu / first.cpu:.1f} |"
                for way, rate in medians.items()
            ]
    return "\n".join([*lines, ""])


def _beside_a_writer(items: int) -> str:
    lines = [
        f"### A writer of another table, a put every millisecond, during a migration of {items:,} items",
        "",
        "| meanwhile | seconds | puts | p50 ms | p99 ms | longest ms | longest page, ms | its processor ms |",
        "|---|---:|---:|---:|---:|---:|---:|---:|",
    ]
    for name in ("nothing", *DESIGNS):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "shop.db"
            fill(path, "plain" if name == "nothing" else name, 1 if name == "nothing" else items)
            lines.append(f"| {name} | {_waits(path, name)} |")
    note = (
        "Budget: longest wait 50 ms. A page is what the writer can wait for; its elapsed time includes the flush to "
        "disk, and on a busy machine the turns of other programs."
    )
    return "\n".join([*lines, "", note, ""])


def _waits(path: Path, name: str) -> str:
    pages: list[tuple[float, float]] = []
    write = BulkPages.write

    def timed_write(self: BulkPages, *given: object) -> object:
        began, cpu = time.perf_counter(), time.thread_time()
        written = write(self, *given)  # type: ignore[arg-type]
        pages.append(((time.perf_counter() - began) * 1000, (time.thread_time() - cpu) * 1000))
        return written

    with embedded(path) as connection:
        connection.call("CreateTable", OTHER)
        db = connect(DESIGNS["plain" if name == "nothing" else name][0], connection)
        action = (lambda: time.sleep(2)) if name == "nothing" else (lambda: timed(db))
        BulkPages.write = timed_write  # type: ignore[method-assign, assignment]
        try:
            seconds, waits, _ = waits_during(connection, path, action)
        finally:
            BulkPages.write = write  # type: ignore[method-assign]
    p99 = statistics.quantiles(waits, n=100)[98]
    longest = " | ".join(f"{max(page[at] for page in pages):.1f}" for at in (0, 1)) if pages else " | "
    cells = f"{seconds:.1f} | {len(waits):,} | {statistics.median(waits):.1f} | {p99:.1f} | {max(waits):.1f}"
    return f"{cells} | {longest}"


def _medians(ways: Mapping[str, Callable[[], Rate]], rounds: int) -> dict[str, Rate]:
    """The median of each way; the ways take turns, so that all have the same load of other programs."""
    found: dict[str, list[Rate]] = {way: [] for way in ways}
    for _ in range(rounds):
        for way, run in ways.items():
            found[way].append(run())
    return {
        way: Rate(
            statistics.median(rate.elapsed for rate in rates), statistics.median(rate.cpu for rate in rates)
        )
        for way, rates in found.items()
    }


def _cells(rate: Rate, first: Rate) -> str:
    ratios = f"{rate.elapsed / first.elapsed:.1f} | {rate.cpu / first.cpu:.1f}"
    return f"{rate.elapsed:,.0f} | {rate.cpu:,.0f} | {ratios}"


def _run(way: str, name: str, count: int, *url: str, old: Path | None = None) -> Rate:
    """Run a migration in a process of its own, with the present code or that of a folder."""
    paths = [str(ROOT)] if old is None else [str(old), str(ROOT)]
    ended = subprocess.run(
        [sys.executable, "-m", "benchmarks.migration_runs", way, name, str(count), *url],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if ended.returncode:
        raise RuntimeError(f"the run of {name} failed: {ended.stderr.strip().splitlines()[-1:]}")
    seconds, cpu, changed = json.loads(ended.stdout)
    assert changed == count
    return Rate(count / seconds, count / cpu)


def _code_before(folder: Path) -> tuple[Path | None, str]:
    """The folder with the code before, from the repository; or the reason why there is none."""
    command = ["git", "archive", BEFORE, "src"]
    try:
        archive = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return None, f"this is no repository with the commit {BEFORE}"
    with tarfile.open(fileobj=io.BytesIO(archive)) as opened:
        opened.extractall(folder / "before", filter="data")
    return folder / "before" / "src", ""
