"""Users: their entity, lists and lookups."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import AfterValidator

from tablewright import BatchGet, Entity, Find, Get, Keys, Query, Sparse, fields
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


class SubscriptionStatus(StrEnum):
    """The status of a subscription."""

    ACTIVE = "ACTIVE"
    CANCELLED = "CANCELLED"
    PAST_DUE = "PAST_DUE"
    TRIALING = "TRIALING"


class EventOutcome(StrEnum):
    """How an event was handled."""

    APPLIED = "APPLIED"
    STALE = "STALE"
    DUPLICATE = "DUPLICATE"
    IGNORED = "IGNORED"


class Subscription(
    Timestamped,
    table=main,
    type="SUBSCRIPTION",
    expect=fields.Expect(items=50_000, size=600, writes=fields.PerSecond(10)),
):
    """The subscription of a user. A user who never paid has none: FREE needs no item (R24)."""

    suppress: ClassVar = {"TW307": "User.stripe_customer_id is unique, and written in the same transaction"}

    user_id: str
    stripe_customer_id: str
    stripe_subscription_id: str
    stripe_price_id: str
    tier: Tier
    status: SubscriptionStatus
    current_period_start: fields.Timestamp
    current_period_end: fields.Timestamp
    cancel_at_period_end: bool = False
    last_event: str = ""
    """The time and rank of the last applied event: older events are not applied (R22)."""

    keys = Keys(
        primary=("USER#{user_id}", "SUBSCRIPTION"),
        GSI1=("STRIPE_CUSTOMER#{stripe_customer_id}", "SUBSCRIPTION"),
        GSI2=("SUBSCRIPTION_STATUS#{status}", "USER#{user_id}"),
        GSI3=("SUBSCRIPTION#{created_at:%Y-%m}", "{created_at}#{user_id}"),
        GSI5=Sparse("DUE#SUBSCRIPTION", "{current_period_end}#{user_id}", when="cancel_at_period_end"),
    )


class StripeEvent(Entity, table=main, type="STRIPE_EVENT", writes={"create"}):
    """Marks that an event was received, so that it is not applied twice; added (R22)."""

    event_id: str
    type: str = ""
    outcome: EventOutcome
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=60), of="created_at")] = None

    keys = Keys(primary=("STRIPE_EVENT#{event_id}", "EVENT"))


class SubscriptionOfUser(Get[Subscription]):
    """Get subscription (A19)."""

    user_id: str
    key = "PK = USER#{user_id}, SK = SUBSCRIPTION"
    consistent = True


class SubscriptionByCustomer(Find[Subscription]):
    """Find by Stripe customer (A20)."""

    customer_id: str
    key = "GSI1PK = STRIPE_CUSTOMER#{customer_id}"


class SubscriptionsByStatus(Query[Subscription]):
    """List subscriptions by status (A28)."""

    status: SubscriptionStatus
    key = "GSI2PK = SUBSCRIPTION_STATUS#{status}"


class SubscriptionsDue(Query[Subscription]):
    """List cancelled subscriptions whose period has ended by a time, the earliest first; ended ones leave the list."""

    until: fields.Timestamp
    key = "GSI5PK = DUE#SUBSCRIPTION AND GSI5SK <= {until}#~"
