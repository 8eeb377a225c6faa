"""Write pace: the pauses that keep a job below a rate of write request units per second.

It follows real time and not the clock of the database: a frozen clock must not stop a job.
"""

import time
from collections.abc import Callable


class WritePace:
    """Computes the pause before the next step; `limit` is in units per second, None for no limit.

    >>> pace = WritePace(1024, monotonic=lambda: 0.0)
    >>> pace.pause_after(512.0)
    0.5
    """

    def __init__(self, limit: int | None, monotonic: Callable[[], float] = time.monotonic) -> None:
        self._limit = limit
        self._monotonic = monotonic
        self._ready = monotonic()
        """The time at which the units written so far are paid for."""

    def pause_after(self, units: float) -> float:
        """The seconds to wait after a step that wrote these units. Time that was not used is not saved up."""
        if self._limit is None:
            return 0.0
        now = self._monotonic()
        self._ready = max(self._ready, now) + units / self._limit
        return self._ready - now
