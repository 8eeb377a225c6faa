"""The sweep timer: runs the sweeper every few seconds, from the first row that can expire until the database closes.

Whatever writes such a row (a TTL schedule, a stream record, a journal entry, a backup that expires) calls `start`;
starting a second time does nothing. A database in memory without such rows has no timer thread; a database in a file
always has one, which also releases free space.
"""

from collections.abc import Callable

from tablewright.engine.core.state.background_thread import BackgroundThread

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
