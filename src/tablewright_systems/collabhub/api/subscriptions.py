"""Subscriptions, notifications, the audit log, overviews."""

from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Field

from tablewright_systems.collabhub.api.access import SweepResult
from tablewright_systems.collabhub.design.subscriptions import EventOutcome, Subscription, SubscriptionStatus
from tablewright_systems.collabhub.design.users import User
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.collabhub.service.schemas import Input, View
from tablewright_systems.collabhub.service.subscriptions import BillingEvent
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()


class Checkout(Input):
    """The customer that Stripe made of a user."""

    user_id: Annotated[str, Field(min_length=1, max_length=255)]
    customer_id: Annotated[str, Field(min_length=1, max_length=255)]


class Received(View):
    """What became of an event."""

    outcome: EventOutcome


@router.post("/subscriptions/checkout", tags=["Subscriptions"])
def open_checkout(db: Db, caller: CurrentCaller, checkout: Checkout) -> User:
    """A user becomes a customer; for the webhook and for staff."""
    return subscriptions.open_checkout(db, caller, checkout.user_id, checkout.customer_id)


@router.get("/subscriptions/mine", tags=["Subscriptions"])
def read_subscription(db: Db, caller: CurrentCaller) -> Subscription:
    """What the caller pays for."""
    return subscriptions.read_subscription(db, caller)


@router.post("/webhooks/stripe", tags=["Subscriptions"])
def receive_event(db: Db, caller: CurrentCaller, event: Annotated[dict[str, Any], Body()]) -> Received:
    """What Stripe tells of a subscription, as Stripe sends it."""
    return Received(outcome=subscriptions.receive_event(db, caller, BillingEvent.of(event)))


@router.post("/jobs/subscription-sweep", tags=["Jobs"])
def sweep_ended(db: Db, caller: CurrentCaller) -> SweepResult:
    """End the subscriptions that were cancelled and whose period is over."""
    return SweepResult(ended=subscriptions.sweep_ended(db, caller))


@router.get("/admin/subscriptions", tags=["Subscriptions"])
def list_subscriptions(
    db: Db, caller: CurrentCaller, status: SubscriptionStatus, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Subscription]:
    """Subscriptions by status."""
    return PageReply.of(subscriptions.list_by_status(db, caller, status, limit, cursor))


@router.get("/admin/subscriptions/by-customer", tags=["Subscriptions"])
def find_by_customer(db: Db, caller: CurrentCaller, customer_id: str) -> Subscription:
    """A subscription by its customer."""
    return subscriptions.find_by_customer(db, caller, customer_id)
