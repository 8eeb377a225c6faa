"""Retries: which failures other writers caused, and how long a job waits before its next attempt."""

from datetime import timedelta
from zlib import crc32

from tablewright import errors

_JITTER = 0.1


def is_conflict(error: errors.TablewrightError) -> bool:
    """Whether a write failed only because another writer was first."""
    failures = error.failures if isinstance(error, errors.TransactionFailed) else (error,)
    return all(isinstance(each, errors.VersionConflict | errors.Contended) for each in failures if each)


def backoff(attempt: int, first: timedelta, longest: timedelta, name: str) -> timedelta:
    """Return the delay after a number of failures: it doubles each time; a jitter by `name` spreads the load.

    >>> backoff(3, timedelta(seconds=30), timedelta(hours=1), "job-1") >= timedelta(seconds=240)
    True
    """
    span = min(first * (1 << min(attempt, 30)), longest)
    return span * (1 + _JITTER * (crc32(name.encode()) % 1000) / 1000)
