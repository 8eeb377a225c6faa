"""Startups and roles."""

from typing import Annotated

from fastapi import Query

from tablewright import fields
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Startup, StartupRole, StartupStatus, Visibility
from tablewright_systems.collabhub.service import roles, startup_views, startups
from tablewright_systems.collabhub.service.roles import RoleDraft
from tablewright_systems.collabhub.service.startup_views import StartupCard, StartupDetails
from tablewright_systems.collabhub.service.startups import StartupChanges, StartupDraft
from tablewright_systems.web import (
    Actor,
    Body,
    CurrentCaller,
    Db,
    ExpectedVersion,
    PageReply,
    PageRequest,
    Router,
    problems,
)

router = Router("Startups", "Startups, their review and their teams.")


class NewVisibility(Body):
    """The new visibility of a startup."""

    visibility: Visibility


@router.post("/startups", status_code=201)
def create_startup(db: Db, actor: Actor, draft: StartupDraft) -> Startup:
    """Create a startup as a draft."""
    return startups.create_startup(db, actor, draft)


@router.get("/startups")
def list_public(
    db: Db, caller: CurrentCaller, paging: PageRequest, industry: str | None = None
) -> PageReply[StartupCard]:
    """List the public startups, newest first."""
    return PageReply.of(startup_views.list_public(db, caller, industry, paging))


@router.get("/startups/for-investors")
def list_for_investors(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[StartupCard]:
    """List the startups that are visible to investors only."""
    return PageReply.of(startup_views.list_for_investors(db, caller, paging))


@router.get("/founders/{founder_id}/startups", responses=problems())
def list_of_founder(
    db: Db, caller: CurrentCaller, founder_id: str, paging: PageRequest
) -> PageReply[StartupCard]:
    """List the startups of a founder."""
    return PageReply.of(startup_views.list_of_founder(db, caller, founder_id, paging))


@router.get("/admin/startups")
def list_by_status(
    db: Db, caller: CurrentCaller, status: StartupStatus, paging: PageRequest
) -> PageReply[StartupCard]:
    """List startups by status: the review queue. For administrators."""
    return PageReply.of(startup_views.list_by_status(db, caller, status, paging))


@router.get("/startups/{startup_id}")
def read_startup(db: Db, caller: CurrentCaller, startup_id: str) -> Startup:
    """Get a startup, as far as the caller may see it."""
    return startup_views.read_startup(db, caller, startup_id)


@router.get("/startups/{startup_id}/sheet")
def read_details(db: Db, caller: CurrentCaller, startup_id: str) -> StartupDetails:
    """Get a startup with all its roles."""
    return startup_views.read_details(db, caller, startup_id)


@router.patch("/startups/{startup_id}")
def edit_startup(
    db: Db, actor: Actor, startup_id: str, version: ExpectedVersion, changes: StartupChanges
) -> Startup:
    """Change a startup."""
    return startups.edit_startup(db, actor, startup_id, changes, version)


@router.put("/startups/{startup_id}/visibility")
def set_visibility(
    db: Db, actor: Actor, startup_id: str, version: ExpectedVersion, body: NewVisibility
) -> Startup:
    """Change who may see a startup."""
    return startups.set_visibility(db, actor, startup_id, body.visibility, version)


@router.post("/startups/{startup_id}/submission")
def submit(db: Db, actor: Actor, startup_id: str, version: ExpectedVersion) -> Startup:
    """Submit a draft for review."""
    return startups.submit(db, actor, startup_id, version)


@router.post("/startups/{startup_id}/approval")
def approve(db: Db, actor: Actor, startup_id: str, version: ExpectedVersion) -> Startup:
    """Approve a startup. For administrators."""
    return startups.approve(db, actor, startup_id, version)


@router.post("/startups/{startup_id}/return")
def return_to_draft(db: Db, actor: Actor, startup_id: str, version: ExpectedVersion) -> Startup:
    """Return a startup to its founder for changes. For administrators."""
    return startups.return_to_draft(db, actor, startup_id, version)


@router.post("/startups/{startup_id}/suspension")
def suspend(db: Db, actor: Actor, startup_id: str, version: ExpectedVersion) -> Startup:
    """Suspend a startup. For administrators."""
    return startups.suspend(db, actor, startup_id, version)


@router.get("/startups/{startup_id}/team")
def list_team(
    db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest
) -> PageReply[design.TeamMember]:
    """List the team of a startup."""
    startup_views.read_startup(db, caller, startup_id)
    return PageReply.of(paging.run(db, design.TeamOf(startup_id=startup_id)))


@router.get("/roles", tags=["Roles"])
def browse_open_roles(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    start: Annotated[fields.Timestamp | None, Query(description="Created at or after this time.")] = None,
    end: Annotated[fields.Timestamp | None, Query(description="Created at or before this time.")] = None,
) -> PageReply[StartupRole]:
    """List the open roles of all startups, newest first, or those of a time range."""
    return PageReply.of(roles.browse_open_roles(db, caller, start, end, paging))


@router.post("/startups/{startup_id}/roles", status_code=201, tags=["Roles"])
def open_role(db: Db, actor: Actor, startup_id: str, draft: RoleDraft) -> StartupRole:
    """Open a role."""
    return roles.open_role(db, actor, startup_id, draft)


@router.get("/startups/{startup_id}/roles", tags=["Roles"])
def list_roles(db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest) -> PageReply[StartupRole]:
    """List the roles of a startup, open or closed."""
    startup_views.read_startup(db, caller, startup_id)
    return PageReply.of(paging.run(db, design.RolesOfStartup(startup_id=startup_id)))


@router.get("/startups/{startup_id}/roles/{role_id}", tags=["Roles"])
def read_role(db: Db, caller: CurrentCaller, startup_id: str, role_id: str) -> StartupRole:
    """Get a role."""
    return roles.read_role(db, caller, startup_id, role_id)


@router.post("/startups/{startup_id}/roles/{role_id}/closing", tags=["Roles"])
def close_role(db: Db, actor: Actor, startup_id: str, role_id: str) -> StartupRole:
    """Close a role."""
    return roles.close_role(db, actor, startup_id, role_id)


@router.post("/startups/{startup_id}/roles/{role_id}/reopening", tags=["Roles"])
def reopen_role(db: Db, actor: Actor, startup_id: str, role_id: str) -> StartupRole:
    """Open a closed role again."""
    return roles.reopen_role(db, actor, startup_id, role_id)
