"""Retries: which failures are conflicts, and the delays of a backoff."""

from datetime import timedelta

import pytest

from tablewright import errors
from tablewright_systems.listbackup.service.retries import backoff, is_conflict

FIRST, LONGEST = timedelta(seconds=30), timedelta(hours=1)


CHANGED = errors.VersionConflict("Job", {}, 1, 2)
MISSING = errors.DoesNotExist("Source", {}, "does not exist")


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (CHANGED, True),
        (errors.Contended("Job", {}, "busy"), True),
        (MISSING, False),
        (errors.TransactionFailed([None, CHANGED]), True),
        (errors.TransactionFailed([MISSING, CHANGED]), False),
    ],
    ids=["version", "contended", "missing", "transaction", "transaction with another reason"],
)
def test_conflicts_are_failures_that_only_other_writers_caused(
    error: errors.TablewrightError, expected: bool
) -> None:
    assert is_conflict(error) is expected


def test_delays_double_up_to_the_longest() -> None:
    delays = [backoff(attempt, FIRST, LONGEST, "job") for attempt in range(12)]
    assert all(delays[n + 1] == 2 * delays[n] for n in range(5))
    assert delays[-1] == delays[-2]
    assert LONGEST <= delays[-1] <= LONGEST * 1.1


def test_delays_differ_by_name() -> None:
    assert backoff(1, FIRST, LONGEST, "job-1") != backoff(1, FIRST, LONGEST, "job-2")
