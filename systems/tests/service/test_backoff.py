"""Delays double up to the longest, and differ by name."""

from datetime import timedelta

from tablewright_systems.service import backoff

FIRST, LONGEST = timedelta(seconds=30), timedelta(hours=1)


def test_delays_double_up_to_the_longest() -> None:
    delays = [backoff(failures, FIRST, LONGEST, "job") for failures in range(12)]
    assert all(delays[n + 1] == 2 * delays[n] for n in range(5))
    assert delays[-1] == delays[-2]
    assert LONGEST <= delays[-1] <= LONGEST * 1.1


def test_delays_differ_by_name() -> None:
    assert backoff(1, FIRST, LONGEST, "job-1") != backoff(1, FIRST, LONGEST, "job-2")
