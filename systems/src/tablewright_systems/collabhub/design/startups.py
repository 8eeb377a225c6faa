"""Startups, their roles, and the team."""

from decimal import Decimal
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field, PlainSerializer

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import Timestamped

ROLE_SHARDS = 4
"""Over how many partitions the open roles are spread (R5)."""

MAX_OPEN_ROLES = 90
"""The maximum for which one transaction can change a startup and all its open roles (R5)."""

Number = Annotated[Decimal, PlainSerializer(float, return_type=float, when_used="json")]
"""A decimal in the store, and a number in JSON."""


class Stage(StrEnum):
    """The stage of a startup."""

    IDEA = "IDEA"
    MVP = "MVP"
    GROWTH = "GROWTH"
    SCALE = "SCALE"


class Visibility(StrEnum):
    """Who may see a startup."""

    PUBLIC = "PUBLIC"
    PRIVATE = "PRIVATE"
    INVESTORS_ONLY = "INVESTORS_ONLY"


class StartupStatus(StrEnum):
    """From draft to public."""

    DRAFT = "DRAFT"
    PENDING_REVIEW = "PENDING_REVIEW"
    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"


class RoleType(StrEnum):
    """The kind of employment."""

    FULL_TIME = "FULL_TIME"
    PART_TIME = "PART_TIME"
    CONTRACT = "CONTRACT"
    EQUITY_ONLY = "EQUITY_ONLY"


class Startup(
    Timestamped,
    table=main,
    type="STARTUP",
    expect=fields.Expect(items=20_000, size=3_000, writes=fields.PerSecond(5)),
):
    """A startup; `open_roles` and `version` are added: with them, its roles follow it safely (R5)."""

    suppress: ClassVar = {"TW402": "the service limits it; longer lists of other programs stay readable"}

    startup_id: str = fields.new_id()
    founder_id: str
    name: str
    tagline: str
    description: str
    industry: str
    stage: Stage
    funding_goal: Number | None = None
    funding_raised: Number | None = None
    logo_url: str | None = None
    website_url: str | None = None
    pitch_deck_url: str | None = None
    visibility: Visibility = Visibility.PUBLIC
    status: StartupStatus = StartupStatus.DRAFT
    team_size: Annotated[int, fields.Counter()] = 1
    location: str
    tags: list[str] = Field(default_factory=list)
    open_roles: Annotated[int, fields.Counter()] = 0
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(
        primary=("STARTUP#{startup_id}", "METADATA"),
        GSI1=("FOUNDER#{founder_id}", "STARTUP#{startup_id}"),
        GSI2=("VISIBILITY#{visibility}#STATUS#{status}", "STARTUP#{startup_id}"),
        GSI3=("STARTUP#{created_at:%Y-%m}", "{created_at}#{startup_id}"),
    )

    @property
    def is_listed(self) -> bool:
        """Whether all users find it, and its open roles with it."""
        return self.visibility == Visibility.PUBLIC and self.status == StartupStatus.ACTIVE


class StartupRole(
    Timestamped,
    table=main,
    type="STARTUP_ROLE",
    expect=fields.Expect(items=60_000, size=1_500, writes=fields.PerSecond(20)),
):
    """A position (R27); among the open roles while it is open and its startup is listed (R5)."""

    suppress: ClassVar = {"TW402": "the service limits it; longer lists of other programs stay readable"}

    role_id: str = fields.new_id()
    startup_id: str
    title: str
    description: str
    type: RoleType
    compensation: str | None = None
    equity_range: str | None = None
    skills: list[str] = Field(default_factory=list)
    is_open: bool = True
    is_listed: bool = False
    applicant_count: Annotated[int, fields.Counter()] = 0

    keys = Keys(
        primary=("STARTUP#{startup_id}", "ROLE#{role_id}"),
        GSI1=Sparse(
            f"OPEN_ROLES#{{role_id:shard({ROLE_SHARDS})}}", "{created_at}#{role_id}", when="is_listed"
        ),
        GSI3=("STARTUP_ROLE#{created_at:%Y-%m}", "{created_at}#{role_id}"),
    )


class TeamMember(Entity, table=main, type="TEAM_MEMBER"):
    """A user whose application was accepted; added (R27)."""

    startup_id: str
    user_id: str
    role_id: str
    application_id: str
    title: str
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("STARTUP#{startup_id}", "MEMBER#{user_id}"))


class StartupById(Get[Startup]):
    """Get startup by ID (A5)."""

    startup_id: str
    key = "PK = STARTUP#{startup_id}, SK = METADATA"
    consistent = True


class StartupsByFounder(Query[Startup]):
    """List startups by founder (A6), newest first."""

    founder_id: str
    key = "GSI1PK = FOUNDER#{founder_id}"
    descending = True


class PublicStartups(Query[Startup]):
    """List public startups (A7), newest first."""

    key = "GSI2PK = VISIBILITY#PUBLIC#STATUS#ACTIVE"
    descending = True


class StartupsByVisibility(Query[Startup]):
    """List startups by visibility and status (A25): for investors, and for review."""

    visibility: Visibility
    status: StartupStatus
    key = "GSI2PK = VISIBILITY#{visibility}#STATUS#{status}"
    descending = True


class PublicStartupsIn(Query[Startup]):
    """List public startups of an industry (R35): all public ones are read, then filtered."""

    suppress: ClassVar = {"TW304": "the document has no index by industry; pages are filled after the filter"}

    industry: str
    key = "GSI2PK = VISIBILITY#PUBLIC#STATUS#ACTIVE"
    filter = "industry = {industry}"
    descending = True


class RoleById(Get[StartupRole]):
    """Get a role of a startup (A31)."""

    startup_id: str
    role_id: str
    key = "PK = STARTUP#{startup_id}, SK = ROLE#{role_id}"
    consistent = True


class RolesOfStartup(Query[StartupRole]):
    """List startup roles (A8)."""

    startup_id: str
    key = "PK = STARTUP#{startup_id}, SK begins_with ROLE#"
    consistent = True


class StartupWithRoles(Query[Startup | StartupRole]):
    """Get a startup and all its roles, in one read (A32)."""

    suppress: ClassVar = {"TW109": "grants (GRANT#) and members (MEMBER#) sort before METADATA"}

    startup_id: str
    key = "PK = STARTUP#{startup_id} AND SK BETWEEN METADATA AND ROLE#~"


class OpenRoles(Query[StartupRole]):
    """List open roles (A9), newest first, of one shard."""

    shard: int
    key = "GSI1PK = OPEN_ROLES#{shard}"
    descending = True


class OpenRolesBetween(Query[StartupRole]):
    """List open roles by date range (A29), newest first, of one shard."""

    shard: int
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI1PK = OPEN_ROLES#{shard} AND GSI1SK BETWEEN {start} AND {end}#~"
    descending = True


class TeamOf(Query[TeamMember]):
    """List the team of a startup."""

    startup_id: str
    key = "PK = STARTUP#{startup_id}, SK begins_with MEMBER#"


class MemberOf(Get[TeamMember]):
    """Get a member of a startup's team."""

    startup_id: str
    user_id: str
    consistent = True


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
