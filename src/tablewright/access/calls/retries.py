"""Asking again: when DynamoDB was busy, when it broke, and when the network failed.

boto3 would ask again by itself, but it does not know what may be done twice; so connections never repeat a call.
"""

from itertools import count

from tablewright.access.calls.backoff import ATTEMPTS, backoff
from tablewright.access.calls.procedures import Call, Procedure, Reply
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
"""How often to try a network that fails; each time it may take a minute to notice."""

RETRYABLE: tuple[type[TablewrightError], ...] = (
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
    InternalFailure,
    LostConnection,
)
"""What passes, so that asking again makes sense."""


def with_retries(call: Call) -> Procedure[Reply]:
    """Make a call that may be done twice, again and again when it meets what passes."""
    for attempt in count():
        try:
            return (yield call)
        except RETRYABLE as trouble:
            yield from wait_or_raise(trouble, attempt)
    raise AssertionError("count() has no end")


def wait_or_raise(trouble: TablewrightError, attempt: int) -> Procedure[None]:
    """Wait for the next attempt; or raise the trouble, when there were attempts enough."""
    if attempt + 1 >= (NETWORK_ATTEMPTS if isinstance(trouble, LostConnection) else ATTEMPTS):
        raise trouble
    yield backoff(attempt)


def is_outcome_unknown(trouble: TablewrightError) -> bool:
    """Whether nobody knows after this if the call was done."""
    return isinstance(trouble, InternalFailure) or (isinstance(trouble, LostConnection) and trouble.was_sent)
