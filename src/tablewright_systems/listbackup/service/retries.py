"""Trying again: for flows that read, decide, and write only if what they read is still so."""

import random
import time
from collections.abc import Callable
from datetime import timedelta
from typing import TypeVar
from zlib import crc32

from tablewright import errors

T = TypeVar("T")

TRIES = 20
_LONGEST_PAUSE = 0.1
_JITTER = 0.1


def settled(work: Callable[[], T]) -> T:
    """Do work that writes under the versions it has read; once more whenever somebody else has written in between."""
    for attempt in range(TRIES - 1):
        try:
            return work()
        except (errors.WriteError, errors.TransactionFailed) as refusal:
            if not is_overtaken(refusal):
                raise
            time.sleep(random.uniform(0, min(_LONGEST_PAUSE, 0.001 * 2**attempt)))
    return work()


def is_overtaken(refusal: errors.TablewrightError) -> bool:
    """Whether a write failed only because somebody else was first."""
    failures = refusal.failures if isinstance(refusal, errors.TransactionFailed) else (refusal,)
    return all(isinstance(each, errors.VersionConflict | errors.Contended) for each in failures if each)


def backoff(attempt: int, first: timedelta, longest: timedelta, name: str) -> timedelta:
    """How long to wait after so many failures: twice as long each time, and a little apart from others.

    >>> backoff(3, timedelta(seconds=30), timedelta(hours=1), "job-1") >= timedelta(seconds=240)
    True
    """
    span = min(first * (1 << min(attempt, 30)), longest)
    return span * (1 + _JITTER * (crc32(name.encode()) % 1000) / 1000)
