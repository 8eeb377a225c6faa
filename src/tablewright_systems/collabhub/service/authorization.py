"""Authorization: who may act, and transactions that check that the caller is active at the time of the write."""

from typing import TypeVar

from tablewright import Entity, Repository, errors, writes
from tablewright_systems.collabhub.design.startups import Startup, StartupById
from tablewright_systems.collabhub.design.users import Role, User, UserById, UserStatus
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, NotFound

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

MAX_ATTEMPTS = 12
"""How often a flow runs when other writers were faster."""


def require_found(found: T | None, what: str) -> T:
    """Return what was found, or raise NotFound."""
    if found is None:
        raise NotFound(what)
    return found


def transact(db: Repository, *actions: writes.Write) -> tuple[Entity | None, ...]:
    """Write all or nothing; the error of the first failed write is raised."""
    try:
        return db.transact(*actions)
    except errors.TransactionFailed as failed:
        raise next(each for each in failed.failures if each is not None) from failed


def transact_as(
    db: Repository, caller: Caller, *actions: writes.Write, role: Role | None = None
) -> tuple[Entity | None, ...]:
    """Write all or nothing, on condition that the caller is an active user (with that role)."""
    condition = User.status == UserStatus.ACTIVE
    if role is not None:
        condition &= User.role == role
    active: writes.Check[User] = writes.Check(UserById(user_id=caller.user_id), condition)
    try:
        return db.transact(*actions, active)[:-1]
    except errors.TransactionFailed as failed:
        if failed.failures[-1] is not None:
            who = f"an active user with the role {role}" if role else "an active user"
            raise Forbidden(f"user {caller.user_id} is not {who}") from failed
        raise next(each for each in failed.failures if each is not None) from failed


def written_entity(kind: type[E], entity: Entity | None) -> E:
    """Return an entity that a transaction wrote, by its type."""
    assert isinstance(entity, kind)
    return entity


def active_user(db: Repository, caller: Caller, *roles: Role) -> User:
    """Return the caller's user, or raise Forbidden unless it is active (and has one of the roles)."""
    user = db.run(UserById(user_id=caller.user_id))
    if user is None or user.status != UserStatus.ACTIVE:
        raise Forbidden(f"user {caller.user_id} is not an active user")
    if roles and user.role not in roles:
        raise Forbidden(f"this needs one of the roles {', '.join(roles)}")
    return user


def is_admin(db: Repository, caller: Caller) -> bool:
    """Whether the caller is staff, or an active user with the role ADMIN."""
    if "admin" in caller.roles:
        return True
    user = db.run(UserById(user_id=caller.user_id))
    return user is not None and (user.role, user.status) == (Role.ADMIN, UserStatus.ACTIVE)


def require_admin(db: Repository, caller: Caller) -> None:
    """Raise Forbidden unless the caller is an administrator."""
    if not is_admin(db, caller):
        raise Forbidden("only administrators may do this")


def require_platform_role(caller: Caller, *roles: str) -> None:
    """Raise Forbidden unless the caller's token has one of these platform roles."""
    if caller.roles.isdisjoint(roles):
        raise Forbidden(f"this needs one of the platform roles {', '.join(roles)}")


def own_startup(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Return a startup that the caller founded, or raise Forbidden."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    if startup.founder_id != caller.user_id:
        raise Forbidden(f"only the founder of startup {startup_id} may do this")
    return startup


def own_startup_of_active_founder(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Return a startup that the caller founded, if the caller is active: bans also hide what others sent to it."""
    active_user(db, caller)
    return own_startup(db, caller, startup_id)


def busy() -> Conflict:
    """Return the error of a flow whose last attempt failed too."""
    return Conflict("other requests are changing the same data; try again later")
