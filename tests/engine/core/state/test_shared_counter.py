"""The counter that processes share."""

import os
import subprocess
import sys

from tablewright.engine.core.state.shared_counter import SharedCounter

_READ = """
import sys
from tablewright.engine.core.state.shared_counter import SharedCounter
counter = SharedCounter(int(sys.argv[1]))
print(counter.value, flush=True)
sys.stdin.readline()
print(counter.value, flush=True)
"""


def test_another_process_sees_the_number() -> None:
    counter = SharedCounter.create()
    counter.increase()
    with subprocess.Popen(
        [sys.executable, "-c", _READ, str(counter.descriptor)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        pass_fds=[counter.descriptor],
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == "1\n"
        for _ in range(1_000):
            counter.increase()
        process.stdin.write("\n")
        process.stdin.flush()
        assert process.stdout.readline() == "1001\n"
    counter.close()


def test_closing_releases_the_descriptor() -> None:
    counter = SharedCounter.create()
    descriptor = counter.descriptor
    counter.close()
    try:
        os.fstat(descriptor)
    except OSError:
        return
    raise AssertionError("the descriptor is still open")
