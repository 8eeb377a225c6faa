"""Tests that hang fail: on a lock, in a loop, in a call of another process."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from tests.time_limits import limited


def loop() -> None:
    while True:
        pass


def wait_for_a_process() -> None:
    with subprocess.Popen(
        [sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE
    ) as process:
        process.wait()


def swallow_errors() -> None:
    while True:
        try:
            threading.Event().wait()
        except Exception:
            continue


@pytest.mark.parametrize(
    "hang", [loop, wait_for_a_process, swallow_errors, threading.Event().wait], ids=lambda hang: hang.__name__
)
def test_what_hangs_fails_within_the_limit(hang: Callable[[], object]) -> None:
    with pytest.raises(pytest.fail.Exception, match=r"did not end within 0\.05 s"), limited(0.05):
        hang()


def test_the_limit_ends_with_its_block() -> None:
    with limited(60):
        assert signal.getitimer(signal.ITIMER_REAL)[0] > 0
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_another_thread_has_no_limit() -> None:
    outcome: list[str] = []

    def work() -> None:
        with limited(0.01):
            outcome.append("worked")

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert outcome == ["worked"]
