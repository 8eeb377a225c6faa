"""Replies to the errors of Tablewright: for each class of `tablewright.errors` a status, a code, and what clients read.

A class that is not listed is treated as its base class. An error that only a defect of the system or of its operation
can cause has the code "internal": its text is logged, and not sent.
"""

from dataclasses import dataclass

from tablewright import errors


@dataclass(frozen=True, slots=True)
class StoreReply:
    """Reply to one class of errors."""

    status: int
    code: str
    message: str | None = None
    """What clients read; None: the text of the error."""


CONFLICT = StoreReply(409, "conflict")
INVALID = StoreReply(422, "invalid")
BUSY = StoreReply(503, "busy", "the store is busy; try again")
UNAVAILABLE = StoreReply(503, "unavailable", "the store cannot be used now; try again later")
INTERNAL = StoreReply(500, "internal")
UNREADABLE = StoreReply(500, "unreadable_item")

_REPLIES: dict[type[errors.TablewrightError], StoreReply] = {
    errors.TablewrightError: INTERNAL,
    # Reads
    errors.BadCursor: StoreReply(422, "bad_cursor"),
    errors.UnknownItem: UNREADABLE,
    errors.SeveralFound: StoreReply(500, "several_found"),
    errors.SecretAltered: UNREADABLE,
    errors.SecretShredded: UNREADABLE,
    # Writes
    errors.WriteError: CONFLICT,
    errors.DoesNotExist: StoreReply(404, "not_found"),
    errors.VersionConflict: StoreReply(409, "version_conflict"),
    errors.Contended: BUSY,
    errors.TransactionFailed: CONFLICT,
    errors.InvalidWrite: INVALID,
    errors.BatchUnfinished: BUSY,
    errors.OutcomeUnknown: StoreReply(503, "unknown_outcome"),
    # Values
    errors.KeyValueError: INVALID,
    errors.ValueNotStorable: INVALID,
    # DynamoDB
    errors.ValidationError: INVALID,
    errors.ConditionalCheckFailed: CONFLICT,
    errors.TransactionCanceled: CONFLICT,
    errors.DuplicateItem: CONFLICT,
    errors.ItemCollectionSizeLimitExceeded: CONFLICT,
    errors.TransactionConflict: BUSY,
    errors.TransactionInProgress: BUSY,
    errors.ProvisionedThroughputExceeded: BUSY,
    errors.RequestLimitExceeded: BUSY,
    errors.Throttling: BUSY,
    errors.LimitExceeded: BUSY,
    errors.InternalFailure: UNAVAILABLE,
    errors.ServiceUnavailable: UNAVAILABLE,
    errors.ResourceNotFound: UNAVAILABLE,
    errors.ResourceInUse: UNAVAILABLE,
    errors.AccessDenied: UNAVAILABLE,
    errors.UnrecognizedClient: UNAVAILABLE,
    errors.Unreachable: UNAVAILABLE,
    errors.StoreError: UNAVAILABLE,
    errors.KeyringError: UNAVAILABLE,
}


def store_reply(kind: type[errors.TablewrightError]) -> StoreReply:
    """Return the reply to a class of errors.

    >>> store_reply(errors.UniqueViolation)
    StoreReply(status=409, code='conflict', message=None)
    """
    return next(_REPLIES[base] for base in kind.__mro__ if base in _REPLIES)


def first_failure(error: errors.TablewrightError) -> errors.TablewrightError:
    """Return the error of the first write of a transaction that failed, or the error itself."""
    if isinstance(error, errors.TransactionFailed):
        return next((each for each in error.failures if each is not None), error)
    return error
