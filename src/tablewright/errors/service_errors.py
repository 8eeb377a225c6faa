"""Service errors: what DynamoDB itself replies.

Each class has the `code` that clients switch on, the HTTP `status`, and the `namespace` that AWS prints before the code
in `__type`. `BY_CODE` is the registry of wire codes: every class of this module is in it.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, ClassVar

from tablewright.errors.library_errors import TablewrightError


class ServiceError(TablewrightError):
    """An error as DynamoDB replies it.

    >>> error = ResourceNotFound("Requested resource not found")
    >>> error.code, error.status
    ('ResourceNotFoundException', 400)
    >>> error.body()["__type"]
    'com.amazonaws.dynamodb.v20120810#ResourceNotFoundException'
    """

    code: ClassVar[str] = "InternalServerError"
    status: ClassVar[int] = 400
    namespace: ClassVar[str] = "com.amazonaws.dynamodb.v20120810"
    message_member: ClassVar[str] = "message"

    def __init__(self, message: str = "") -> None:
        super().__init__(message)
        self.message = message

    def details(self) -> dict[str, Any]:
        """Members beyond the message that this error carries on the wire."""
        return {}

    def body(self) -> dict[str, Any]:
        """The JSON body DynamoDB sends for this error."""
        face: dict[str, Any] = {"__type": f"{self.namespace}#{self.code}"}
        if self.message:
            face[self.message_member] = self.message
        face.update(self.details())
        return face

    @classmethod
    def of(cls, code: str, message: str, status: int = 400) -> "ServiceError":
        """An error of the class registered for a code; a code that is not registered gets a class of its own.

        >>> ServiceError.of("ResourceInUseException", "Table already exists: t")
        ResourceInUse('Table already exists: t')
        >>> ServiceError.of("BrandNewException", "what?").code
        'BrandNewException'
        """
        leaf = BY_CODE.get(code) or _unregistered(code, status)
        return leaf(message=message)


class ValidationError(ServiceError):
    """The request is well formed but not acceptable.

    AWS is moving its checks from an older layer to a newer one, call by call, and the two word some messages
    differently. `message` is the newer text, `older` the older one; `engine.core.requests.scalars` chooses.
    """

    code = "ValidationException"
    namespace = "com.amazon.coral.validate"

    def __init__(self, message: str = "", older: str | None = None) -> None:
        super().__init__(message)
        self.older = message if older is None else older


class SerializationError(ServiceError):
    """The request is not JSON, or a member has the wrong JSON type."""

    code = "SerializationException"
    namespace = "com.amazon.coral.service"
    message_member = "Message"


class UnknownOperation(ServiceError):
    """The operation does not exist."""

    code = "UnknownOperationException"
    namespace = "com.amazon.coral.service"


class ConditionalCheckFailed(ServiceError):
    """A condition on a write did not hold; `item` is the item that was found, if the request asks to return it."""

    code = "ConditionalCheckFailedException"

    def __init__(self, message: str = "The conditional request failed", item: Any = None) -> None:
        super().__init__(message)
        self.item = item

    def details(self) -> dict[str, Any]:
        """The item found, under the name AWS gives it."""
        return {"Item": self.item} if self.item else {}


class TransactionCanceled(ServiceError):
    """A transaction changed nothing; `reasons` has one entry for each of its actions, in order."""

    code = "TransactionCanceledException"
    message_member = "Message"

    def __init__(self, reasons: Sequence[dict[str, Any]] = (), message: str | None = None) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        default = f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
        super().__init__(default if message is None else message)
        self.reasons = list(reasons)

    def details(self) -> dict[str, Any]:
        """The reasons, one for each action."""
        return {"CancellationReasons": self.reasons}


class TransactionConflict(ServiceError):
    """Another transaction is changing the item."""

    code = "TransactionConflictException"


class TransactionInProgress(ServiceError):
    """A transaction with the same client token is still running."""

    code = "TransactionInProgressException"


class IdempotentParameterMismatch(ServiceError):
    """A client token was used again with another request."""

    code = "IdempotentParameterMismatchException"


class DuplicateItem(ServiceError):
    """A PartiQL INSERT found an item with the same key."""

    code = "DuplicateItemException"


class ResourceNotFound(ServiceError):
    """The table, index, stream or backup does not exist."""

    code = "ResourceNotFoundException"


class TableNotFound(ServiceError):
    """The table does not exist (the calls about backups use this code)."""

    code = "TableNotFoundException"


class GlobalTableNotFound(ServiceError):
    """The global table does not exist (the calls about global tables of version 2017 use this code)."""

    code = "GlobalTableNotFoundException"


class ResourceInUse(ServiceError):
    """The table exists already, or is being changed."""

    code = "ResourceInUseException"


class LimitExceeded(ServiceError):
    """Too many control-plane operations, or a subscriber limit."""

    code = "LimitExceededException"


class ItemCollectionSizeLimitExceeded(ServiceError):
    """An item collection of a table with local indexes would pass 10 GB."""

    code = "ItemCollectionSizeLimitExceededException"


class ProvisionedThroughputExceeded(ServiceError):
    """The request rate is above the capacity of the table, index or partition."""

    code = "ProvisionedThroughputExceededException"


class RequestLimitExceeded(ServiceError):
    """The request rate is above the account's limit."""

    code = "RequestLimitExceeded"


class Throttling(ServiceError):
    """Too many control-plane calls in a short time."""

    code = "ThrottlingException"
    namespace = "com.amazon.coral.availability"


class ExpiredIterator(ServiceError):
    """A shard iterator is older than 15 minutes."""

    code = "ExpiredIteratorException"


class TrimmedDataAccess(ServiceError):
    """The requested stream records are older than 24 hours."""

    code = "TrimmedDataAccessException"


class AccessDenied(ServiceError):
    """The caller does not have permission for this operation."""

    code = "AccessDeniedException"
    namespace = "com.amazon.coral.service"
    message_member = "Message"


class MissingAuthenticationToken(ServiceError):
    """The request is not signed, and must be."""

    code = "MissingAuthenticationTokenException"
    namespace = "com.amazon.coral.service"


class IncompleteSignature(ServiceError):
    """The request's signature lacks a part, or a part is malformed."""

    code = "IncompleteSignatureException"
    namespace = "com.amazon.coral.service"


class InvalidSignature(ServiceError):
    """The signature does not match the request, its date or its scope."""

    code = "InvalidSignatureException"
    namespace = "com.amazon.coral.service"


class UnrecognizedClient(ServiceError):
    """The request is signed with an unknown access key."""

    code = "UnrecognizedClientException"
    namespace = "com.amazon.coral.service"


class InternalFailure(ServiceError):
    """The service failed; the request may be retried."""

    code = "InternalServerError"
    status = 500


class ServiceUnavailable(ServiceError):
    """The service has too much to do; the request may be retried."""

    code = "ServiceUnavailable"
    status = 503


class BackupNotFound(ServiceError):
    """The backup does not exist."""

    code = "BackupNotFoundException"


class BackupInUse(ServiceError):
    """The backup is being created, or a table is being restored from it."""

    code = "BackupInUseException"


class TableAlreadyExists(ServiceError):
    """A restore cannot replace an existing table."""

    code = "TableAlreadyExistsException"


class TableInUse(ServiceError):
    """The table is being restored."""

    code = "TableInUseException"


class PointInTimeRecoveryUnavailable(ServiceError):
    """The table has no point-in-time recovery."""

    code = "PointInTimeRecoveryUnavailableException"


class InvalidRestoreTime(ServiceError):
    """The table cannot be restored to that point in time."""

    code = "InvalidRestoreTimeException"


class InvalidExportTime(ServiceError):
    """The table cannot be exported as of that point in time."""

    code = "InvalidExportTimeException"


class ExportConflict(ServiceError):
    """A client token was used again for another export."""

    code = "ExportConflictException"


class ExportNotFound(ServiceError):
    """The export does not exist."""

    code = "ExportNotFoundException"


class ImportConflict(ServiceError):
    """A client token was used again for an import into another table."""

    code = "ImportConflictException"


class ImportNotFound(ServiceError):
    """The import does not exist."""

    code = "ImportNotFoundException"


class PolicyNotFound(ServiceError):
    """The resource has no policy, or its policy has another revision."""

    code = "PolicyNotFoundException"


BY_CODE: Mapping[str, type[ServiceError]] = {
    "ValidationException": ValidationError,
    "SerializationException": SerializationError,
    "UnknownOperationException": UnknownOperation,
    "ConditionalCheckFailedException": ConditionalCheckFailed,
    "TransactionCanceledException": TransactionCanceled,
    "TransactionConflictException": TransactionConflict,
    "TransactionInProgressException": TransactionInProgress,
    "IdempotentParameterMismatchException": IdempotentParameterMismatch,
    "DuplicateItemException": DuplicateItem,
    "ResourceNotFoundException": ResourceNotFound,
    "TableNotFoundException": TableNotFound,
    "GlobalTableNotFoundException": GlobalTableNotFound,
    "ResourceInUseException": ResourceInUse,
    "LimitExceededException": LimitExceeded,
    "ItemCollectionSizeLimitExceededException": ItemCollectionSizeLimitExceeded,
    "ProvisionedThroughputExceededException": ProvisionedThroughputExceeded,
    "RequestLimitExceeded": RequestLimitExceeded,
    "ThrottlingException": Throttling,
    "ExpiredIteratorException": ExpiredIterator,
    "TrimmedDataAccessException": TrimmedDataAccess,
    "AccessDeniedException": AccessDenied,
    "MissingAuthenticationTokenException": MissingAuthenticationToken,
    "IncompleteSignatureException": IncompleteSignature,
    "InvalidSignatureException": InvalidSignature,
    "UnrecognizedClientException": UnrecognizedClient,
    "InternalServerError": InternalFailure,
    "ServiceUnavailable": ServiceUnavailable,
    "BackupNotFoundException": BackupNotFound,
    "BackupInUseException": BackupInUse,
    "TableAlreadyExistsException": TableAlreadyExists,
    "TableInUseException": TableInUse,
    "PointInTimeRecoveryUnavailableException": PointInTimeRecoveryUnavailable,
    "InvalidRestoreTimeException": InvalidRestoreTime,
    "InvalidExportTimeException": InvalidExportTime,
    "ExportConflictException": ExportConflict,
    "ExportNotFoundException": ExportNotFound,
    "ImportConflictException": ImportConflict,
    "ImportNotFoundException": ImportNotFound,
    "PolicyNotFoundException": PolicyNotFound,
}
"""The class of each wire code."""


# Cached, so that a code that is not registered gives the same class each time; bounded, as codes come over the network.
@lru_cache(maxsize=64)
def _unregistered(code: str, status: int) -> type[ServiceError]:
    return type(code, (ServiceError,), {"code": code, "status": status})
