"""Subscriptions (200-223): applying Stripe's events, which come in any order and more than once.

The subscription and its copy in the user are written in one transaction (T22). An event is applied once, and only if
it is not older than the last applied one.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub.design.subscriptions import (
    EventOutcome,
    StripeEvent,
    Subscription,
    SubscriptionByCustomer,
    SubscriptionOfUser,
    SubscriptionsByStatus,
    SubscriptionsDue,
    SubscriptionStatus,
)
from tablewright_systems.collabhub.design.users import Tier, User, UserById, UserSubscriptionStatus
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    MAX_ATTEMPTS,
    active_user,
    busy,
    require_admin,
    require_found,
    require_platform_role,
    transact,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body

STATUSES = {
    "active": SubscriptionStatus.ACTIVE,
    "trialing": SubscriptionStatus.TRIALING,
    "past_due": SubscriptionStatus.PAST_DUE,
    "unpaid": SubscriptionStatus.PAST_DUE,
    "paused": SubscriptionStatus.PAST_DUE,
    "canceled": SubscriptionStatus.CANCELLED,
    "incomplete_expired": SubscriptionStatus.CANCELLED,
}
"""Our status for each of Stripe's (T21); "incomplete" has none yet."""

USER_STATUSES = {
    SubscriptionStatus.ACTIVE: UserSubscriptionStatus.ACTIVE,
    SubscriptionStatus.TRIALING: UserSubscriptionStatus.ACTIVE,
    SubscriptionStatus.PAST_DUE: UserSubscriptionStatus.PAST_DUE,
    SubscriptionStatus.CANCELLED: UserSubscriptionStatus.CANCELLED,
}
"""The user's status for each status of a subscription (T21); NONE without a subscription."""

_TIMESTAMP: TypeAdapter[datetime] = TypeAdapter(fields.Timestamp)


class BillingEvent(Body):
    """An event of a Stripe subscription."""

    event_id: str
    created: datetime
    customer_id: str
    subscription_id: str
    price_id: str
    tier: Tier
    status: str
    current_period_start: datetime
    current_period_end: datetime
    cancel_at_period_end: bool = False
    user_id: str | None = None
    """From the metadata that our checkout set."""

    @classmethod
    def of(cls, notification_write: Mapping[str, Any]) -> "BillingEvent":
        """Parse a `customer.subscription.*` event, as Stripe sends it."""
        try:
            subscription = notification_write["data"]["object"]
            price = subscription["items"]["data"][0]["price"]
            return cls(
                event_id=notification_write["id"],
                created=datetime.fromtimestamp(notification_write["created"], UTC),
                customer_id=subscription["customer"],
                subscription_id=subscription["id"],
                price_id=price["id"],
                tier=Tier(price["metadata"]["tier"]),
                status=subscription["status"],
                current_period_start=datetime.fromtimestamp(subscription["current_period_start"], UTC),
                current_period_end=datetime.fromtimestamp(subscription["current_period_end"], UTC),
                cancel_at_period_end=subscription.get("cancel_at_period_end", False),
                user_id=subscription.get("metadata", {}).get("userId"),
            )
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
            raise Invalid(f"this is not a valid subscription event: {error!r}", "data") from error

    @property
    def order(self) -> str:
        """The sort key of events: the second, and within a second a cancellation after all others."""
        is_end = STATUSES.get(self.status) == SubscriptionStatus.CANCELLED
        created: str = _TIMESTAMP.dump_python(self.created)
        return f"{created}#{int(is_end)}"


def open_checkout(db: Repository, caller: Caller, user_id: str, customer_id: str) -> User:
    """Set a user's Stripe customer id, which is unique. The first event creates the subscription.

    Users cannot set it themselves: they could claim the customer of another user.
    """
    require_platform_role(caller, "webhook", "admin")
    active_user(db, Caller(user_id))
    target = UserById(user_id=user_id)
    return db.update(
        target,
        set={"stripe_customer_id": customer_id},
        when=_is_customer_or_none(customer_id),
        otherwise={
            errors.ConditionNotMet: Conflict(f"user {user_id} already has another customer id", "customerId")
        },
    )


class _Duplicate(Exception):
    """The event was received before."""


@writes.retrying(attempts=MAX_ATTEMPTS, on=(errors.AlreadyExists, errors.ConditionNotMet), otherwise=busy)
def receive_event(db: Repository, caller: Caller, event: BillingEvent) -> EventOutcome:
    """Apply an event, unless it was received before or is older than the last applied one."""
    require_platform_role(caller, "webhook")
    user_id = event.user_id or _user_of(db, event.customer_id)
    current = db.run(SubscriptionOfUser(user_id=user_id))
    outcome = _outcome_of(current, event)
    applied = _event_writes(current, event, user_id) if outcome == EventOutcome.APPLIED else []
    seen = StripeEvent(event_id=event.event_id, outcome=outcome)
    try:
        transact(
            db, writes.Create(seen, otherwise=_Duplicate), *applied, *_audit(db, event, user_id, outcome)
        )
    except _Duplicate:
        return EventOutcome.DUPLICATE
    return outcome


def sweep_ended(db: Repository, caller: Caller, days: int = 7) -> int:
    """End the subscriptions that were cancelled and whose period has ended (T37); return how many."""
    require_platform_role(caller, "worker")
    now = db.now()
    due = [
        each
        for age in range(days, -1, -1)
        for each in db.all(SubscriptionsDue(day=now - timedelta(days=age), until=now))
    ]
    return sum(_end(db, each) for each in due)


def read_subscription(db: Repository, caller: Caller) -> Subscription:
    """Return the caller's subscription."""
    return require_found(db.run(SubscriptionOfUser(user_id=caller.user_id)), "subscription of the caller")


def find_by_customer(db: Repository, caller: Caller, customer_id: str) -> Subscription:
    """Return a subscription by its Stripe customer, for administrators."""
    require_admin(db, caller)
    return require_found(
        db.run(SubscriptionByCustomer(customer_id=customer_id)), f"subscription of customer {customer_id}"
    )


def list_by_status(
    db: Repository, caller: Caller, status: SubscriptionStatus, paging: Paging = FIRST_PAGE
) -> reads.Page[Subscription]:
    """List subscriptions by status, for administrators."""
    require_admin(db, caller)
    return paging.run(db, SubscriptionsByStatus(status=status))


def _user_of(db: Repository, customer_id: str) -> str:
    found = db.run(SubscriptionByCustomer(customer_id=customer_id))
    if found is None:
        raise NotFound(f"user of customer {customer_id}; send the event again with metadata.userId")
    return found.user_id


def _outcome_of(current: Subscription | None, event: BillingEvent) -> EventOutcome:
    """Return how an event is handled, given the current subscription."""
    after = STATUSES.get(event.status)
    if after is None:
        return EventOutcome.IGNORED
    if current is None:
        return EventOutcome.APPLIED
    is_other = current.stripe_subscription_id != event.subscription_id
    is_end_of_other = is_other and after == SubscriptionStatus.CANCELLED
    return EventOutcome.STALE if event.order < current.last_event or is_end_of_other else EventOutcome.APPLIED


def _event_writes(current: Subscription | None, event: BillingEvent, user_id: str) -> list[writes.Write]:
    """Return the writes of the subscription and its copy in the user, conditional on what was read."""
    status = STATUSES[event.status]
    values: dict[str, Any] = {
        "stripe_customer_id": event.customer_id,
        "stripe_subscription_id": event.subscription_id,
        "stripe_price_id": event.price_id,
        "tier": event.tier,
        "status": status,
        "current_period_start": event.current_period_start,
        "current_period_end": event.current_period_end,
        "cancel_at_period_end": event.cancel_at_period_end and status != SubscriptionStatus.CANCELLED,
        "last_event": event.order,
    }
    main: writes.Write = (
        writes.Create(Subscription(user_id=user_id, **values))
        if current is None
        else writes.Update(
            SubscriptionOfUser(user_id=user_id),
            set=values,
            when=Subscription.last_event == current.last_event,
        )
    )
    return [main, _user_copy(user_id, status, event.tier, event.customer_id)]


def _user_copy(user_id: str, status: SubscriptionStatus, tier: Tier, customer_id: str) -> writes.Write:
    """Return the write of the subscription's copy in the user; a cancelled one gives the FREE tier."""
    is_cancelled = status == SubscriptionStatus.CANCELLED
    return writes.Update(
        UserById(user_id=user_id),
        set={
            "stripe_customer_id": customer_id,
            "subscription_status": USER_STATUSES[status],
            "subscription_tier": Tier.FREE if is_cancelled else tier,
        },
        when=_is_customer_or_none(customer_id),
        otherwise={errors.ConditionNotMet: Conflict(f"user {user_id} has another customer id", "customerId")},
    )


def _is_customer_or_none(customer_id: str) -> writes.When:
    """The condition that the user has this customer id, or none."""
    customer = fields.of(User.stripe_customer_id)
    return customer.is_absent() | (customer == customer_id)


def _audit(db: Repository, event: BillingEvent, user_id: str, outcome: EventOutcome) -> list[writes.Write]:
    if outcome != EventOutcome.APPLIED:
        return []
    action = f"SUBSCRIPTION_{STATUSES[event.status]}"
    return [audit_write(db, None, action, "SUBSCRIPTION", user_id, {"event": event.event_id})]


def _end(db: Repository, due: Subscription) -> bool:
    """End a subscription, if it still is as the index shows it."""
    is_same = fields.of(Subscription.cancel_at_period_end).one_of(True) & (
        Subscription.current_period_end == due.current_period_end
    )
    status = SubscriptionStatus.CANCELLED
    try:
        transact(
            db,
            writes.Update(
                SubscriptionOfUser(user_id=due.user_id),
                set={"status": status, "cancel_at_period_end": False},
                when=is_same,
            ),
            _user_copy(due.user_id, status, due.tier, due.stripe_customer_id),
            audit_write(db, None, "SUBSCRIPTION_ENDED", "SUBSCRIPTION", due.user_id),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True
