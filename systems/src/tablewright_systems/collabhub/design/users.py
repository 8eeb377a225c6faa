"""Users: their entity, lists and lookups."""

from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator

from tablewright import BatchGet, Find, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import Timestamped, fold_email


class Role(StrEnum):
    """The role of a user."""

    FOUNDER = "FOUNDER"
    TALENT = "TALENT"
    INVESTOR = "INVESTOR"
    ADMIN = "ADMIN"


class UserStatus(StrEnum):
    """Whether a user may act."""

    ACTIVE = "ACTIVE"
    BANNED = "BANNED"
    PENDING_VERIFICATION = "PENDING_VERIFICATION"


class UserSubscriptionStatus(StrEnum):
    """The subscription's status, as copied to the user."""

    NONE = "NONE"
    ACTIVE = "ACTIVE"
    CANCELLED = "CANCELLED"
    PAST_DUE = "PAST_DUE"


class Tier(StrEnum):
    """The tier of a subscription."""

    FREE = "FREE"
    PRO = "PRO"
    ENTERPRISE = "ENTERPRISE"


Email = Annotated[str, AfterValidator(fold_email)]
"""An e-mail address in the one form in which it is stored, compared and unique (R9)."""


class User(
    Timestamped,
    table=main,
    type="USER",
    expect=fields.Expect(items=200_000, size=800, writes=fields.PerSecond(20)),
):
    """A user; listed under the role while active (R36)."""

    suppress: ClassVar = {"TW402": "the service limits it; longer lists of other programs stay readable"}

    user_id: str
    email: Annotated[Email, fields.Unique()]
    email_as_given: str | None = None
    """Added: the address as the token has it."""
    is_email_verified: bool = False
    """Added: whether the token of the sign-up had verified the address."""
    role: Role
    first_name: str
    last_name: str
    avatar_url: str | None = None
    bio: str | None = None
    skills: list[str] | None = None
    linkedin_url: str | None = None
    status: UserStatus = UserStatus.PENDING_VERIFICATION
    status_before_ban: UserStatus | None = None
    """Added: the status that the end of a ban restores."""
    stripe_customer_id: Annotated[str | None, fields.Unique()] = None
    subscription_status: UserSubscriptionStatus = UserSubscriptionStatus.NONE
    subscription_tier: Tier = Tier.FREE

    keys = Keys(
        primary=("USER#{user_id}", "PROFILE"),
        GSI1=Sparse("ROLE#{role}", "USER#{user_id}", when={"status": UserStatus.ACTIVE}),
        GSI2=("STATUS#{status}", "USER#{user_id}"),
        GSI3=("USER#{created_at:%Y-%m}", "{created_at}#{user_id}"),
        GSI4="{email}",
    )


class UserById(Get[User]):
    """Get user by ID (A1)."""

    user_id: str
    key = "PK = USER#{user_id}, SK = PROFILE"
    consistent = True


class UserByEmail(Find[User]):
    """Get user by email (A2)."""

    email: Email
    key = "email = {email}"


class UsersByRole(Query[User]):
    """List users by role (A3), active ones only."""

    role: Role
    key = "GSI1PK = ROLE#{role}"


class UsersByStatus(Query[User]):
    """List users by status (A4)."""

    status: UserStatus
    key = "GSI2PK = STATUS#{status}"


class UsersById(BatchGet[User]):
    """Get several users: the participants of a conversation."""

    user_id: list[str]
    consistent = True


class TalentsWithSkill(Query[User]):
    """List talents that have a skill (R35): read by role, then filtered."""

    skill: str
    key = "GSI1PK = ROLE#TALENT"
    filter = "contains(skills, {skill})"
