"""Transactions in which each write has the error to raise if it fails, and checks that several areas share."""

from collections.abc import Mapping
from typing import Any, TypeVar

from tablewright import Entity, Repository, errors, writes
from tablewright_systems.goalsguild.design.users import ProfileById, User, UserStatus
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import ApiError, Conflict, Forbidden, Invalid

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

Action = tuple[writes.Write, ApiError]
"""A write, and the error to raise if it fails."""

_FAILURES = (errors.AlreadyExists, errors.DoesNotExist, errors.ConditionNotMet)


def transact(db: Repository, *actions: Action) -> tuple[Entity | None, ...]:
    """Execute all writes or none; raise the error of the first write that fails."""
    try:
        return db.transact(*(write for write, _ in actions))
    except errors.TransactionFailed as failed:
        for (_, error), failure in zip(actions, failed.failures, strict=True):
            if isinstance(failure, _FAILURES):
                raise error from failure
        raise


def create(db: Repository, entity: E, *beside: Action) -> E:
    """Create an entity together with other actions, and return it as stored."""
    new = Conflict(f"this {type(entity).__name__} already exists")
    *_, made = transact(db, *beside, (writes.Create(entity), new))
    assert isinstance(made, type(entity))
    return made


def account_is_active(user_id: str) -> Action:
    """Check that the account of a user is active: registered, not suspended, not being deleted."""
    check = writes.Check(ProfileById(user_id=user_id), User.status == UserStatus.ACTIVE)
    return check, Forbidden("this requires an active account")


def require_role(caller: Caller, *roles: str) -> None:
    """Raise `Forbidden` unless the caller has one of the roles."""
    if not caller.roles.intersection(roles):
        raise Forbidden(f"this requires the role {' or '.join(roles)}")


def require_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes, or raise `Invalid` if there are none."""
    if not changes:
        raise Invalid("the request contains no changes")
    return dict(changes)
