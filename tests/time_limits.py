"""A time limit for each test, so that one that hangs fails and shows where."""

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

import pytest

LIMIT = 300
"""Seconds for each of the setup, the call and the teardown of a test: the longest takes 20 on an idle machine."""


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """Fail after some seconds, at the line that runs then.

    Only the main thread receives signals: in any other one there is no limit. `faulthandler_timeout` is the limit of
    what no signal interrupts.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def fail(_number: int, _frame: FrameType | None) -> None:
        pytest.fail(f"The test did not end within {seconds:g} s.")

    previous = signal.signal(signal.SIGALRM, fail)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, previous)
