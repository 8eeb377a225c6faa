"""Subscriptions: applying Stripe's events, which come in any order and more than once.

The subscription and its copy in the user are written in one transaction (R22). An event is applied once, and only if
it is not older than the last applied one.

Stripe signs each delivery: the header `Stripe-Signature` is `t=<seconds>,v1=<signature>`, with one signature for each
secret while a secret is replaced. A signature is the HMAC-SHA256 of `<seconds>.<body>`. Deliveries with an old time are
rejected, and an event is applied once; so a recorded delivery cannot be replayed.
"""

import hmac
import json
import logging
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from fastapi import Depends, Header, Request
from pydantic import TypeAdapter

from tablewright import Repository, errors, fields, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    EventOutcome,
    StripeEvent,
    Subscription,
    SubscriptionStatus,
    Tier,
    User,
    UserById,
    UserSubscriptionStatus,
)
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.permissions import Id, active_user, require_admin
from tablewright_systems.service import (
    ApiError,
    Caller,
    Conflict,
    Invalid,
    JobRun,
    NotFound,
    Unavailable,
    busy,
    require_found,
    transact,
    written,
)
from tablewright_systems.web import Actor, Body, CurrentCaller, Db, Router, View, problems

webhook = Router("Subscriptions", "Paid plans, and events of the payment provider.")
"""Authenticated by its signature, without a token."""
router = Router("Subscriptions")

TOLERANCE = timedelta(minutes=5)
"""How much the time of a delivery may differ from ours."""

STATUSES = {
    "active": SubscriptionStatus.ACTIVE,
    "trialing": SubscriptionStatus.TRIALING,
    "past_due": SubscriptionStatus.PAST_DUE,
    "unpaid": SubscriptionStatus.PAST_DUE,
    "paused": SubscriptionStatus.PAST_DUE,
    "canceled": SubscriptionStatus.CANCELLED,
    "incomplete_expired": SubscriptionStatus.CANCELLED,
}
"""Our status for each of Stripe's (R21); "incomplete" has none yet."""

SUBSCRIPTION_EVENTS = {
    f"customer.subscription.{change}" for change in ("created", "updated", "deleted", "paused", "resumed")
}
"""The types of the events that are applied; events of other types are recorded and acknowledged."""

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
    def of(cls, event: Mapping[str, Any]) -> "BillingEvent":
        """Parse an event. Its periods are in the items of the subscription; before 2025 in the subscription itself."""
        try:
            subscription = event["data"]["object"]
            item = subscription["items"]["data"][0]
            periods = item if "current_period_end" in item else subscription
            return cls(
                event_id=event["id"],
                created=_time(event["created"]),
                customer_id=subscription["customer"],
                subscription_id=subscription["id"],
                price_id=item["price"]["id"],
                tier=Tier(item["price"]["metadata"]["tier"]),
                status=subscription["status"],
                current_period_start=_time(periods["current_period_start"]),
                current_period_end=_time(periods["current_period_end"]),
                cancel_at_period_end=subscription.get("cancel_at_period_end", False),
                user_id=(subscription.get("metadata") or {}).get("userId"),
            )
        except (LookupError, TypeError, ValueError, AttributeError, OverflowError, OSError) as error:
            raise Invalid(f"this is not a valid subscription event: {error!r}", "data") from error

    @property
    def order(self) -> str:
        """The sort key of events: the second, and within a second a cancellation after all others."""
        is_end = STATUSES.get(self.status) == SubscriptionStatus.CANCELLED
        created: str = _TIMESTAMP.dump_python(self.created)
        return f"{created}#{int(is_end)}"


def signed_event(body: bytes, header: str | None, secrets: Sequence[str], now: datetime) -> dict[str, Any]:
    """Return the event of a delivery, if its signature is valid and its time is ours; otherwise raise an error."""
    if not secrets:
        raise Unavailable("the webhook has no secret; set COLLABHUB_STRIPE_SECRET and start again")
    parts = [part.partition("=")[::2] for part in (header or "").split(",")]
    times = [value for name, value in parts if name.strip() == "t"]
    signatures = [value.strip() for name, value in parts if name.strip() == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or len(times[0]) > 12:
        raise ApiError("send the header Stripe-Signature: t=<seconds>,v1=<signature>", "Stripe-Signature")
    expected = [sign(body, times[0], secret) for secret in secrets]
    if not any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in signatures):
        raise ApiError("the signature is not valid for this body", "Stripe-Signature")
    if abs(now.timestamp() - int(times[0])) > TOLERANCE.total_seconds():
        raise ApiError("the delivery is too old, or its clock is wrong", "Stripe-Signature")
    try:
        event = json.loads(body)
    except (ValueError, RecursionError):
        raise ApiError("the body is not valid JSON", "body") from None
    if not isinstance(event, dict) or not all(isinstance(event.get(name), str) for name in ("id", "type")):
        raise Invalid("this is not an event: it needs an id and a type", "id")
    return event


def sign(body: bytes, seconds: str, secret: str) -> str:
    """Return the signature of a body that is sent at a time.

    >>> sign(b"{}", "1700000000", "whsec_test")[:8]
    '35495024'
    """
    return hmac.digest(secret.encode(), seconds.encode() + b"." + body, "sha256").hex()


def _time(seconds: float) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)


class Received(View):
    """How an event was handled."""

    outcome: design.EventOutcome


async def _body(request: Request) -> bytes:
    return await request.body()


_EVENT: dict[str, Any] = {
    "requestBody": {
        "required": True,
        "description": "An event, as Stripe sends it.",
        "content": {"application/json": {"schema": {"type": "object", "required": ["id", "type"]}}},
    }
}

log = logging.getLogger(__name__)

USER_STATUSES = {
    SubscriptionStatus.ACTIVE: UserSubscriptionStatus.ACTIVE,
    SubscriptionStatus.TRIALING: UserSubscriptionStatus.ACTIVE,
    SubscriptionStatus.PAST_DUE: UserSubscriptionStatus.PAST_DUE,
    SubscriptionStatus.CANCELLED: UserSubscriptionStatus.CANCELLED,
}
"""The user's status for each status of a subscription (R21); NONE without a subscription."""


@router.post("/subscriptions/checkout")
def open_checkout(db: Db, caller: Actor, user_id: Id, customer_id: Id) -> User:
    """Set a user's Stripe customer id. For the checkout service and staff."""
    # The first event creates the subscription.
    # Users cannot set it themselves: they could claim the customer of another user.
    caller.require_role("webhook", "admin")
    active_user(db, Caller(user_id))
    other = Conflict(f"user {user_id} already has another customer id", "customerId")
    actions = (
        writes.Update(
            UserById(user_id=user_id),
            set={"stripe_customer_id": customer_id},
            when=_is_customer_or_none(customer_id),
            otherwise={errors.ConditionNotMet: other},
        ),
        audit_entry(db, caller, "CUSTOMER_SET", "USER", user_id, {"customerId": customer_id}),
    )
    return written(transact(db, *actions), User)


class _Duplicate(Exception):
    """The event was received before."""


def receive(db: Repository, event: Mapping[str, Any]) -> EventOutcome:
    """Apply an event of Stripe; its signature was verified. Events of other types are recorded, and change nothing."""
    if event["type"] in SUBSCRIPTION_EVENTS:
        return receive_event(db, BillingEvent.of(event))
    log.info("Stripe event %s has the type %s, which changes nothing", event["id"], event["type"])
    seen = StripeEvent(event_id=event["id"], type=event["type"], outcome=EventOutcome.IGNORED)
    try:
        return db.create(seen).outcome
    except errors.AlreadyExists:
        return EventOutcome.DUPLICATE


@writes.retrying(on=(errors.AlreadyExists, errors.ConditionNotMet), otherwise=busy)
def receive_event(db: Repository, event: BillingEvent) -> EventOutcome:
    """Apply a subscription event, unless it was received before or is older than the last applied one."""
    user_id = event.user_id or _user_of(db, event.customer_id)
    current = db.run(design.SubscriptionOfUser(user_id=user_id))
    outcome = _outcome_of(current, event)
    applied = _event_writes(db, current, event, user_id) if outcome == EventOutcome.APPLIED else []
    seen = StripeEvent(event_id=event.event_id, outcome=outcome)
    try:
        transact(db, writes.Create(seen, otherwise=_Duplicate), *applied)
    except _Duplicate:
        return EventOutcome.DUPLICATE
    return outcome


def end_cancelled(run: JobRun) -> int:
    """End all cancelled subscriptions whose period is over, whenever it ended (R37); return how many."""
    due = run.db.iterate(design.SubscriptionsDue(until=run.db.now()), unknown="skip")
    return run.for_each(due, lambda subscription: _end(run.db, subscription))


def _user_of(db: Repository, customer_id: str) -> str:
    subscription = db.run(design.SubscriptionByCustomer(customer_id=customer_id))
    if subscription is None:
        raise NotFound(f"user of customer {customer_id}; send the event again with metadata.userId")
    return subscription.user_id


def _outcome_of(current: Subscription | None, event: BillingEvent) -> EventOutcome:
    """Return how an event is handled, given the current subscription."""
    after = STATUSES.get(event.status)
    if after is None:
        return EventOutcome.IGNORED
    if current is None:
        return EventOutcome.APPLIED
    is_other = current.stripe_subscription_id != event.subscription_id
    is_older = event.current_period_start < current.current_period_start
    is_replaced = is_other and current.status != SubscriptionStatus.CANCELLED and is_older
    is_end_of_other = is_other and after == SubscriptionStatus.CANCELLED
    is_stale = event.order < current.last_event or is_end_of_other or is_replaced
    return EventOutcome.STALE if is_stale else EventOutcome.APPLIED


def _event_writes(
    db: Repository, current: Subscription | None, event: BillingEvent, user_id: str
) -> list[writes.Write]:
    """Return the writes of the subscription, conditional on what was read, of its copy in the user, and of the log."""
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
    last_event = fields.of(Subscription.last_event)
    main: writes.Write = (
        writes.Create(Subscription(user_id=user_id, **values))
        if current is None
        else writes.Update(
            design.SubscriptionOfUser(user_id=user_id),
            set=values,
            when=last_event == current.last_event if current.last_event else last_event.is_absent(),
        )
    )
    return [
        main,
        _user_copy(user_id, status, event.tier, event.customer_id),
        audit_entry(db, None, f"SUBSCRIPTION_{status}", "SUBSCRIPTION", user_id, {"event": event.event_id}),
    ]


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
                design.SubscriptionOfUser(user_id=due.user_id),
                set={"status": status, "cancel_at_period_end": False},
                when=is_same,
            ),
            _user_copy(due.user_id, status, due.tier, due.stripe_customer_id),
            audit_entry(db, None, "SUBSCRIPTION_ENDED", "SUBSCRIPTION", due.user_id),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True


@webhook.post("/webhooks/stripe", openapi_extra=_EVENT, responses=problems(404), name="receive_event")
def receive_delivery(
    request: Request,
    db: Db,
    body: Annotated[bytes, Depends(_body)],
    stripe_signature: Annotated[str | None, Header(description="t=<seconds>,v1=<signature>")] = None,
) -> Received:
    """Receive an event of Stripe, which signs it. Types that change nothing are acknowledged too."""
    event = signed_event(body, stripe_signature, request.app.state.stripe_secrets, db.now())
    return Received(outcome=receive(db, event))


@router.get("/subscriptions/mine", responses=problems(404))
def read_subscription(db: Db, caller: CurrentCaller) -> Subscription:
    """Get the caller's subscription."""
    active_user(db, caller)
    subscription = db.run(design.SubscriptionOfUser(user_id=caller.user_id))
    return require_found(subscription, "subscription of the caller")


@router.get("/admin/subscriptions")
def list_subscriptions(
    db: Db, caller: CurrentCaller, status: SubscriptionStatus
) -> design.SubscriptionsByStatus:
    """List subscriptions by status. For administrators."""
    require_admin(db, caller)
    return design.SubscriptionsByStatus(status=status)


@router.get("/admin/customers/{customer_id}/subscription")
def find_by_customer(db: Db, caller: CurrentCaller, customer_id: str) -> Subscription:
    """Get a subscription by its Stripe customer. For administrators."""
    require_admin(db, caller)
    subscription = db.run(design.SubscriptionByCustomer(customer_id=customer_id))
    return require_found(subscription, f"subscription of customer {customer_id}")
