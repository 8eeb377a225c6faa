"""Counts of retries in this process, for monitoring: throttled requests are repeated, and nothing else shows it."""

import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import field

from tablewright.deferred_dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RetryCounts:
    """Numbers of requests since the process started, by the code or class of the error.

    Items and keys that a batch left unprocessed are counted as `UnprocessedItems` and `UnprocessedKeys`.
    """

    retried: Mapping[str, int] = field(default_factory=dict)
    """Requests that were repeated after a pause."""
    given_up: Mapping[str, int] = field(default_factory=dict)
    """Requests whose last attempt failed; the caller got the error."""


_lock = threading.Lock()
_retried: Counter[str] = Counter()
_given_up: Counter[str] = Counter()


def retry_counts() -> RetryCounts:
    """Return how often requests of this process were repeated or given up, because of throttling and other errors.

    >>> retry_counts().given_up.get("ProvisionedThroughputExceededException", 0) >= 0
    True
    """
    with _lock:
        return RetryCounts(dict(_retried), dict(_given_up))


def count_retry(error: Exception | str) -> None:
    """Count a request that is repeated."""
    _count(_retried, error)


def count_given_up(error: Exception | str) -> None:
    """Count a request that is not repeated any more."""
    _count(_given_up, error)


def _count(counter: Counter[str], error: Exception | str) -> None:
    name = error if isinstance(error, str) else getattr(error, "code", type(error).__name__)
    with _lock:
        counter[name] += 1
