"""The server beside every peer on this machine, like with like: memory against memory, files against files.

All servers of a group run at the same time and are loaded in turns, in several rounds: 1, 16, 64 connections. Rates
are medians of the rounds; a ratio is the median of the ratios of the rounds. Beside the rate is the processor time per
request, of all processes of the server: it depends less on what else the machine does.
"""

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path

from benchmarks.settings import Settings
from benchmarks.wire import flushes
from benchmarks.wire.contestants import CONTESTANTS, MOTO, ON_FILES, Running
from benchmarks.wire.load import client_name, drive
from benchmarks.wire.rate_tables import CONNECTIONS, Group, Sample, Samples, group_tables
from benchmarks.wire.workloads import WORKLOADS, fill

ROUNDS = 3
SECONDS = 0.6
WARM_UP_SECONDS = 0.5
QUICK_SECONDS = 0.2

# moto serves some 200 requests per second: it is compared with boto3 as the client, in the benchmark `client`.
GROUPS = {
    "memory": tuple(contestant for contestant in CONTESTANTS if contestant is not MOTO),
    "files": ON_FILES,
}


def report(settings: Settings) -> Iterator[str]:
    """The tables of this benchmark, one by one."""
    seconds = QUICK_SECONDS if settings.quick else SECONDS
    rounds = settings.rounds(ROUNDS)
    yield f"Load by {client_name()}; rounds: {rounds}, of {seconds} seconds each.\n"
    if not settings.quick:
        yield from flushes.report()
    for title, contestants in GROUPS.items():
        with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
            running = []
            for contestant in contestants:
                if absence := contestant.absence():
                    yield f"Absent: {contestant.name}, because {absence}.\n"
                else:
                    running.append(stack.enter_context(Running(contestant, Path(folder))))
            yield _starts(title, running)
            for each in running:
                fill(each.address)
            able = _warm_up(running, seconds if settings.quick else WARM_UP_SECONDS)
            samples = {
                (workload, connections): _measure(able[workload], workload, connections, rounds, seconds)
                for workload in WORKLOADS
                for connections in CONNECTIONS
            }
            yield from group_tables(Group(title, [each.contestant for each in running], samples))


def _warm_up(running: Sequence[Running], seconds: float) -> dict[str, list[Running]]:
    """Load each server once with each workload; return the servers that support it."""
    return {
        workload: [each for each in running if not drive(each.address, requests, 16, seconds).failed]
        for workload, requests in WORKLOADS.items()
    }


def _measure(
    able: Sequence[Running], workload: str, connections: int, rounds: int, seconds: float
) -> Samples:
    """Samples of each server, by its name; a server with a failed request is left out."""
    samples: Samples = {each.name: [] for each in able}
    for _ in range(rounds):
        for each in able:
            before = each.processor_seconds()
            load = drive(each.address, WORKLOADS[workload], connections, seconds)
            if load.failed:
                raise RuntimeError(f"{each.name}: {load.failed} requests of {workload} failed")
            processor = each.processor_seconds() - before
            samples[each.name].append(Sample(load.rate, processor / load.replies * 1e6))
    return samples


def _starts(title: str, running: Sequence[Running]) -> str:
    lines = [
        f"### Cold start and idle memory, {title}",
        "",
        "| | seconds to the first reply | MB |",
        "|---|---:|---:|",
    ]
    lines += [f"| {each.name} | {each.start_seconds:.2f} | {each.idle_megabytes:.0f} |" for each in running]
    return "\n".join(lines) + "\n"
