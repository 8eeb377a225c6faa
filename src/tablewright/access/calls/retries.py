"""Retries: repeat a call when DynamoDB throttled it, failed internally, or the network failed.

boto3 could retry by itself, but it does not know which calls are safe to repeat. So connections never retry.
"""

from itertools import count

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Call, Procedure, Reply
from tablewright.access.calls.retry_counts import count_given_up, count_retry
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
