"""Applications: one for each role and applicant, counted, with a fixed order of statuses."""

from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Application, ApplicationById, ApplicationStatus, Role
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.notifications import notify
from tablewright_systems.collabhub.service.permissions import (
    Text,
    Url,
    active,
    active_user,
    is_admin,
    own_startup,
)
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    require_found,
    transact,
    written,
)
from tablewright_systems.web import Actor, CurrentCaller, Db, PageRequest, Router, View, problems

router = Router("Applications", "Applications of talents for roles.")


class OwnApplication(View):
    """The id of the caller's application for a role, or null."""

    application_id: str | None


_LIVE = (ApplicationStatus.PENDING, ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED)
PREVIOUS_STATUSES = {
    ApplicationStatus.REVIEWING: (ApplicationStatus.PENDING,),
    ApplicationStatus.SHORTLISTED: (ApplicationStatus.REVIEWING,),
    ApplicationStatus.ACCEPTED: (ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED),
    ApplicationStatus.REJECTED: _LIVE,
    ApplicationStatus.WITHDRAWN: _LIVE,
}
"""From which statuses each status is reached (R40). Founders change the status; only applicants withdraw."""


@router.post("/startups/{startup_id}/roles/{role_id}/applications", status_code=201)
def apply(
    db: Db,
    caller: Actor,
    startup_id: str,
    role_id: str,
    cover_letter: Text,
    resume_url: Url | None = None,
) -> Application:
    """Apply for a role, once."""
    # The application and its count are one transaction.
    startup = require_found(db.run(design.StartupById(startup_id=startup_id)), f"startup {startup_id}")
    now = db.now()
    application = Application(
        application_id=fields.ulid(now.timestamp()),
        startup_id=startup_id,
        role_id=role_id,
        applicant_id=caller.user_id,
        created_at=now,
        cover_letter=cover_letter,
        resume_url=resume_url,
    )
    claim = design.ApplicationClaim(
        role_id=role_id, user_id=caller.user_id, application_id=application.application_id
    )
    is_open, is_listed = fields.of(design.StartupRole.is_open), fields.of(design.StartupRole.is_listed)
    _, created, *_ = transact(
        db,
        active(caller, Role.TALENT),
        writes.Create(application),
        writes.Create(claim, otherwise=Conflict("you have already applied for this role", "roleId")),
        writes.Update(
            _role_of(application),
            add={"applicant_count": 1},
            when=is_open.one_of(True) & is_listed.one_of(True),
            otherwise={
                errors.DoesNotExist: NotFound(f"role {role_id}"),
                errors.ConditionNotMet: Conflict("this role is not open for applications", "roleId"),
            },
        ),
        *_records(db, caller, application, startup.founder_id, "New application"),
    )
    return created


@router.put("/applications/{application_id}/status")
def change_status(
    db: Db,
    caller: Actor,
    application_id: str,
    status: Annotated[ApplicationStatus, Field(examples=["REVIEWING"])],
    notes: Text | None = None,
) -> Application:
    """Change the status of an application, as its founder."""
    # An accepted applicant joins the team.
    if status not in PREVIOUS_STATUSES or status == ApplicationStatus.WITHDRAWN:
        raise Invalid(f"a founder cannot set the status {status}", "status")
    application = _application(db, application_id)
    startup = own_startup(db, caller, application.startup_id)
    changes: dict[str, Any] = {"status": status} | ({"founder_notes": notes} if notes is not None else {})
    team = _team_writes(db, application) if status == ApplicationStatus.ACCEPTED else []
    return _set_status(db, caller, application, changes, startup, application.applicant_id, team)


@router.post("/applications/{application_id}/withdrawal")
def withdraw(db: Db, caller: Actor, application_id: str) -> Application:
    """Withdraw an application, as its applicant."""
    # It is not counted any more, and the applicant may apply again.
    application = _application(db, application_id)
    if application.applicant_id != caller.user_id:
        raise Forbidden("only the applicant may withdraw an application")
    startup = require_found(
        db.run(design.StartupById(startup_id=application.startup_id)), f"startup {application.startup_id}"
    )
    leaving: list[writes.Write] = [
        writes.Delete(design.ApplicationClaimOf(role_id=application.role_id, user_id=caller.user_id)),
        writes.Add(_role_of(application), applicant_count=-1),
    ]
    changes = {"status": ApplicationStatus.WITHDRAWN}
    done = _set_status(db, caller, application, changes, startup, startup.founder_id, leaving)
    return visible_to(caller, done)


@router.put("/applications/{application_id}/notes")
def write_notes(db: Db, caller: Actor, application_id: str, notes: Text | None) -> Application:
    """Change the private notes on an application, as its founder."""
    # The log has no copy of them.
    own_startup(db, caller, _application(db, application_id).startup_id)
    transact(
        db,
        active(caller),
        writes.Update(ApplicationById(application_id=application_id), set={"founder_notes": notes}),
        audit_entry(db, caller, "APPLICATION_NOTES_CHANGED", "APPLICATION", application_id),
    )
    return _application(db, application_id)


@router.get("/applications/{application_id}")
def read_application(db: Db, caller: CurrentCaller, application_id: str) -> Application:
    """Get an application."""
    application = _application(db, application_id)
    if application.applicant_id == caller.user_id:
        active_user(db, caller)
    elif not is_admin(db, caller):
        own_startup(db, caller, application.startup_id)
    return visible_to(caller, application)


@router.get("/startups/{startup_id}/roles/{role_id}/applications")
def list_for_role(
    db: Db,
    caller: CurrentCaller,
    startup_id: str,
    role_id: str,
    status: ApplicationStatus | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Application]:
    """List the applications for a role, in the order of the statuses, or those of one status."""
    own_startup(db, caller, startup_id)
    lists = [
        design.ApplicationsForRoleByStatus(startup_id=startup_id, role_id=role_id, status=one)
        for one in ([status] if status else ApplicationStatus)
    ]
    return paging.run(db, reads.Chained(lists))


@router.get("/startups/{startup_id}/applications")
def list_for_startup(
    db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Application]:
    """List all applications for a startup."""
    own_startup(db, caller, startup_id)
    roles = db.all(design.RolesOfStartup(startup_id=startup_id))
    lists = [design.ApplicationsForRole(startup_id=startup_id, role_id=role.role_id) for role in roles]
    return paging.run(db, reads.Chained(lists))


def visible_to(caller: Caller, application: Application) -> Application:
    """Return an application without the founder's notes, if the caller is its applicant (R28)."""
    is_own = application.applicant_id == caller.user_id
    return application.changed(founder_notes=None) if is_own else application


def _application(db: Repository, application_id: str) -> Application:
    application = db.run(ApplicationById(application_id=application_id))
    return require_found(application, f"application {application_id}")


def _role_of(application: Application) -> design.RoleById:
    return design.RoleById(startup_id=application.startup_id, role_id=application.role_id)


def _team_writes(db: Repository, application: Application) -> list[writes.Write]:
    """Return the writes that add an active applicant to the team (R27)."""
    role = require_found(db.run(_role_of(application)), f"role {application.role_id}")
    member = design.TeamMember(
        startup_id=application.startup_id,
        user_id=application.applicant_id,
        role_id=application.role_id,
        application_id=application.application_id,
        title=role.title,
    )
    is_active = design.User.status == design.UserStatus.ACTIVE
    inactive = Conflict("the applicant is not an active user", "applicantId")
    return [
        writes.Check(design.UserById(user_id=member.user_id), is_active, otherwise=inactive),
        writes.Create(
            member, otherwise=Conflict("the applicant is already a member of the team", "applicantId")
        ),
        writes.Add(design.StartupById(startup_id=application.startup_id), team_size=1),
    ]


def _set_status(
    db: Repository,
    caller: Caller,
    application: Application,
    changes: dict[str, Any],
    startup: design.Startup,
    recipient: str,
    more: list[writes.Write],
) -> Application:
    """Change the status, if the current one allows it, and notify the other side."""
    after: ApplicationStatus = changes["status"]
    before = " or ".join(PREVIOUS_STATUSES[after])
    not_allowed = Conflict(f"the application must be {before} to become {after}", "status")
    done = transact(
        db,
        active(caller),
        writes.Update(
            ApplicationById(application_id=application.application_id),
            set=changes,
            when=fields.of(Application.status).one_of(*PREVIOUS_STATUSES[after]),
            otherwise={errors.ConditionNotMet: not_allowed},
        ),
        *more,
        *_records(db, caller, application.changed(**changes), recipient, f"{startup.name}: {after}"),
    )
    return written(done, Application)


def _records(
    db: Repository, caller: Caller, application: Application, recipient: str, title: str
) -> list[writes.Write]:
    """Return the writes of the notification and the audit entry."""
    about = ("APPLICATION", application.application_id)
    body = f"The application is {application.status}."
    return [
        *notify(db, recipient, design.NotificationType.APPLICATION_UPDATE, title, body, about),
        audit_entry(db, caller, f"APPLICATION_{application.status}", *about),
    ]


@router.get("/roles/{role_id}/own-application", responses=problems())
def own_application_id(db: Db, caller: CurrentCaller, role_id: str) -> OwnApplication:
    """Get the id of the caller's application for a role."""
    claim = db.run(design.ApplicationClaimOf(role_id=role_id, user_id=caller.user_id))
    return OwnApplication(application_id=claim.application_id if claim else None)


@router.get("/applications")
def list_mine(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Application]:
    """List the caller's applications, newest first."""
    page = paging.run(db, design.ApplicationsByUser(user_id=caller.user_id))
    return page.map(lambda application: visible_to(caller, application))
