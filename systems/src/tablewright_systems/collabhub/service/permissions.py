"""Permissions: who may act. A write checks in its own transaction that the caller is still an active user."""

from decimal import Decimal
from typing import Annotated

from pydantic import Field

from tablewright import Repository, writes
from tablewright_systems import service
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role, UserStatus
from tablewright_systems.service import Caller, Forbidden, require_found
from tablewright_systems.service.schemas import JSON_NUMBER
from tablewright_systems.web import CurrentCaller, Db

_ACTIVATE = "activate the account first, as an administrator or as the user with a verified address"


def active(caller: Caller, role: Role | None = None) -> writes.Check[design.User]:
    """Return the check that the caller is an active user (with the role), as the first action of a transaction."""
    condition = design.User.status == UserStatus.ACTIVE
    if role is not None:
        condition &= design.User.role == role
    return writes.Check(
        design.UserById(user_id=caller.user_id), condition, otherwise=not_active(caller, role)
    )


def not_active(caller: Caller, role: Role | None = None) -> Forbidden:
    """Return the error of a caller who is not an active user (with the role)."""
    who = f"an active user with the role {role}" if role else "an active user"
    return Forbidden(f"user {caller.user_id} is not {who}; if the account is new, {_ACTIVATE}")


def active_user(db: Repository, caller: Caller, *roles: Role) -> design.User:
    """Return the caller's user, or raise Forbidden unless it is active (and has one of the roles)."""
    user = db.run(design.UserById(user_id=caller.user_id))
    if user is None or user.status != UserStatus.ACTIVE:
        raise Forbidden(f"user {caller.user_id} {_reason(user)}")
    if roles and user.role not in roles:
        raise Forbidden(f"this needs one of the roles {', '.join(roles)}")
    return user


def _reason(user: design.User | None) -> str:
    """Return why a user is not active, and what to do."""
    if user is None:
        return "has no account; sign up first"
    if user.status == UserStatus.PENDING_VERIFICATION:
        return f"is not active yet; {_ACTIVATE}"
    return f"is {user.status}"


def active_among(db: Repository, user_ids: list[str]) -> set[str]:
    """Return those of some users who are active."""
    if len(user_ids) > 1:
        users = list(db.run(design.UsersById(user_id=user_ids)))
    else:
        users = [user for user_id in user_ids if (user := db.run(design.UserById(user_id=user_id)))]
    return {user.user_id for user in users if user.status == UserStatus.ACTIVE}


def is_admin(db: Repository, caller: Caller) -> bool:
    """Whether the caller is staff, or an active user with the role ADMIN."""
    if "admin" in caller.roles:
        return True
    user = db.run(design.UserById(user_id=caller.user_id))
    return user is not None and (user.role, user.status) == (Role.ADMIN, UserStatus.ACTIVE)


def require_admin(db: Repository, caller: Caller) -> None:
    """Raise Forbidden unless the caller is an administrator."""
    if not is_admin(db, caller):
        raise Forbidden("only administrators may do this")


def refuse_banned(db: Db, caller: CurrentCaller) -> None:
    """Raise Forbidden if the caller is banned: a banned user can read only the own account (R36)."""
    user = db.run(design.UserById(user_id=caller.user_id))
    if user is not None and user.status == UserStatus.BANNED:
        raise Forbidden(f"user {caller.user_id} is banned")


def own_startup(db: Repository, caller: Caller, startup_id: str) -> design.Startup:
    """Return a startup that the caller founded, or raise Forbidden; bans also hide what others sent to it."""
    active_user(db, caller)
    startup = require_found(db.run(design.StartupById(startup_id=startup_id)), f"startup {startup_id}")
    if startup.founder_id != caller.user_id:
        raise Forbidden(f"only the founder of startup {startup_id} may do this")
    return startup


Id = Annotated[str, Field(min_length=1, max_length=255)]
Line = Annotated[service.Line, Field(min_length=1, max_length=200)]
Text = Annotated[service.Prose, Field(max_length=10_000)]
Url = Annotated[str, Field(min_length=1, max_length=2_048, pattern=r"^https?://[^\s\x00-\x1f]+$")]
Words = Annotated[list[Line], Field(max_length=50)]
Money = Annotated[Decimal, Field(ge=0, max_digits=15, decimal_places=2), *JSON_NUMBER]
