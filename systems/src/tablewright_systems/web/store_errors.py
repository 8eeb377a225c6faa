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
    """What clients read; None: the text of the error. A text that names a class or a key needs a message."""


_BAD_CURSOR = (
    "the cursor is damaged, or belongs to another list or other parameters; start again from the first page"
)
_UNKNOWN_OUTCOME = "the change was made or was not; read the resource to find out"


def _conflict(message: str) -> StoreReply:
    return StoreReply(409, "conflict", message)


CONFLICT = StoreReply(409, "conflict")
INVALID = StoreReply(422, "invalid")
BUSY = StoreReply(503, "busy", "the store is busy; try again")
UNAVAILABLE = StoreReply(503, "unavailable", "the store cannot be used now; try again later")
INTERNAL = StoreReply(500, "internal")
UNREADABLE = StoreReply(500, "unreadable_item")

_REPLIES: dict[type[errors.TablewrightError], StoreReply] = {
    errors.TablewrightError: INTERNAL,
    # Reads
    errors.BadCursor: StoreReply(422, "bad_cursor", _BAD_CURSOR),
    errors.UnknownItem: UNREADABLE,
    errors.SeveralFound: StoreReply(500, "several_found"),
    errors.SecretAltered: UNREADABLE,
    errors.SecretShredded: UNREADABLE,
    # Writes
    errors.WriteError: _conflict("the change contradicts the current state"),
    errors.AlreadyExists: _conflict("it already exists"),
    errors.UniqueViolation: _conflict("this value is already taken"),
    errors.CopyBlocked: _conflict("it already exists"),
    errors.DoesNotExist: StoreReply(404, "not_found", "it was not found"),
    errors.VersionConflict: StoreReply(
        409, "version_conflict", "another request has changed it in the meantime; read it again"
    ),
    errors.Contended: BUSY,
    errors.TransactionFailed: _conflict("the change contradicts the current state"),
    errors.InvalidWrite: INVALID,
    errors.BatchUnfinished: BUSY,
    errors.OutcomeUnknown: StoreReply(503, "unknown_outcome", _UNKNOWN_OUTCOME),
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
    StoreReply(status=409, code='conflict', message='this value is already taken')
    """
    return next(_REPLIES[base] for base in kind.__mro__ if base in _REPLIES)


def first_failure(error: errors.TablewrightError) -> errors.TablewrightError:
    """Return the error of the first write of a transaction that failed, or the error itself."""
    if isinstance(error, errors.TransactionFailed):
        return next((each for each in error.failures if each is not None), error)
    return error
