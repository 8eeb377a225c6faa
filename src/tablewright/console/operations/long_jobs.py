"""Long jobs: work that the store continues after the request has returned, such as a backup or an export."""

from collections.abc import Callable, Mapping
from typing import Any

from tablewright.console.tasks import Report

FIRST_PAUSE, LAST_PAUSE = 0.05, 5.0
"""Seconds between two polls: a local store is quick, AWS takes minutes."""

Description = Mapping[str, Any]


def wait_for(
    poll: Callable[[], Description],
    is_running: Callable[[Description], bool],
    report: Report,
    describe: Callable[[Description], str],
) -> Description:
    """Poll until the job has ended; return its last description. A cancelled task stops waiting; the job continues."""
    pause = FIRST_PAUSE
    while True:
        found = poll()
        if not is_running(found):
            return found
        report(0, None, describe(found))
        report.wait(pause)
        pause = min(pause * 1.5, LAST_PAUSE)
