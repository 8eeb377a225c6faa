"""A process that runs a script on a data file and is killed (SIGKILL, by itself) ahead of its Nth file call.

The process is forked from the test, so that a bug planted by the test is in it too, and a thousand kills take minutes.
"""

import os
import random
import signal
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.engine.crash.crash_script import CrashScript
from tests.engine.crash.file_calls import FileCall, watching

TIMEOUT_SECONDS = 120.0


class Killed(NamedTuple):
    """What is known about a killed process."""

    was_killed: bool
    """False when the process ended before the Nth call."""
    acknowledged: int
    """The number of commits that were acknowledged."""


def kill_ahead_of(
    script: CrashScript, path: Path, number: int, *, start: int = 0, reads_too: bool = False, seed: int = 0
) -> Killed:
    """Run the script from commit `start` on, in a process that is killed ahead of the file call of that number, or half
    way through it. `reads_too` counts the reads, which are most of what a recovery does."""
    generator = random.Random(seed * 1_000_003 + number)
    calls = 0

    def count(call: FileCall) -> None:
        nonlocal calls
        if not (call.changes_file or reads_too):
            return
        calls += 1
        if calls < number:
            return
        if call.kind == "write" and generator.random() < 0.3:
            _write_half(call, generator)
        os.kill(os.getpid(), signal.SIGKILL)

    def work(acknowledge: Callable[[int], None]) -> None:
        with watching(count):
            script.run(path, acknowledge, start)

    return _in_child(work, start)


def _write_half(call: FileCall, generator: random.Random) -> None:
    """Write the beginning of the data: a kill can end a write early."""
    descriptor = os.open(call.path, os.O_RDWR)
    os.pwrite(descriptor, call.data[: generator.randrange(len(call.data))], call.offset)
    os.close(descriptor)


def _in_child(work: Callable[[Callable[[int], None]], None], start: int) -> Killed:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # of forks in a process with threads, which the child does not use
        child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            work(lambda number: _report(writing, number))
            os._exit(0)
        finally:
            os._exit(1)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        status = _wait(child)
        reported = pipe.read().split()
    code = os.waitstatus_to_exitcode(status)
    assert code in (0, -signal.SIGKILL), f"the process failed with {code}"
    return Killed(code != 0, int(reported[-1]) if reported else start)


def _report(writing: int, number: int) -> None:
    os.write(writing, b"%d\n" % number)


def _wait(child: int) -> int:
    deadline = time.monotonic() + TIMEOUT_SECONDS
    while True:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            return status
        if time.monotonic() > deadline:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            raise AssertionError(f"the process did not end within {TIMEOUT_SECONDS} seconds")
        time.sleep(0.001)
