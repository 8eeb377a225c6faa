"""Roles (87-109): open positions of startups, opened and closed by founders, listed newest first."""

from datetime import datetime

from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub.design.startups import (
    MAX_OPEN_ROLES,
    SHARDS,
    OpenRoles,
    OpenRolesBetween,
    RoleById,
    RolesOfStartup,
    RoleType,
    StartupById,
    StartupRole,
)
from tablewright_systems.collabhub.design.tables import Line, Text, Words
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    active_user,
    own_startup,
    require_found,
    transact_as,
)
from tablewright_systems.collabhub.service.startup_views import read_startup
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body


class RoleDraft(Body):
    """A new role."""

    title: Line
    description: Text
    type: RoleType
    compensation: Line | None = None
    equity_range: Line | None = None
    skills: Words = Field(default_factory=list)


def open_role(db: Repository, caller: Caller, startup_id: str, draft: RoleDraft) -> StartupRole:
    """Open a role; it is listed at once if its startup is."""
    now = db.now()
    role = StartupRole(role_id=new_ulid(now), startup_id=startup_id, created_at=now, **draft.model_dump())
    return _open(db, caller, role, is_new=True)


def reopen_role(db: Repository, caller: Caller, startup_id: str, role_id: str) -> StartupRole:
    """Open a closed role again."""
    own_startup(db, caller, startup_id)
    role = _role(db, startup_id, role_id)
    if role.is_open:
        raise Conflict(f"role {role_id} is already open", "isOpen")
    return _open(db, caller, role, is_new=False)


def close_role(db: Repository, caller: Caller, startup_id: str, role_id: str) -> StartupRole:
    """Close a role; the same write removes it from the list of open roles."""
    own_startup(db, caller, startup_id)
    target = RoleById(startup_id=startup_id, role_id=role_id)
    try:
        transact_as(
            db,
            caller,
            writes.Update(
                target,
                set={"is_open": False, "is_listed": False},
                when=fields.of(StartupRole.is_open).one_of(True),
            ),
            writes.Add(StartupById(startup_id=startup_id), open_roles=-1),
            audit_write(db, caller, "ROLE_CLOSED", "STARTUP_ROLE", role_id),
        )
    except errors.ConditionNotMet as error:
        raise Conflict(f"role {role_id} is already closed", "isOpen") from error
    return _role(db, startup_id, role_id)


def read_role(db: Repository, caller: Caller, startup_id: str, role_id: str) -> StartupRole:
    """Return a role of a startup that the caller may see."""
    read_startup(db, caller, startup_id)
    return _role(db, startup_id, role_id)


def list_roles(
    db: Repository, caller: Caller, startup_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupRole]:
    """List all roles of a startup that the caller may see, open or closed, oldest first."""
    read_startup(db, caller, startup_id)
    return paging.run(db, RolesOfStartup(startup_id=startup_id))


def browse_open_roles(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[StartupRole]:
    """List the open roles of all startups, newest first."""
    active_user(db, caller)
    shards = [OpenRoles(shard=shard) for shard in range(SHARDS)]
    return paging.run(db, reads.Merged(shards))


def browse_open_roles_between(
    db: Repository, caller: Caller, start: datetime, end: datetime, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupRole]:
    """List the open roles created from start to end, both included, newest first."""
    active_user(db, caller)
    if start > end:
        raise Invalid("end is before start", "end")
    shards = [OpenRolesBetween(shard=shard, start=start, end=end) for shard in range(SHARDS)]
    return paging.run(db, reads.Merged(shards))


def _open(db: Repository, caller: Caller, role: StartupRole, *, is_new: bool) -> StartupRole:
    """Open a role and count it in its startup, if the startup has not changed since it was read; otherwise repeat."""
    startup = own_startup(db, caller, role.startup_id)
    if startup.open_roles >= MAX_OPEN_ROLES:
        raise Conflict(f"a startup has at most {MAX_OPEN_ROLES} open roles")
    listed = {"is_open": True, "is_listed": startup.is_listed}
    target = RoleById(startup_id=role.startup_id, role_id=role.role_id)
    is_closed = fields.of(StartupRole.is_open).one_of(False)
    already_open = Conflict(f"role {role.role_id} is already open", "isOpen")
    opening: writes.Write = (
        writes.Create(role.changed(**listed))
        if is_new
        else writes.Update(target, set=listed, when=is_closed, otherwise=already_open)
    )
    transact_as(
        db,
        caller,
        opening,
        writes.Update(startup, add={"open_roles": 1}),
        audit_write(db, caller, "ROLE_OPENED", "STARTUP_ROLE", role.role_id),
        role=Role.FOUNDER,
    )
    return _role(db, role.startup_id, role.role_id)


def _role(db: Repository, startup_id: str, role_id: str) -> StartupRole:
    return require_found(db.run(RoleById(startup_id=startup_id, role_id=role_id)), f"role {role_id}")
