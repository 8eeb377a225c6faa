"""The errors of the library itself; those of DynamoDB's API are in `service_errors`.

In this order: connections, designs and values, secrets, the lifecycle, reads, the data file, usage, writes. A message
says what happened, to which thing, and what to do. It never has the content of a secret.
"""

from collections.abc import Mapping, Sequence
from typing import Any


class TablewrightError(Exception):
    """Base class: catch it to catch every error that Tablewright raises on purpose."""


def format_key(key: Mapping[str, Any]) -> str:
    """A primary key as messages show it.

    >>> format_key({"artist": "Nina Simone", "year": 1965})
    "artist='Nina Simone', year=1965"
    """
    return ", ".join(f"{name}={value!r}" for name, value in key.items())


class Unreachable(TablewrightError):
    """The endpoint did not reply, or there are no credentials to call it with."""


class LostConnection(Unreachable):
    """The network failed. `was_sent` tells whether the request may have arrived, and may have been executed."""

    def __init__(self, message: str, *, was_sent: bool = True) -> None:
        super().__init__(message)
        self.was_sent = was_sent


class DesignError(TablewrightError):
    """A design that cannot work; raised when the class is defined, naming the class, the template and the fix."""


class KeyValueError(TablewrightError):
    """A value that cannot be part of a key: it is empty, missing, or contains the delimiter."""


class ValueNotStorable(TablewrightError):
    """A Python value that no attribute value can hold."""


class SecretError(TablewrightError):
    """A secret field cannot be encrypted or decrypted; the message names entity and field, never the content."""


class SecretAltered(SecretError):
    """The ciphertext was changed, or moved from another item, field or tenant."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(
            f"{entity}.{field} does not decrypt: it was changed, or moved here from another item, field or tenant"
        )


class SecretShredded(SecretError):
    """The key of the ciphertext was deleted, so the content cannot be read any more."""

    def __init__(self, entity: str, field: str) -> None:
        self.entity = entity
        self.field = field
        super().__init__(f"{entity}.{field} cannot be read: its key was deleted")


class KeyringError(SecretError):
    """The master keys cannot be used; the message says why and what to do."""


class DeploymentError(TablewrightError):
    """A deployment cannot start, or stopped before its end; completed steps stay, and the next run continues."""


class LayoutIncomplete(DeploymentError):
    """Stored items lack an index key, a copy or a lock that their class got later; a deployment writes them."""

    def __init__(self, what: str, part: str) -> None:
        super().__init__(
            f"{what} needs {part}, which items that were stored before do not have; write it for all of them with: "
            "tablewright deploy MODULE:DESIGN, with the --on and --env of this database"
        )


class MigrationError(TablewrightError):
    """A migration cannot start, or stopped before its end; completed steps stay, and the next run continues."""


class MoveError(TablewrightError):
    """A move cannot start, or stopped; nothing is lost, and the next run continues."""


class MigrationIncomplete(MigrationError):
    """A migration was not started, because another one has rejects; `results` are those of the migrations before it."""

    def __init__(self, message: str, results: Sequence[Any] = ()) -> None:
        super().__init__(message)
        self.results = list(results)


class UnknownItem(TablewrightError):
    """An item that its pattern cannot return: another type, keys that contradict its fields, or invalid values.

    `key` is the item's primary key and `item` the whole item, as attribute values; `reason` says what is wrong. A page
    lists these errors under `unknown`; a read of one entity raises the error. The message contains the key, never the
    content.
    """

    is_of_other_type = False
    """Whether it has another type, as the items beside it in a shared table have."""

    def __init__(self, table: str, key: dict[str, Any], item: dict[str, Any], reason: str) -> None:
        self.table = table
        self.key = key
        self.item = item
        self.reason = reason
        shown = ", ".join(f"{name} = {next(iter(value.values()))!r}" for name, value in key.items())
        super().__init__(f"the item {shown} of {table} {reason}")


class SeveralFound(TablewrightError):
    """A `Find` found more than one entity; `pattern` is the name of the pattern."""

    def __init__(self, pattern: str) -> None:
        self.pattern = pattern
        super().__init__(
            f"{pattern} found several items where at most one was expected; use a Query to see them"
        )


class FieldNotRead(TablewrightError, AttributeError):
    """A field of an entity that was read from a copy or a search without it. `field` is its name."""

    def __init__(self, entity: str, field: str, *, searched: bool = False) -> None:
        self.field = field
        super().__init__(
            f"this {entity} was found by a search, which does not return {field}; read the {entity} by its own key, "
            f"or the numbers with db.rows(...) of a Nearest that has {field} among its fields"
            if searched
            else f"this {entity} was read from a copy that lacks {field}; add {field} to the fields of the copy, "
            f"or read the {entity} by its own key"
        )


class VectorSearchUnsupported(TablewrightError):
    """The endpoint, or the boto3 in use, has no SearchVectors; `pattern` and `index` are what was to be searched."""

    def __init__(self, pattern: str, index: str, why: str) -> None:
        self.pattern = pattern
        self.index = index
        super().__init__(
            f"{pattern} searches the vector index {index}, and this endpoint has no SearchVectors ({why}); "
            "use AWS or the embedded engine, and a boto3 that has search_vectors"
        )


class BadCursor(TablewrightError):
    """A cursor that cannot be used: damaged, or made by another pattern, with other parameters or another version."""


class StoreError(TablewrightError):
    """The data file cannot be used; the message says why and what to do."""

    public = "The server cannot use its data file; the log of the server says why"
    """The message for clients on the network, without paths of the server."""


class StoreLocked(StoreError):
    """The file is open already: in another process, or in another `embedded(...)` of this process."""


class StoreFormat(StoreError):
    """The file is not a Tablewright database, or was written by a newer version of Tablewright."""


class StoreFull(StoreError):
    """The disk is full; nothing of the failed write was kept."""

    public = "The disk of the server is full; nothing of this write was kept"


class StoreMissing(StoreError):
    """The data file was deleted or replaced while it was open; what is written is not kept."""


class StoreDamaged(StoreError):
    """Stored data does not match its checksum, or cannot be read at all; it is never returned.

    `table` and `key` say which data, where that is known.

    >>> str(StoreDamaged("app.db is damaged", table="Users", key={"id": {"S": "ann"}}))
    'app.db is damaged'
    """

    public = "Stored data that this request needs is damaged; the log of the server says which"

    def __init__(
        self,
        message: str,
        *,
        space: int | None = None,
        row: bytes | None = None,
        table: str | None = None,
        key: dict[str, Any] | None = None,
    ) -> None:
        super().__init__(message)
        self.space = space
        """The number of the space, below the engine."""
        self.row = row
        """The stored key, below the engine."""
        self.table = table
        self.key = key


class SpaceMissing(StoreError):
    """A read found no space for its table: the table is being created or deleted at the same time."""


class UsageError(TablewrightError):
    """A command cannot run as it was given; the message says what to change."""


class CredentialsError(UsageError):
    """The credentials file cannot be used; the message says why and what to do."""


class PolicyError(UsageError):
    """A policy document, or the file that names the policies of callers, cannot be used; the message says why."""


class WriteError(TablewrightError):
    """A typed write that changed nothing. `entity` is the name of the class; `key` the parts of its primary key."""

    def __init__(self, entity: str, key: Mapping[str, Any], problem: str) -> None:
        self.entity = entity
        self.key = dict(key)
        super().__init__(f"{entity}({format_key(key)}) {problem}")


class AlreadyExists(WriteError):
    """An item with that key exists already."""


class DoesNotExist(WriteError):
    """The entity does not exist: no item has its key, or the item has expired, or is of another type.

    `get_or_raise` raises it too; then `key` has the parameters of the pattern.
    """


class ConditionNotMet(WriteError):
    """The condition given with a write did not hold; `condition` is that condition, `shown` its text in the message."""

    def __init__(self, entity: str, key: Mapping[str, Any], condition: object, shown: str = "") -> None:
        super().__init__(entity, key, f"does not meet the condition {shown or condition}")
        self.condition = condition


class OutOfBounds(WriteError):
    """Adding to a number would go beyond a limit of its field, such as `ge=0`; `field` is the name of the field."""

    def __init__(self, entity: str, key: Mapping[str, Any], field: str, problem: str) -> None:
        super().__init__(entity, key, problem)
        self.field = field


class VersionConflict(WriteError):
    """Another writer changed the entity since it was read; read it again. `found` is None if it was deleted."""

    def __init__(self, entity: str, key: Mapping[str, Any], expected: int, found: int | None) -> None:
        state = "is gone" if found is None else f"is at version {found}"
        super().__init__(entity, key, f"{state}, not at version {expected}; read it again")
        self.expected = expected
        self.found = found


class UniqueViolation(WriteError):
    """Another entity has this value in a unique field. `value` is None when the field is secret.

    `within` are the fields that limit the scope: the other entity has the same values in them.
    """

    def __init__(
        self, entity: str, key: Mapping[str, Any], field: str, value: Any, within: Sequence[str] = ()
    ) -> None:
        shown = "its value" if value is None else repr(value)
        scope = f" of the same {' and '.join(within)}" if within else ""
        super().__init__(entity, key, f"cannot have {field} = {shown}: another {entity}{scope} has it")
        self.field = field
        self.value = value
        self.within = tuple(within)


class CopyBlocked(WriteError):
    """A copy of an entity cannot be written: another item has its key. `copy` is the copy's name."""

    def __init__(self, entity: str, key: Mapping[str, Any], copy: str) -> None:
        super().__init__(entity, key, f"cannot write its copy {copy}: another item has the key of the copy")
        self.copy = copy


class ParentAbsent(WriteError):
    """A change inside of a map or list that the entity does not have; `parent` is its path: `User.address`."""

    def __init__(self, entity: str, key: Mapping[str, Any], parent: str, change: str) -> None:
        super().__init__(
            entity, key, f"has no {parent}, so {change} cannot be applied; set it first: {parent}.set(...)"
        )
        self.parent = parent


class Contended(WriteError):
    """Other writers changed the same entity during every attempt, and the write gave up."""


class InvalidWrite(TablewrightError):
    """A write that cannot be made as it was given; the message says what to change."""


class TransactionTooLarge(InvalidWrite):
    """A transaction of more than 100 items, locks and copies included; `items` is their number."""

    def __init__(self, items: int, limit: int) -> None:
        super().__init__(
            f"the transaction touches {items} items, locks and copies included, and DynamoDB allows {limit}; "
            "it is not split, because its parts could fail independently"
        )
        self.items = items
        self.limit = limit


class TransactionFailed(TablewrightError):
    """A transaction changed nothing; `failures` has one entry for each write: its error, or None.

    `kinds` has the kind of each write, such as `Create`, for the message.
    """

    def __init__(self, failures: Sequence[TablewrightError | None], kinds: Sequence[str] = ()) -> None:
        shown = [f" ({kind})" for kind in kinds] or [""] * len(failures)
        listed = "; ".join(
            f"write {number}{kind}: {failure}"
            for number, (kind, failure) in enumerate(zip(shown, failures, strict=True), 1)
            if failure is not None
        )
        super().__init__(f"nothing was written. {listed}")
        self.failures = tuple(failures)


class BatchUnfinished(TablewrightError):
    """Some writes of a batch were not done, after many attempts; `left` are those, the others are done."""

    def __init__(self, left: Sequence[object], total: int) -> None:
        super().__init__(f"{len(left)} of {total} writes were not done; try those in `left` again later")
        self.left = tuple(left)


class DeletionUnfinished(TablewrightError):
    """Something that an entity owns could not be deleted, so the entity was not deleted either.

    `report` says what was deleted, and what was not. Run the deletion again: it continues with what is left.
    """

    def __init__(self, entity: str, key: Mapping[str, Any], report: Any) -> None:
        self.entity = entity
        self.key = dict(key)
        self.report = report
        first, *more = report.undeleted
        others = f", and {len(more)} more" if more else ""
        super().__init__(
            f"{entity}({format_key(key)}) is not deleted with all that it owns: {first}{others}; repeat the deletion"
        )


class OutcomeUnknown(TablewrightError):
    """DynamoDB failed, or its reply was lost: the write was done or was not. The cause says which of the two happened.

    `entity` is the name of the class, `key` the parts of its primary key. A write in `transact(...)`, also a single
    one, has a client token, so that it can be sent again until its outcome is known.
    """

    def __init__(self, entity: str, key: Mapping[str, Any]) -> None:
        self.entity = entity
        self.key = dict(key)
        super().__init__(
            f"{entity}({format_key(key)}) may or may not have been written, because no certain reply arrived; read it "
            "to find out, or write it with transact, which can be sent again"
        )
