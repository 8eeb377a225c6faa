"""The server against every peer found on this machine: the same load, in one run, in turns.

Each contestant is driven for a second at a time, over 1 and over 16 connections, in several rounds; what counts is the
median of its rates. `make bench-peers` installs the peers; one that is not there is reported as absent.
"""

import statistics
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

from benchmarks.wire.contestants import CONTESTANTS, Running
from benchmarks.wire.load import Load, drive, driver
from benchmarks.wire.workloads import WORKLOADS, fill

CONNECTIONS = (1, 16)
ROUNDS = 5
SECONDS = 1
OURS = ("Tablewright, memory", "Tablewright, file")

Rates = dict[str, float | None]


def report() -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        running = []
        for contestant in CONTESTANTS:
            if absence := contestant.absence():
                yield f"Absent: {contestant.name}, as {absence}.\n"
                continue
            running.append(stack.enter_context(Running(contestant, Path(folder))))
        yield _starts(running)
        for each in running:
            fill(each.address)
        yield _head(running)
        for workload in WORKLOADS:
            for connections in CONNECTIONS:
                yield _row(workload, connections, _measure(running, workload, connections))
        yield ""


def _measure(running: list[Running], workload: str, connections: int) -> Rates:
    """The first round warms up, and detects contestants that do not support the operation."""
    requests = WORKLOADS[workload]
    able = [each for each in running if not drive(each.address, requests, connections, SECONDS).failed]
    loads: dict[str, list[Load]] = {each.name: [] for each in running}
    for _ in range(ROUNDS):
        for each in able:
            loads[each.name].append(drive(each.address, requests, connections, SECONDS))
    return {name: _rate(found) for name, found in loads.items()}


def _rate(loads: list[Load]) -> float | None:
    """The median; None if a request of the contestant failed."""
    if not loads or any(load.failed for load in loads):
        return None
    return statistics.median(load.rate for load in loads)


def _starts(running: list[Running]) -> str:
    lines = ["### Cold start and idle memory", "", "| | seconds to the first reply | MB |", "|---|---:|---:|"]
    lines += [f"| {each.name} | {each.start_seconds:.2f} | {each.idle_megabytes:.0f} |" for each in running]
    return "\n".join(lines) + "\n"


def _head(running: list[Running]) -> str:
    names = [each.name for each in running]
    ratios = [f"{name.partition(', ')[2]} ÷ best peer" for name in OURS]
    return "\n".join(
        (
            "### Requests a second",
            "",
            f"Load by {driver()}.",
            "",
            f"| operation | connections | {' | '.join((*names, *ratios))} |",
            "|---|---:|" + "---:|" * (len(names) + len(ratios)),
        )
    )


def _row(workload: str, connections: int, rates: Rates) -> str:
    peers = [rate for name, rate in rates.items() if name not in OURS and rate is not None]
    best = max(peers, default=None)
    shown = [f"{rate:,.0f}" if rate else "-" for rate in rates.values()]
    ratios = [f"**{rate / best:.1f}**" if best and (rate := rates.get(name)) else "-" for name in OURS]
    return f"| {workload} | {connections} | {' | '.join((*shown, *ratios))} |"
