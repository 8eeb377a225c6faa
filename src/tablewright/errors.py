"""Every error Tablewright raises, in one tree.

Three branches grow from `TablewrightError`:

- `ServiceError`: what DynamoDB itself answers. Each leaf knows its wire face: the `code` clients switch on, the HTTP
  `status`, and the `namespace` that AWS prints before the code in `__type`.
- `StoreError`: what can go wrong with the file that holds the data. It says what to do about it.
- `UsageError`: what is wrong with the way a command was given. It says what to change.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar


class TablewrightError(Exception):
    """The root: catch this to catch everything Tablewright raises on purpose."""


class ServiceError(TablewrightError):
    """A refusal in DynamoDB's own vocabulary.

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
        """The error of that code; one that this library does not know is a `ServiceError` of its own.

        >>> ServiceError.of("ResourceInUseException", "Table already exists: t")
        ResourceInUse('Table already exists: t')
        >>> ServiceError.of("BrandNewException", "what?").code
        'BrandNewException'
        """
        leaf = next((leaf for leaf in cls.__subclasses__() if leaf.code == code), None)
        if leaf is None:
            leaf = type(code, (ServiceError,), {"code": code, "status": status, "__module__": __name__})
        return leaf(message)


class ValidationError(ServiceError):
    """The request is well formed but not acceptable.

    AWS is moving its checks from an older layer to a newer one, call by call, and the two word some complaints
    differently. `message` is in the newer words, `older` in the older ones; `engine.layers` knows who uses which.
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
    """A condition on a write did not hold; `item` is the item that was found, when the caller asked for it."""

    code = "ConditionalCheckFailedException"

    def __init__(self, message: str = "The conditional request failed", item: Any = None) -> None:
        super().__init__(message)
        self.item = item

    def details(self) -> dict[str, Any]:
        """The item found, under the name AWS gives it."""
        return {"Item": self.item} if self.item else {}


class TransactionCanceled(ServiceError):
    """A transaction did nothing; `reasons` holds one entry for each of its actions, in order."""

    code = "TransactionCanceledException"
    message_member = "Message"

    def __init__(self, reasons: Sequence[dict[str, Any]]) -> None:
        codes = ", ".join(reason["Code"] for reason in reasons)
        super().__init__(
            f"Transaction cancelled, please refer cancellation reasons for specific reasons [{codes}]"
        )
        self.reasons = list(reasons)

    def details(self) -> dict[str, Any]:
        """The reasons, one an action."""
        return {"CancellationReasons": self.reasons}


class TransactionConflict(ServiceError):
    """Another transaction holds the item."""

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
    """The request rate is above what the table, index or partition can take."""

    code = "ProvisionedThroughputExceededException"


class RequestLimitExceeded(ServiceError):
    """The request rate is above the account's limit."""

    code = "RequestLimitExceeded"


class Throttling(ServiceError):
    """Control-plane calls come too fast."""

    code = "ThrottlingException"
    namespace = "com.amazon.coral.availability"


class ExpiredIterator(ServiceError):
    """A shard iterator is older than 15 minutes."""

    code = "ExpiredIteratorException"


class TrimmedDataAccess(ServiceError):
    """The stream records asked for are older than 24 hours."""

    code = "TrimmedDataAccessException"


class AccessDenied(ServiceError):
    """The caller may not do this."""

    code = "AccessDeniedException"
    namespace = "com.amazon.coral.service"
    message_member = "Message"


class MissingAuthenticationToken(ServiceError):
    """The request is not signed, and has to be."""

    code = "MissingAuthenticationTokenException"
    namespace = "com.amazon.coral.service"


class IncompleteSignature(ServiceError):
    """The request's signature lacks a part, or a part is not of its form."""

    code = "IncompleteSignatureException"
    namespace = "com.amazon.coral.service"


class InvalidSignature(ServiceError):
    """The request's signature does not fit: the request, its date or its scope."""

    code = "InvalidSignatureException"
    namespace = "com.amazon.coral.service"


class UnrecognizedClient(ServiceError):
    """The request is signed with a key that is not known here."""

    code = "UnrecognizedClientException"
    namespace = "com.amazon.coral.service"


class InternalFailure(ServiceError):
    """Something broke on the service's side; the request may be tried again."""

    code = "InternalServerError"
    status = 500


class StoreError(TablewrightError):
    """The data file cannot be used; the message says why and what to do."""


class StoreLocked(StoreError):
    """Another process, or another `embedded(...)` of this one, has the file open."""


class StoreFormat(StoreError):
    """The file is not a Tablewright database, or a newer Tablewright wrote it."""


class StoreFull(StoreError):
    """The disk has no room; nothing of the failed write was kept."""


class SpaceMissing(StoreError):
    """A reader met a space that is not made yet, or dropped already: its table comes or goes at this moment."""


class UsageError(TablewrightError):
    """A command cannot be run as it was given; the message says what to change."""


class CredentialsError(UsageError):
    """The file of credentials cannot be used; the message says why and what to do."""


class DesignError(TablewrightError):
    """A design that cannot work; raised when the class is defined, naming the class, the template and the fix."""


class KeyValueError(TablewrightError):
    """A value that cannot be part of a key: empty, missing, or holding the delimiter."""


class ValueNotStorable(TablewrightError):
    """A Python value that no attribute value can hold."""


class SecretError(TablewrightError):
    """A secret that cannot be kept or told; the message names entity and field, never the content."""


class SecretAltered(SecretError):
    """A ciphertext that was changed, or moved from another item, field or tenant."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(
            f"{entity}.{field} does not decrypt: it was changed, or moved here from another item, field or tenant"
        )


class SecretShredded(SecretError):
    """A ciphertext whose key was deleted; nobody can read it any more."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(f"{entity}.{field} cannot be read: its key was deleted")


class KeyringError(SecretError):
    """Master keys that cannot be used; the message says why and what to do."""


class UnknownItem(TablewrightError):
    """An item that is not what a pattern returns: another type, keys that contradict its fields, or unfit values.

    `key` is its primary key and `item` all of it, as attribute values; `reason` says what is wrong. A page lists them
    under `unknown`; where one entity is asked for, it is raised. The message tells the key and never the content.
    """

    def __init__(self, table: str, key: dict[str, Any], item: dict[str, Any], reason: str) -> None:
        self.table = table
        self.key = key
        self.item = item
        self.reason = reason
        shown = ", ".join(f"{name} = {next(iter(value.values()))!r}" for name, value in key.items())
        super().__init__(f"the item {shown} of {table} {reason}")


class SeveralFound(TablewrightError):
    """A `Find` met more than one entity; `pattern` names it."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(
            f"{pattern} found several items where at most one was expected; use a Query to see them"
        )


class BadCursor(TablewrightError):
    """A cursor that cannot be used: damaged, or made by another pattern, other parameters or another version."""


class Unreachable(TablewrightError):
    """The endpoint did not answer, or there are no credentials to ask it with."""


class LostConnection(Unreachable):
    """The network failed on the way. `was_sent` tells whether the request may have arrived, and may have been done."""

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class WriteError(TablewrightError):
    """A typed write that did nothing. `entity` is the name of the class; `key` what its primary key is made of."""

    def __init__(self, entity: str, key: Mapping[str, Any], complaint: str) -> None:
        self.entity = entity
        self.key = dict(key)
        shown = ", ".join(f"{name}={value!r}" for name, value in self.key.items())
        super().__init__(f"{entity}({shown}) {complaint}")


class AlreadyExists(WriteError):
    """Something lies under that key already."""


class DoesNotExist(WriteError):
    """There is no such entity: nothing lies under the key, or it has expired, or it is something else."""


class ConditionNotMet(WriteError):
    """The condition given with a write did not hold; `condition` is that condition."""

    def __init__(self, entity: str, key: Mapping[str, Any], condition: object) -> None:
        super().__init__(entity, key, f"does not meet the condition {condition}")
        self.condition = condition


class VersionConflict(WriteError):
    """Somebody else has written the entity since it was read; read it again. `found` is None when it is gone."""

    def __init__(self, entity: str, key: Mapping[str, Any], expected: int, found: int | None) -> None:
        there = "is gone" if found is None else f"is at version {found}"
        super().__init__(entity, key, f"{there}, not at version {expected}; read it again")
        self.expected = expected
        self.found = found


class UniqueViolation(WriteError):
    """Another entity has this value in a unique field. `value` is None when the field is secret."""

    def __init__(self, entity: str, key: Mapping[str, Any], field: str, value: Any) -> None:
        shown = "its value" if value is None else repr(value)
        super().__init__(entity, key, f"cannot have {field} = {shown}: another {entity} has it")
        self.field = field
        self.value = value


class CopyBlocked(WriteError):
    """A copy of an entity cannot be written: something else lies under its key. `copy` is the copy's name."""

    def __init__(self, entity: str, key: Mapping[str, Any], copy: str) -> None:
        super().__init__(entity, key, f"cannot write its copy {copy}: something else lies under that key")
        self.copy = copy


class Contended(WriteError):
    """Others wrote the same entity again and again, and the write gave up."""


class InvalidWrite(TablewrightError):
    """A write that cannot be made as it was given; the message says what to change."""


class TransactionTooLarge(InvalidWrite):
    """A transaction of more than 100 items, locks and copies counted; `items` is how many there are."""

    def __init__(self, items: int, limit: int) -> None:
        super().__init__(
            f"the transaction touches {items} items, locks and copies counted, and DynamoDB takes {limit}; "
            "it is not split, as its parts could fail apart"
        )
        self.items = items
        self.limit = limit


class TransactionFailed(TablewrightError):
    """A transaction did nothing; `failures` has for each write what was wrong with it, or None."""

    def __init__(self, failures: Sequence[TablewrightError | None]) -> None:
        told = "; ".join(
            f"write {place}: {each}" for place, each in enumerate(failures, 1) if each is not None
        )
        super().__init__(f"nothing was written. {told}")
        self.failures = tuple(failures)


class BatchUnfinished(TablewrightError):
    """Some writes of a batch were not done, after many tries; `left` are those, the others are done."""

    def __init__(self, left: Sequence[object], total: int) -> None:
        super().__init__(f"{len(left)} of {total} writes were not done; try those in `left` again later")
        self.left = tuple(left)


class OutcomeUnknown(TablewrightError):
    """DynamoDB broke, or its reply was lost, and nobody can tell whether a write was done; the cause says which.

    `entity` is the name of the class, `key` what its primary key is made of. A write in `transact(...)`, also if alone,
    bears a token, so that it can be sent again until its outcome is known.
    """

    def __init__(self, entity: str, key: Mapping[str, Any]) -> None:
        self.entity = entity
        self.key = dict(key)
        shown = ", ".join(f"{name}={value!r}" for name, value in self.key.items())
        super().__init__(
            f"{entity}({shown}) was written or was not, as no certain answer came; read it to see, or write it with "
            "transact, which can be sent again"
        )


class DeploymentError(TablewrightError):
    """A deployment cannot be begun, or stopped half way; what is done stays done, and the next one goes on."""


class MigrationError(TablewrightError):
    """A migration cannot be begun, or stopped half way; what is done stays done, and the next run goes on."""
