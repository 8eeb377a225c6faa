"""Write errors: typed writes that were not done, or whose outcome is not known."""

from collections.abc import Mapping, Sequence
from typing import Any

from tablewright.errors.base_error import TablewrightError, format_key


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
