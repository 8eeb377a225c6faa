"""1. USER (24-52)."""

import unicodedata
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field

from tablewright import BatchGet, Find, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import Line, Text, Url, Words, main
from tablewright_systems.service.timestamped import Timestamped


class Role(StrEnum):
    """The role of a user (32)."""

    FOUNDER = "FOUNDER"
    TALENT = "TALENT"
    INVESTOR = "INVESTOR"
    ADMIN = "ADMIN"


class UserStatus(StrEnum):
    """Whether a user may act (39)."""

    ACTIVE = "ACTIVE"
    BANNED = "BANNED"
    PENDING_VERIFICATION = "PENDING_VERIFICATION"


class UserSubscriptionStatus(StrEnum):
    """The subscription's status, as copied to the user (41)."""

    NONE = "NONE"
    ACTIVE = "ACTIVE"
    CANCELLED = "CANCELLED"
    PAST_DUE = "PAST_DUE"


class Tier(StrEnum):
    """The tier of a subscription (42, 210)."""

    FREE = "FREE"
    PRO = "PRO"
    ENTERPRISE = "ENTERPRISE"


def normalised(email: str) -> str:
    """Return an e-mail address in the one form in which it is compared and unique.

    >>> normalised("  Ada@Example.ORG ")
    'ada@example.org'
    """
    return unicodedata.normalize("NFKC", email).strip().casefold()


Email = Annotated[
    str, AfterValidator(normalised), Field(max_length=320, pattern=r"^\s*[^@\s#]+@[^@\s#]+\.[^@\s#]+\s*$")
]


class User(
    Timestamped,
    table=main,
    type="USER",
    expect=fields.Expect(items=200_000, size=800, writes=fields.PerSecond(20)),
):
    """A user; listed under the role while active (T36)."""

    user_id: str
    email: Annotated[Email, fields.Unique()]
    email_as_given: str
    role: Role
    first_name: Line
    last_name: Line
    avatar_url: Url | None = None
    bio: Text | None = None
    skills: Words | None = None
    linkedin_url: Url | None = None
    status: UserStatus = UserStatus.PENDING_VERIFICATION
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
    """Get user by ID (270)."""

    user_id: str
    key = "PK = USER#{user_id}, SK = PROFILE"
    consistent = True


class UserByEmail(Find[User]):
    """Get user by email (271)."""

    email: Email
    key = "email = {email}"


class UsersByRole(Query[User]):
    """List users by role (272), active ones only."""

    role: Role
    key = "GSI1PK = ROLE#{role}"


class UsersByStatus(Query[User]):
    """List users by status (273)."""

    status: UserStatus
    key = "GSI2PK = STATUS#{status}"


class UsersById(BatchGet[User]):
    """Get several users: the participants of a conversation."""

    user_id: list[str]
    consistent = True


class TalentsWithSkill(Query[User]):
    """List talents that have a skill (T35): read by role, then filtered."""

    skill: str
    key = "GSI1PK = ROLE#TALENT"
    filter = "contains(skills, {skill})"
