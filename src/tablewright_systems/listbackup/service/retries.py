"""Retries: for flows that read, decide, and write only if what they read has not changed."""

import random
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar
from zlib import crc32

from tablewright import errors

T = TypeVar("T")

MAX_ATTEMPTS = 20
_MAX_PAUSE = 0.1
_JITTER = 0.1


def retry_on_conflict(work: Callable[[], T]) -> T:
    """Call `work`, which writes conditionally on the versions it reads; call it again after a conflict."""
    for attempt in range(MAX_ATTEMPTS - 1):
        try:
            return work()
        except (errors.WriteError, errors.TransactionFailed) as error:
            if not is_conflict(error):
                raise
            time.sleep(random.uniform(0, min(_MAX_PAUSE, 0.001 * 2**attempt)))
    return work()


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
