"""Asking again when DynamoDB was busy."""

from tablewright.access.backoff import ATTEMPTS, backoff
from tablewright.access.conversations import Call, Conversation, Reply
from tablewright.errors import (
    InternalFailure,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    ServiceError,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
)

BUSY: tuple[type[ServiceError], ...] = (
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
)
"""Refusals that did nothing, and that pass."""

BUSY_OR_BROKEN: tuple[type[ServiceError], ...] = (*BUSY, InternalFailure)
"""The same, and the one after which nobody knows whether the request was done."""


def ask(call: Call, *, repeatable: bool = True) -> Conversation[Reply]:
    """Make a call, again when it was refused for a reason that passes.

    When something broke inside of DynamoDB, the call may have been done or not: then only what is `repeatable` is tried
    again, and for anything else the error rises.
    """
    passing = BUSY_OR_BROKEN if repeatable else BUSY
    for attempt in range(ATTEMPTS - 1):
        try:
            return (yield call)
        except passing:
            yield backoff(attempt)
    return (yield call)
