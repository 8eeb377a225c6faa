"""What the areas share: writes that tell what their refusal means, leave to act, pages put together."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from tablewright import Entity, Query, Repository, errors, writes
from tablewright_systems.api_errors import ApiError, Conflict, Forbidden, Invalid
from tablewright_systems.authentication import Caller
from tablewright_systems.goalsguild.design.users import ProfileById, User, UserStatus

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

Step = tuple[writes.Write, ApiError]
"""A write, and what it means for the caller when the store refuses it."""

_REFUSALS = (errors.AlreadyExists, errors.DoesNotExist, errors.ConditionNotMet)


@dataclass(frozen=True, slots=True)
class Feed(Generic[T]):
    """A page that was put together of several reads."""

    items: tuple[T, ...]
    cursor: str | None = None

    def __iter__(self) -> Iterator[T]:
        return iter(self.items)


def read(db: Repository, pattern: Query[T], limit: int, cursor: str | None) -> Feed[T]:
    """A page of what a pattern finds."""
    page = db.run(pattern, limit=limit, cursor=cursor)
    return Feed(page.items, page.cursor)


def together(db: Repository, *steps: Step) -> tuple[Entity | None, ...]:
    """Do all writes or none; the first that is refused tells its problem."""
    try:
        return db.transact(*(write for write, _ in steps))
    except errors.TransactionFailed as failed:
        for (_, problem), failure in zip(steps, failed.failures, strict=True):
            if isinstance(failure, _REFUSALS):
                raise problem from failure
        raise


def create(db: Repository, entity: E, *beside: Step) -> E:
    """Write an entity that is new, if all that is to be done beside it can be done; as it was written."""
    new = Conflict(f"this {type(entity).__name__} exists already")
    *_, made = together(db, *beside, (writes.Create(entity), new))
    assert isinstance(made, type(entity))
    return made


def active(user_id: str) -> Step:
    """That a user is registered, and neither suspended nor about to go."""
    check = writes.Check(ProfileById(user_id=user_id), User.status == UserStatus.ACTIVE)
    return check, Forbidden("this needs an active account")


def require_role(caller: Caller, *roles: str) -> None:
    """Refuse whoever is none of these to the platform."""
    if not caller.roles.intersection(roles):
        raise Forbidden(f"this is for {' and '.join(roles)} only")


def changed(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Changes that change something."""
    if not changes:
        raise Invalid("there is nothing to change")
    return dict(changes)
