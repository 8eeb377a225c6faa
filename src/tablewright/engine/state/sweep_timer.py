"""The sweep timer: runs the sweeper every few seconds, from the first row that can expire until the database closes.

Whatever writes such a row (a TTL schedule, a stream record, a journal entry, a backup that expires) calls `start`;
starting a second time does nothing. A database in memory without such rows has no timer thread; a database in a file
always has one, which also releases free space.
"""

import threading
from collections.abc import Callable

PERIOD = 10.0
"""Seconds between two sweeps."""


class SweepTimer:
    """A background thread that calls `task` once a period, until `task` returns False or the timer is stopped."""

    def __init__(self, period: float = PERIOD) -> None:
        self.task: Callable[[], bool] = lambda: False
        """Set once, by the database, before the first `start`."""
        self._period = period
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it was started before or the timer was stopped."""
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(target=self._run, name="tablewright-sweeper", daemon=True)
                self._thread.start()

    def is_stopped(self) -> bool:
        """Whether the timer was stopped, so that a long task ends early."""
        return self._stopped.is_set()

    def stop(self) -> None:
        """Stop for good, and wait for a sweep that is running."""
        with self._lock:
            self._stopped.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _run(self) -> None:
        while not self._stopped.wait(self._period) and self.task():
            pass
