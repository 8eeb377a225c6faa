"""Back-off: the delay before the next attempt."""

from datetime import timedelta
from zlib import crc32

_JITTER = 0.1


def backoff(failures: int, first: timedelta, longest: timedelta, name: str) -> timedelta:
    """Return the delay after a number of failures: it doubles each time; a jitter by `name` spreads the load.

    >>> backoff(3, timedelta(seconds=30), timedelta(hours=1), "job-1") >= timedelta(seconds=240)
    True
    """
    delay = min(first * (1 << min(failures, 30)), longest)
    return delay * (1 + _JITTER * (crc32(name.encode()) % 1000) / 1000)
