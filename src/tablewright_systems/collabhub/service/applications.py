"""Applications (111-133): one for each role and applicant, counted, with a fixed order of statuses."""

from typing import Any

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub.design.applications import (
    Application,
    ApplicationById,
    ApplicationClaim,
    ApplicationClaimOf,
    ApplicationsByUser,
    ApplicationsForRole,
    ApplicationsForRoleByStatus,
    ApplicationStatus,
)
from tablewright_systems.collabhub.design.notifications import NotificationType
from tablewright_systems.collabhub.design.startups import (
    RoleById,
    RolesOfStartup,
    Startup,
    StartupById,
    StartupRole,
    TeamMember,
)
from tablewright_systems.collabhub.design.tables import Text, Url
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    is_admin,
    own_startup,
    own_startup_of_active_founder,
    require_found,
    transact_as,
    written_entity,
)
from tablewright_systems.collabhub.service.notifications import notification_write
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body

_LIVE = (ApplicationStatus.PENDING, ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED)
PREVIOUS_STATUSES = {
    ApplicationStatus.REVIEWING: (ApplicationStatus.PENDING,),
    ApplicationStatus.SHORTLISTED: (ApplicationStatus.REVIEWING,),
    ApplicationStatus.ACCEPTED: (ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED),
    ApplicationStatus.REJECTED: _LIVE,
    ApplicationStatus.WITHDRAWN: _LIVE,
}
"""From which statuses each status is reached (T40). Founders change the status; only applicants withdraw."""


class ApplicationDraft(Body):
    """A new application."""

    cover_letter: Text
    resume_url: Url | None = None


def apply(
    db: Repository, caller: Caller, startup_id: str, role_id: str, draft: ApplicationDraft
) -> Application:
    """Apply for a role that is open and listed, once; the application and its count are one transaction."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    now = db.now()
    application = Application(
        application_id=new_ulid(now),
        startup_id=startup_id,
        role_id=role_id,
        applicant_id=caller.user_id,
        created_at=now,
        **draft.model_dump(),
    )
    claim = ApplicationClaim(
        role_id=role_id, user_id=caller.user_id, application_id=application.application_id
    )
    is_offered = fields.of(StartupRole.is_open).one_of(True) & fields.of(StartupRole.is_listed).one_of(True)
    try:
        done = transact_as(
            db,
            caller,
            writes.Create(application),
            writes.Create(claim),
            writes.Update(
                RoleById(startup_id=startup_id, role_id=role_id), add={"applicant_count": 1}, when=is_offered
            ),
            _notification(db, startup.founder_id, application, "New application"),
            _audit(db, caller, application),
            role=Role.TALENT,
        )
    except errors.AlreadyExists as error:
        raise Conflict("you have already applied for this role", "roleId") from error
    except errors.DoesNotExist as error:
        raise NotFound(f"role {role_id}") from error
    except errors.ConditionNotMet as error:
        raise Conflict("this role is not open for applications", "roleId") from error
    return written_entity(Application, done[0])


def change_status(
    db: Repository, caller: Caller, application_id: str, status: ApplicationStatus, notes: str | None = None
) -> Application:
    """Change the status of an application, as the founder; an accepted applicant joins the team."""
    if status not in PREVIOUS_STATUSES or status == ApplicationStatus.WITHDRAWN:
        raise Invalid(f"a founder cannot set the status {status}", "status")
    application = _application(db, application_id)
    startup = own_startup(db, caller, application.startup_id)
    changes: dict[str, Any] = {"status": status} | ({"founder_notes": notes} if notes is not None else {})
    team = _team_writes(db, application) if status == ApplicationStatus.ACCEPTED else []
    try:
        return _set_status(db, caller, application, changes, startup, application.applicant_id, team)
    except errors.AlreadyExists as error:
        raise Conflict("the applicant is already a member of the team", "applicantId") from error


def withdraw(db: Repository, caller: Caller, application_id: str) -> Application:
    """Withdraw an application, as the applicant. It is not counted any more, and the applicant may apply again."""
    application = _application(db, application_id)
    if application.applicant_id != caller.user_id:
        raise Forbidden("only the applicant may withdraw an application")
    startup = require_found(
        db.run(StartupById(startup_id=application.startup_id)), f"startup {application.startup_id}"
    )
    leaving: list[writes.Write] = [
        writes.Delete(ApplicationClaimOf(role_id=application.role_id, user_id=caller.user_id)),
        writes.Add(_role_of(application), applicant_count=-1),
    ]
    changes = {"status": ApplicationStatus.WITHDRAWN}
    return visible_to(
        caller, _set_status(db, caller, application, changes, startup, startup.founder_id, leaving)
    )


def write_notes(db: Repository, caller: Caller, application_id: str, notes: str | None) -> Application:
    """Change the founder's private notes on an application."""
    own_startup(db, caller, _application(db, application_id).startup_id)
    target = ApplicationById(application_id=application_id)
    transact_as(db, caller, writes.Update(target, set={"founder_notes": notes}))
    return _application(db, application_id)


def read_application(db: Repository, caller: Caller, application_id: str) -> Application:
    """Return an application, for its applicant (without the founder's notes), the founder, and administrators."""
    application = _application(db, application_id)
    if application.applicant_id == caller.user_id or is_admin(db, caller):
        return visible_to(caller, application)
    own_startup_of_active_founder(db, caller, application.startup_id)
    return application


def own_application_id(db: Repository, caller: Caller, role_id: str) -> str | None:
    """Return the id of the caller's application for a role, or None if there is none or it was withdrawn."""
    claim = db.run(ApplicationClaimOf(role_id=role_id, user_id=caller.user_id))
    return None if claim is None else claim.application_id


def list_mine(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Application]:
    """List the caller's applications, newest first."""
    found = paging.run(db, ApplicationsByUser(user_id=caller.user_id))
    return found.map(lambda each: visible_to(caller, each))


def list_for_role(
    db: Repository,
    caller: Caller,
    startup_id: str,
    role_id: str,
    status: ApplicationStatus | None = None,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[Application]:
    """List the applications for a role: of one status, oldest first; or all, in the order of the statuses."""
    own_startup_of_active_founder(db, caller, startup_id)
    if status is not None:
        one = ApplicationsForRoleByStatus(startup_id=startup_id, role_id=role_id, status=status)
        return paging.run(db, one)
    lists = [
        ApplicationsForRoleByStatus(startup_id=startup_id, role_id=role_id, status=each)
        for each in ApplicationStatus
    ]
    return paging.run(db, reads.Chained(lists))


def list_for_startup(
    db: Repository, caller: Caller, startup_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Application]:
    """List all applications for a startup, role by role (T16)."""
    own_startup_of_active_founder(db, caller, startup_id)
    roles = db.all(RolesOfStartup(startup_id=startup_id))
    lists = [ApplicationsForRole(startup_id=startup_id, role_id=role.role_id) for role in roles]
    return paging.run(db, reads.Chained(lists))


def visible_to(caller: Caller, application: Application) -> Application:
    """Return an application without the founder's notes, if the caller is its applicant (T28)."""
    return (
        application.changed(founder_notes=None) if application.applicant_id == caller.user_id else application
    )


def _application(db: Repository, application_id: str) -> Application:
    return require_found(
        db.run(ApplicationById(application_id=application_id)), f"application {application_id}"
    )


def _role_of(application: Application) -> RoleById:
    return RoleById(startup_id=application.startup_id, role_id=application.role_id)


def _team_writes(db: Repository, application: Application) -> list[writes.Write]:
    """Return the writes that add an applicant to the team (T27)."""
    role = require_found(db.run(_role_of(application)), f"role {application.role_id}")
    member = TeamMember(
        startup_id=application.startup_id,
        user_id=application.applicant_id,
        role_id=application.role_id,
        application_id=application.application_id,
        title=role.title,
    )
    return [
        writes.Create(member),
        writes.Add(StartupById(startup_id=application.startup_id), team_size=1),
    ]


def _set_status(
    db: Repository,
    caller: Caller,
    application: Application,
    changes: dict[str, Any],
    startup: Startup,
    recipient: str,
    more: list[writes.Write],
) -> Application:
    """Change the status, if the current one allows it, and notify the other side."""
    after: ApplicationStatus = changes["status"]
    changed = application.changed(**changes)
    try:
        done = transact_as(
            db,
            caller,
            writes.Update(
                ApplicationById(application_id=application.application_id),
                set=changes,
                when=fields.of(Application.status).one_of(*PREVIOUS_STATUSES[after]),
            ),
            *more,
            _notification(db, recipient, changed, f"{startup.name}: {after}"),
            _audit(db, caller, changed),
        )
    except errors.ConditionNotMet as error:
        raise Conflict(f"the application's current status does not allow {after}", "status") from error
    return written_entity(Application, done[0])


def _notification(db: Repository, user_id: str, application: Application, title: str) -> writes.Write:
    about = ("APPLICATION", application.application_id)
    body = f"The application is {application.status}."
    return notification_write(db, user_id, NotificationType.APPLICATION_UPDATE, title, body, about)


def _audit(db: Repository, caller: Caller, application: Application) -> writes.Write:
    action = f"APPLICATION_{application.status}"
    return audit_write(db, caller, action, "APPLICATION", application.application_id)
