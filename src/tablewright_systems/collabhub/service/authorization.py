"""Acting: who may, and all or nothing. Whoever acts is active at the moment of the write, not only before it."""

from collections.abc import Iterable
from typing import Any, TypeVar

from tablewright import Entity, Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Forbidden, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.collabhub.design.startups import Startup, StartupById
from tablewright_systems.collabhub.design.users import Role, User, UserById, UserStatus

T = TypeVar("T")
E = TypeVar("E", bound=Entity)

MAX_ATTEMPTS = 12
"""How often a flow looks again when others were faster."""


def require_found(found: T | None, what: str) -> T:
    """What was found, or NotFound."""
    if found is None:
        raise NotFound(what)
    return found


def one_of(field: Any, values: Iterable[Any]) -> Any:
    """A condition: the field has one of these values. A type checker takes `Startup.status` for the status."""
    return field.one_of(*values)


def transact(db: Repository, *actions: writes.Write) -> tuple[Entity | None, ...]:
    """All writes or none; what is refused is raised as if it had been written alone."""
    try:
        return db.transact(*actions)
    except errors.TransactionFailed as failed:
        raise next(each for each in failed.failures if each is not None) from failed


def transact_as(
    db: Repository, caller: Caller, *actions: writes.Write, role: Role | None = None
) -> tuple[Entity | None, ...]:
    """All writes or none, if the caller is an active user (of that role) at that moment."""
    condition: Any = User.status == UserStatus.ACTIVE
    if role is not None:
        condition &= User.role == role
    active: writes.Check[User] = writes.Check(UserById(user_id=caller.user_id), condition)
    try:
        return db.transact(*actions, active)[:-1]
    except errors.TransactionFailed as failed:
        if failed.failures[-1] is not None:
            who = f"active user who is {role}" if role else "active user"
            raise Forbidden(f"{caller.user_id} is no {who}") from failed
        raise next(each for each in failed.failures if each is not None) from failed


def written_entity(kind: type[E], entity: Entity | None) -> E:
    """What a transaction wrote, by its type."""
    assert isinstance(entity, kind)
    return entity


def active_user(db: Repository, caller: Caller, *roles: Role) -> User:
    """The caller's account, which is active (and has one of the roles)."""
    user = db.run(UserById(user_id=caller.user_id))
    if user is None or user.status != UserStatus.ACTIVE:
        raise Forbidden(f"{caller.user_id} is no active user")
    if roles and user.role not in roles:
        raise Forbidden(f"this is for {' and '.join(roles)}")
    return user


def is_admin(db: Repository, caller: Caller) -> bool:
    """Whether the caller is staff, or an active user who is ADMIN."""
    if "admin" in caller.roles:
        return True
    user = db.run(UserById(user_id=caller.user_id))
    return user is not None and (user.role, user.status) == (Role.ADMIN, UserStatus.ACTIVE)


def require_admin(db: Repository, caller: Caller) -> None:
    """Refuse everybody else."""
    if not is_admin(db, caller):
        raise Forbidden("this is for administrators")


def require_platform_role(caller: Caller, *roles: str) -> None:
    """Refuse everybody but those jobs of the platform."""
    if caller.roles.isdisjoint(roles):
        raise Forbidden(f"this is for the {' and the '.join(roles)}")


def own_startup(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """A startup that the caller founded."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    if startup.founder_id != caller.user_id:
        raise Forbidden(f"only its founder may do that with {startup.name}")
    return startup


def own_startup_of_active_founder(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """A startup that the caller founded and still acts for: only then is what others sent to it theirs to read."""
    active_user(db, caller)
    return own_startup(db, caller, startup_id)


def too_many_conflicts(what: str) -> Conflict:
    """Others were faster, again and again."""
    return Conflict(f"{what} is changed by others again and again; try later")
