"""Waits: a writer of another table never waits long for a job, and the log stays small."""

import pytest

from benchmarks.waits import measure

LONGEST = 50
"""Milliseconds."""
LARGEST_LOG = 64
"""Megabytes."""


@pytest.mark.soak
def test_no_writer_of_another_table_waits_for_a_job() -> None:
    for action, _, waits, log in measure(200_000):
        assert max(waits) <= LONGEST, f"{action}: a writer waited {max(waits):.0f} ms"
        assert log <= LARGEST_LOG, f"{action}: the log had {log:.0f} MB"
