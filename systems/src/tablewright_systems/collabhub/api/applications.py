"""Applications for roles."""

from pydantic import Field

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Application, ApplicationStatus
from tablewright_systems.collabhub.service import applications
from tablewright_systems.collabhub.service.applications import ApplicationDraft
from tablewright_systems.collabhub.service.inputs import Text
from tablewright_systems.web import (
    Actor,
    Body,
    CurrentCaller,
    Db,
    PageReply,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Applications", "Applications of talents for roles.")


class StatusChange(Body):
    """The new status of an application; the notes are private to the founder."""

    status: ApplicationStatus = Field(examples=["REVIEWING"])
    notes: Text | None = None


class Notes(Body):
    """The founder's private notes; null deletes them."""

    notes: Text | None


class OwnApplication(View):
    """The id of the caller's application for a role, or null."""

    application_id: str | None


@router.post("/startups/{startup_id}/roles/{role_id}/applications", status_code=201)
def apply(db: Db, actor: Actor, startup_id: str, role_id: str, draft: ApplicationDraft) -> Application:
    """Apply for a role, once."""
    return applications.apply(db, actor, startup_id, role_id, draft)


@router.get("/startups/{startup_id}/roles/{role_id}/applications")
def list_for_role(
    db: Db,
    caller: CurrentCaller,
    startup_id: str,
    role_id: str,
    paging: PageRequest,
    status: ApplicationStatus | None = None,
) -> PageReply[Application]:
    """List the applications for a role, in the order of the statuses, or those of one status."""
    found = applications.list_for_role(db, caller, startup_id, role_id, status, paging)
    return PageReply.of(found)


@router.get("/roles/{role_id}/own-application", responses=problems())
def own_application_id(db: Db, caller: CurrentCaller, role_id: str) -> OwnApplication:
    """Get the id of the caller's application for a role."""
    claim = db.run(design.ApplicationClaimOf(role_id=role_id, user_id=caller.user_id))
    return OwnApplication(application_id=claim.application_id if claim else None)


@router.get("/startups/{startup_id}/applications")
def list_for_startup(
    db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest
) -> PageReply[Application]:
    """List all applications for a startup."""
    return PageReply.of(applications.list_for_startup(db, caller, startup_id, paging))


@router.get("/applications")
def list_mine(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Application]:
    """List the caller's applications, newest first."""
    found = paging.run(db, design.ApplicationsByUser(user_id=caller.user_id))
    return PageReply.map(found, lambda each: applications.visible_to(caller, each))


@router.get("/applications/{application_id}")
def read_application(db: Db, caller: CurrentCaller, application_id: str) -> Application:
    """Get an application."""
    return applications.read_application(db, caller, application_id)


@router.put("/applications/{application_id}/status")
def change_status(db: Db, actor: Actor, application_id: str, change: StatusChange) -> Application:
    """Change the status of an application, as its founder."""
    return applications.change_status(db, actor, application_id, change.status, change.notes)


@router.post("/applications/{application_id}/withdrawal")
def withdraw(db: Db, actor: Actor, application_id: str) -> Application:
    """Withdraw an application, as its applicant."""
    return applications.withdraw(db, actor, application_id)


@router.put("/applications/{application_id}/notes")
def write_notes(db: Db, actor: Actor, application_id: str, body: Notes) -> Application:
    """Change the private notes on an application, as its founder."""
    return applications.write_notes(db, actor, application_id, body.notes)
