"""The sweep timer: runs the sweeper every few seconds, from the first row that can expire until the database closes.

Whatever writes such a row (a TTL schedule, a stream record, a journal entry, a backup that expires) calls `start`;
starting a second time does nothing. A database in memory without such rows has no timer thread; a database in a file
always has one, which also releases free space.

A thread of the engine: started when there is something to do, stopped for good when the database closes.
"""

import threading
from collections.abc import Callable


class BackgroundThread:
    """Runs a function in a thread, from the first `start` until the function returns.

    >>> ran = []
    >>> thread = BackgroundThread(lambda: ran.append("once"), "example")
    >>> thread.start(); thread.start(); thread.stop()
    >>> ran
    ['once']
    """

    def __init__(self, run: Callable[[], None], name: str) -> None:
        self._run = run
        self._name = name
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it was started before or stopped."""
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(
                    target=self._run, name=f"tablewright-{self._name}", daemon=True
                )
                self._thread.start()

    def is_stopped(self) -> bool:
        """Whether the thread was stopped, so that long work ends early."""
        return self._stopped.is_set()

    def wait(self, seconds: float) -> bool:
        """Wait in the thread; return whether it was stopped meanwhile."""
        return self._stopped.wait(seconds)

    def stop(self) -> None:
        """Stop for good, and wait for the work that is running."""
        with self._lock:
            self._stopped.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()


PERIOD = 10.0
"""Seconds between two sweeps."""


class SweepTimer(BackgroundThread):
    """A thread that calls `task` once a period, until `task` returns False or the timer is stopped."""

    def __init__(self, period: float = PERIOD) -> None:
        super().__init__(self._sweep, "sweeper")
        self.task: Callable[[], bool] = lambda: False
        """Set once, by the database, before the first `start`."""
        self._period = period

    def _sweep(self) -> None:
        while not self.wait(self._period) and self.task():
            pass
