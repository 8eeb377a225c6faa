"""Replication loop: a thread that runs rounds of replication, often while there is something new, else less often."""

import logging
import threading
from collections.abc import Callable

BUSY_WAIT = 0.02
"""Seconds between two rounds while changes arrive."""
IDLE_WAIT = 0.25
"""The longest time between two rounds when nothing is new."""
FAILED_WAIT = 1.0
"""Seconds until the next round after a region could not be reached."""

_log = logging.getLogger("tablewright.engine")


class ReplicationLoop:
    """Calls `run_round` until it is stopped; the result is whether anything changed, or None when it failed."""

    def __init__(self, run_round: Callable[[], bool | None], name: str) -> None:
        self._run_round = run_round
        self._name = name
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def start(self) -> None:
        """Start the thread, unless it runs already or the loop was stopped."""
        with self._lock:
            if self._thread is None and not self._stopped.is_set():
                self._thread = threading.Thread(
                    target=self._run, name=f"tablewright-replication-{self._name}", daemon=True
                )
                self._thread.start()

    def stop(self) -> None:
        """Stop for good, and wait for a round that is running."""
        with self._lock:
            self._stopped.set()
            thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()

    def _try_round(self) -> bool | None:
        try:
            return self._run_round()
        except Exception:
            # The next round tries again.
            _log.exception("replication failed")
            return None

    def _run(self) -> None:
        wait = BUSY_WAIT
        while not self._stopped.wait(wait):
            changed = self._try_round()
            if changed is None:
                wait = FAILED_WAIT
            else:
                wait = BUSY_WAIT if changed else min(IDLE_WAIT, max(BUSY_WAIT, wait * 2))
