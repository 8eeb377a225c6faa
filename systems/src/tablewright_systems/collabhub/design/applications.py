"""Applications for roles."""

from enum import StrEnum

from tablewright import Entity, Get, Keys, Query, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import Timestamped


class ApplicationStatus(StrEnum):
    """The statuses of an application, in their order."""

    PENDING = "PENDING"
    REVIEWING = "REVIEWING"
    SHORTLISTED = "SHORTLISTED"
    ACCEPTED = "ACCEPTED"
    REJECTED = "REJECTED"
    WITHDRAWN = "WITHDRAWN"


class Application(
    Timestamped,
    table=main,
    type="APPLICATION",
    expect=fields.Expect(items=1_000_000, size=2_500, writes=fields.PerSecond(50)),
):
    """An application for a role."""

    application_id: str = fields.new_id()
    startup_id: str
    role_id: str
    applicant_id: str
    cover_letter: str
    resume_url: str | None = None
    status: ApplicationStatus = ApplicationStatus.PENDING
    founder_notes: str | None = None

    keys = Keys(
        primary=("APPLICATION#{application_id}", "METADATA"),
        GSI1=("APPLICANT#{applicant_id}", "APPLICATION#{application_id}"),
        GSI2=("STARTUP#{startup_id}#ROLE#{role_id}", "STATUS#{status}#{created_at}#{application_id}"),
        GSI3=("APPLICATION#{created_at:%Y-%m}", "{created_at}#{application_id}"),
    )


class ApplicationClaim(Entity, table=main, type="APPLICATION_CLAIM"):
    """Marks that a user has applied for a role; added (R14). Deleted when the application is withdrawn."""

    role_id: str
    user_id: str
    application_id: str
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("APPLY#{role_id}#{user_id}", "APPLY"))


class ApplicationById(Get[Application]):
    """Get application by ID (A10)."""

    application_id: str
    key = "PK = APPLICATION#{application_id}, SK = METADATA"
    consistent = True


class ApplicationsByUser(Query[Application]):
    """List applications by user (A11), newest first."""

    user_id: str
    key = "GSI1PK = APPLICANT#{user_id}"
    descending = True


class ApplicationsForRole(Query[Application]):
    """List applications for role (A12), grouped by the names of the statuses (R12)."""

    startup_id: str
    role_id: str
    key = "GSI2PK = STARTUP#{startup_id}#ROLE#{role_id}"


class ApplicationsForRoleByStatus(Query[Application]):
    """List applications for role by status (A26), oldest first."""

    startup_id: str
    role_id: str
    status: ApplicationStatus
    key = "GSI2PK = STARTUP#{startup_id}#ROLE#{role_id}, begins_with(GSI2SK, STATUS#{status}#)"


class ApplicationClaimOf(Get[ApplicationClaim]):
    """Get a user's claim for a role."""

    role_id: str
    user_id: str
    consistent = True
