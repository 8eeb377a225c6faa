"""Who may write: each write of a user is one transaction with the check that the account is active.

So a user who is suspended, or whose account is being deleted, can neither add nor edit anything.
"""

from collections.abc import Mapping
from typing import Annotated, Any, TypeVar

from fastapi import Path

from tablewright import Entity, Get, Repository, writes
from tablewright_systems.goalsguild.design.users import ProfileById, User, UserStatus
from tablewright_systems.service import Caller, Forbidden, Invalid, transact_as

A = TypeVar("A")
E = TypeVar("E", bound=Entity)

Id = Annotated[str, Path(max_length=128)]
"""An ID in the path of a request."""

IS_ACTIVE = (User.status != UserStatus.SUSPENDED) & (User.status != UserStatus.DELETING)
"""The condition that a profile is neither suspended nor being deleted."""


def active(user_id: str) -> writes.Check[User]:
    """Check that a user is registered, not suspended, and not being deleted."""
    return writes.Check(
        ProfileById(user_id=user_id), IS_ACTIVE, otherwise=Forbidden("this requires an active account")
    )


def refuse_suspended(db: Repository, caller: Caller) -> None:
    """Raise Forbidden if the caller is suspended or being deleted; a caller without a profile is accepted."""
    profile = db.run(ProfileById(user_id=caller.user_id))
    if profile is not None and profile.status in (UserStatus.SUSPENDED, UserStatus.DELETING):
        raise Forbidden("this requires an active account")


def write_as(
    db: Repository, caller: Caller, first: writes.WriteOf[A], *more: writes.Write
) -> tuple[A, *tuple[Entity | None, ...]]:
    """Execute all writes or none, if the account of the caller is active; return the written entities."""
    return transact_as(db, active(caller.user_id), first, *more)


def update_as(
    db: Repository,
    caller: Caller,
    target: Get[E],
    *checks: writes.Write,
    changes: Mapping[str, Any],
    when: writes.When = None,
    otherwise: writes.Otherwise,
) -> E:
    """Update an entity, if the account of the caller is active and the checks succeed; return the new entity."""
    update = writes.Update(target, set=changes, when=when, otherwise=otherwise)
    changed, *_ = write_as(db, caller, update, *checks)
    return changed or db.get_or_raise(target)


def require_changes(changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the changes, or raise `Invalid` if there are none."""
    if not changes:
        raise Invalid("the request contains no changes")
    return dict(changes)
