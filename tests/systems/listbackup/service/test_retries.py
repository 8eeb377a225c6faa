"""Retries: which errors are repeated, and the delays of a backoff."""

from datetime import timedelta

import pytest

from tablewright import errors
from tablewright_systems.listbackup.service.retries import MAX_ATTEMPTS, backoff, retry_on_conflict

FIRST, LONGEST = timedelta(seconds=30), timedelta(hours=1)


class Work:
    """Work that fails a number of times before it succeeds."""

    def __init__(self, failures: int, error: Exception) -> None:
        self.calls = 0
        self._failures = failures
        self._error = error

    def __call__(self) -> int:
        self.calls += 1
        if self.calls <= self._failures:
            raise self._error
        return self.calls


def test_work_is_repeated_after_conflicts() -> None:
    work = Work(3, errors.Contended("Job", {}, "busy"))
    assert retry_on_conflict(work) == 4


def test_work_is_not_repeated_forever() -> None:
    work = Work(1000, errors.Contended("Job", {}, "busy"))
    with pytest.raises(errors.Contended):
        retry_on_conflict(work)
    assert work.calls == MAX_ATTEMPTS


def test_other_errors_are_raised_at_once() -> None:
    work = Work(1, ValueError("wrong"))
    with pytest.raises(ValueError, match="wrong"):
        retry_on_conflict(work)
    assert work.calls == 1


def test_delays_double_up_to_the_longest() -> None:
    delays = [backoff(attempt, FIRST, LONGEST, "job") for attempt in range(12)]
    assert all(delays[n + 1] == 2 * delays[n] for n in range(5))
    assert delays[-1] == delays[-2]
    assert LONGEST <= delays[-1] <= LONGEST * 1.1


def test_delays_differ_by_name() -> None:
    assert backoff(1, FIRST, LONGEST, "job-1") != backoff(1, FIRST, LONGEST, "job-2")
