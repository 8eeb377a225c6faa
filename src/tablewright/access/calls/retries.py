"""Retries: repeat a call when DynamoDB throttled it, failed internally, or the network failed.

boto3 could retry by itself, but it does not know which calls are safe to repeat. So connections never retry.

Backoff: how long to wait before a retry.

Counts of retries in this process, for monitoring: throttled requests are repeated, and nothing else shows it.
"""

import random
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import field
from itertools import count

from tablewright.access.calls.procedures import Call, Pause, Procedure, Reply
from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import (
    InternalFailure,
    LostConnection,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    TablewrightError,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
)


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


SHORTEST = 0.05
LONGEST = 5.0
ATTEMPTS = 12
"""Attempts before giving up: about half a minute."""


def backoff(attempt: int, source: random.Random | None = None) -> Pause:
    """Return a random pause. Its maximum doubles with each attempt; randomness keeps clients from retrying together.

    >>> 0 <= backoff(3, random.Random(1)).seconds <= 0.4
    True
    """
    longest: float = min(LONGEST, SHORTEST * 2**attempt)
    return Pause((source or random).uniform(0, longest))


NETWORK_ATTEMPTS = 3
"""Attempts when the network fails; each may take a minute to time out."""

RETRYABLE: tuple[type[TablewrightError], ...] = (
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
    InternalFailure,
    LostConnection,
)
"""Errors that may go away, so that a retry makes sense."""


def with_retries(call: Call) -> Procedure[Reply]:
    """Make a call that is safe to repeat; retry it on a retryable error."""
    for attempt in count():
        try:
            return (yield call)
        except RETRYABLE as error:
            yield from wait_or_raise(error, attempt)
    raise AssertionError("count() has no end")


def wait_or_raise(error: TablewrightError, attempt: int) -> Procedure[None]:
    """Wait before the next attempt; raise the error after the last one."""
    if attempt + 1 >= (NETWORK_ATTEMPTS if isinstance(error, LostConnection) else ATTEMPTS):
        count_given_up(error)
        raise error
    count_retry(error)
    yield backoff(attempt)


def is_outcome_unknown(error: TablewrightError) -> bool:
    """Whether the call may have been executed in spite of this error."""
    return isinstance(error, InternalFailure) or (isinstance(error, LostConnection) and error.was_sent)
