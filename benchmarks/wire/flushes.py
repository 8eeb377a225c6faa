"""Flushes: how often each server makes the disk store its data, for puts of one connection. Counted by strace."""

import http.client
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.items import TABLE, item
from benchmarks.wire.contestants import ON_FILES, Contestant, Running
from benchmarks.wire.workloads import call, create

PUTS = 50
_CALLS = ("fsync", "fdatasync", "sync_file_range", "msync")


def report() -> Iterator[str]:
    """One table: flushes of each server with files, for each acknowledged put."""
    yield "### Flushes to disk for each acknowledged PutItem, one connection\n"
    if shutil.which("strace") is None:
        yield "Not measured: strace is not installed.\n"
        return
    yield "| | flushes | a reply means |\n|---|---:|---|"
    for contestant in ON_FILES:
        if contestant.absence():
            continue
        flushes = measure(contestant)
        meaning = "the write is on disk" if flushes >= 1 else "the write can be lost in a power failure"
        yield f"| {contestant.name} | {flushes:.1f} | {meaning} |"
    yield ""


def measure(contestant: Contestant) -> float:
    """The number of flushes for each put."""
    with tempfile.TemporaryDirectory() as folder:
        trace = Path(folder) / "trace"
        strace = ("strace", "-f", "--seccomp-bpf", "-o", str(trace), "-e", f"trace={','.join(_CALLS)}")
        with Running(contestant, Path(folder), strace) as server:
            line = http.client.HTTPConnection(*server.address)
            create(line)
            before = _count(trace)
            for number in range(PUTS):
                call(line, "PutItem", {"TableName": TABLE["TableName"], "Item": item(number)})
            line.close()
            return (_count(trace) - before) / PUTS


def _count(trace: Path) -> int:
    """The flushes so far; a call that is interrupted by another thread is listed twice, the second time as resumed."""
    return sum(any(f" {name}(" in line for name in _CALLS) for line in trace.read_text().splitlines())
