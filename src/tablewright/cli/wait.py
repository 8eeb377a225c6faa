"""Wait for a job that continues after its request has returned: a backup, a restore, an export, an import."""

import time
from collections.abc import Callable
from typing import Any

from tablewright.cli.progress import Progress

# Seconds between two polls: a local server is quick, AWS takes minutes.
FIRST_PAUSE, LAST_PAUSE = 0.05, 5.0


def wait_for(
    poll: Callable[[], dict[str, Any]],
    is_running: Callable[[dict[str, Any]], bool],
    progress: Progress,
    describe: Callable[[dict[str, Any]], str] = lambda reply: "",
    *,
    sleep: Callable[[float], None] = time.sleep,
    clock: Callable[[], float] = time.monotonic,
) -> dict[str, Any]:
    """Poll until the job has ended, and return the last reply. The progress shows the elapsed time."""
    start, pause = clock(), FIRST_PAUSE
    while True:
        reply = poll()
        if not is_running(reply):
            return reply
        progress.advance(f"{describe(reply)} {clock() - start:.0f} s".lstrip(), count=0)
        sleep(pause)
        pause = min(pause * 1.5, LAST_PAUSE)
