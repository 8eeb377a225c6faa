"""Roles: open positions of startups, opened and closed by founders, listed newest first."""

from typing import Annotated

from fastapi import Query
from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import MAX_OPEN_ROLES, Role, RoleById, StartupRole
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.permissions import (
    Line,
    Text,
    Words,
    active,
    active_user,
    own_startup,
)
from tablewright_systems.collabhub.service.startups import read_startup
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Invalid,
    busy,
    require_found,
    transact,
)
from tablewright_systems.service.schemas import Body
from tablewright_systems.web import Actor, CurrentCaller, Db, PageRequest, Router

router = Router("Roles", "Open roles of startups.")


class RoleDraft(Body):
    """A new role."""

    title: Line
    description: Text
    type: design.RoleType
    compensation: Line | None = None
    equity_range: Line | None = None
    skills: Words = Field(default_factory=list)


@router.post("/startups/{startup_id}/roles", status_code=201)
def open_role(db: Db, caller: Actor, startup_id: str, draft: RoleDraft) -> StartupRole:
    """Open a role."""
    # It is listed at once if its startup is.
    now = db.now()
    role = StartupRole(
        role_id=fields.ulid(now.timestamp()), startup_id=startup_id, created_at=now, **draft.model_dump()
    )
    return _open(db, caller, role, is_new=True)


@router.post("/startups/{startup_id}/roles/{role_id}/reopening")
def reopen_role(db: Db, caller: Actor, startup_id: str, role_id: str) -> StartupRole:
    """Open a closed role again."""
    own_startup(db, caller, startup_id)
    return _open(db, caller, _role(db, startup_id, role_id), is_new=False)


@router.post("/startups/{startup_id}/roles/{role_id}/closing")
def close_role(db: Db, caller: Actor, startup_id: str, role_id: str) -> StartupRole:
    """Close a role."""
    # The same write removes it from the list of open roles.
    own_startup(db, caller, startup_id)
    is_open = fields.of(StartupRole.is_open).one_of(True)
    closed = Conflict(f"role {role_id} is already closed", "isOpen")
    transact(
        db,
        active(caller),
        writes.Update(
            RoleById(startup_id=startup_id, role_id=role_id),
            set={"is_open": False, "is_listed": False},
            when=is_open,
            otherwise={errors.ConditionNotMet: closed},
        ),
        writes.Add(design.StartupById(startup_id=startup_id), open_roles=-1),
        audit_entry(db, caller, "ROLE_CLOSED", "STARTUP_ROLE", role_id),
    )
    return _role(db, startup_id, role_id)


@router.get("/startups/{startup_id}/roles/{role_id}")
def read_role(db: Db, caller: CurrentCaller, startup_id: str, role_id: str) -> StartupRole:
    """Get a role."""
    read_startup(db, caller, startup_id)
    return _role(db, startup_id, role_id)


@router.get("/roles")
def browse_open_roles(
    db: Db,
    caller: CurrentCaller,
    start: Annotated[fields.Timestamp | None, Query(description="Created at or after this time.")] = None,
    end: Annotated[fields.Timestamp | None, Query(description="Created at or before this time.")] = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[StartupRole]:
    """List the open roles of all startups, newest first, or those of a time range."""
    active_user(db, caller)
    shards = range(design.ROLE_SHARDS)
    if start is None and end is None:
        return paging.run(db, reads.Merged(design.OpenRoles(shard=shard) for shard in shards))
    if start is None or end is None:
        raise Invalid("give both start and end, or neither", "start" if start is None else "end")
    if start > end:
        raise Invalid("end is before start", "end")
    lists = (design.OpenRolesBetween(shard=shard, start=start, end=end) for shard in shards)
    return paging.run(db, reads.Merged(lists))


@writes.retrying(otherwise=busy)
def _open(db: Repository, caller: Caller, role: StartupRole, *, is_new: bool) -> StartupRole:
    """Open a role and count it in its startup, if the startup has not changed since it was read; otherwise repeat."""
    startup = own_startup(db, caller, role.startup_id)
    if startup.open_roles >= MAX_OPEN_ROLES:
        raise Conflict(f"a startup has at most {MAX_OPEN_ROLES} open roles")
    listed = {"is_open": True, "is_listed": startup.is_listed}
    is_closed = fields.of(StartupRole.is_open).one_of(False)
    already_open = Conflict(f"role {role.role_id} is already open", "isOpen")
    target = RoleById(startup_id=role.startup_id, role_id=role.role_id)
    transact(
        db,
        active(caller, Role.FOUNDER),
        writes.Create(role.changed(**listed))
        if is_new
        else writes.Update(target, set=listed, when=is_closed, otherwise=already_open),
        writes.Update(startup, add={"open_roles": 1}),
        audit_entry(db, caller, "ROLE_OPENED", "STARTUP_ROLE", role.role_id),
    )
    return _role(db, role.startup_id, role.role_id)


def _role(db: Repository, startup_id: str, role_id: str) -> StartupRole:
    return require_found(db.run(RoleById(startup_id=startup_id, role_id=role_id)), f"role {role_id}")


@router.get("/startups/{startup_id}/roles")
def list_roles(db: Db, caller: CurrentCaller, startup_id: str) -> design.RolesOfStartup:
    """List the roles of a startup, open or closed."""
    read_startup(db, caller, startup_id)
    return design.RolesOfStartup(startup_id=startup_id)
