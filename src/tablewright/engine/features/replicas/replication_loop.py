"""Replication loop: a thread that runs rounds of replication, often while there is something new, else less often."""

import logging
from collections.abc import Callable

from tablewright.engine.core.state.background_thread import BackgroundThread

BUSY_WAIT = 0.02
"""Seconds between two rounds while changes arrive."""
IDLE_WAIT = 0.25
"""The longest time between two rounds when nothing is new."""
FAILED_WAIT = 1.0
"""Seconds until the next round after a region could not be reached."""

_log = logging.getLogger("tablewright.engine")


class ReplicationLoop(BackgroundThread):
    """Calls `run_round` until it is stopped; the result is whether anything changed, or None when it failed."""

    def __init__(self, run_round: Callable[[], bool | None], name: str) -> None:
        super().__init__(self._replicate, f"replication-{name}")
        self._run_round = run_round

    def _try_round(self) -> bool | None:
        try:
            return self._run_round()
        except Exception:
            # The next round tries again.
            _log.exception("replication failed")
            return None

    def _replicate(self) -> None:
        wait = BUSY_WAIT
        while not self.wait(wait):
            changed = self._try_round()
            if changed is None:
                wait = FAILED_WAIT
            else:
                wait = BUSY_WAIT if changed else min(IDLE_WAIT, max(BUSY_WAIT, wait * 2))
