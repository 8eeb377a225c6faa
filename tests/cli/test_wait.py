"""Waiting for a job."""

import io

from tablewright.cli.progress import Progress
from tablewright.cli.wait import LAST_PAUSE, wait_for


def test_pauses_grow_until_the_job_has_ended() -> None:
    pauses: list[float] = []
    replies = iter([{"status": "running"}] * 20 + [{"status": "ended"}])
    with Progress(1, "job", stream=io.StringIO(), clock=lambda: sum(pauses)) as progress:
        reply = wait_for(
            lambda: next(replies),
            lambda reply: reply["status"] == "running",
            progress,
            lambda reply: reply["status"],
            sleep=pauses.append,
            clock=lambda: sum(pauses),
        )
        assert progress.detail == f"running {sum(pauses[:-1]):.0f} s"
    assert reply == {"status": "ended"}
    assert pauses == sorted(pauses)
    assert max(pauses) == LAST_PAUSE
