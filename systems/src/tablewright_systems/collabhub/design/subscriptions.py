"""Subscriptions, and the events of Stripe."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from tablewright import Entity, Find, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.collabhub.design.users import Tier
from tablewright_systems.service import Timestamped


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
