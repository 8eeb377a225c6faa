"""Events as Stripe sends them: the signature of a delivery, and the content of a subscription event.

Stripe signs each delivery: the header `Stripe-Signature` is `t=<seconds>,v1=<signature>`, with one signature for each
secret while a secret is replaced. A signature is the HMAC-SHA256 of `<seconds>.<body>`. Deliveries with an old time are
rejected, and an event is applied once; so a recorded delivery cannot be replayed.
"""

import hmac
import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from pydantic import TypeAdapter

from tablewright import fields
from tablewright_systems.collabhub.design import SubscriptionStatus, Tier
from tablewright_systems.service import ApiError, Invalid, Unavailable
from tablewright_systems.service.schemas import Body

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
    given = [value.strip() for name, value in parts if name.strip() == "v1"]
    if len(times) != 1 or not times[0].isascii() or not times[0].isdigit() or len(times[0]) > 12:
        raise ApiError("send the header Stripe-Signature: t=<seconds>,v1=<signature>", "Stripe-Signature")
    expected = [sign(body, times[0], secret) for secret in secrets]
    if not any(hmac.compare_digest(one.encode(), other.encode()) for one in expected for other in given):
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
