"""Subscriptions."""

from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from tablewright_systems.collabhub.api.access import SweepResult
from tablewright_systems.collabhub.design.subscriptions import EventOutcome, Subscription, SubscriptionStatus
from tablewright_systems.collabhub.design.users import User
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.collabhub.service.subscriptions import BillingEvent
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View

router = Router("Subscriptions", "Paid plans, and events of the payment provider.")


class Checkout(Body):
    """A user's Stripe customer id."""

    user_id: Annotated[str, Field(min_length=1, max_length=255)]
    customer_id: Annotated[str, Field(min_length=1, max_length=255)]


class Received(View):
    """How an event was handled."""

    outcome: EventOutcome


@router.post("/subscriptions/checkout")
def open_checkout(db: Db, caller: CurrentCaller, checkout: Checkout) -> User:
    """Set a user's Stripe customer id. For the webhook and staff."""
    return subscriptions.open_checkout(db, caller, checkout.user_id, checkout.customer_id)


@router.get("/subscriptions/mine")
def read_subscription(db: Db, caller: CurrentCaller) -> Subscription:
    """Get the caller's subscription."""
    return subscriptions.read_subscription(db, caller)


@router.post("/webhooks/stripe")
def receive_event(db: Db, caller: CurrentCaller, event: dict[str, Any]) -> Received:
    """Receive a subscription event, as Stripe sends it."""
    return Received(outcome=subscriptions.receive_event(db, caller, BillingEvent.of(event)))


@router.post("/jobs/subscription-sweep", tags=["Jobs"])
def sweep_ended(db: Db, caller: CurrentCaller) -> SweepResult:
    """End the subscriptions that were cancelled and whose period has ended. For workers."""
    return SweepResult(ended=subscriptions.sweep_ended(db, caller))


@router.get("/admin/subscriptions")
def list_subscriptions(
    db: Db, caller: CurrentCaller, status: SubscriptionStatus, paging: PageRequest
) -> PageReply[Subscription]:
    """List subscriptions by status. For administrators."""
    return PageReply.of(subscriptions.list_by_status(db, caller, status, paging))


@router.get("/admin/subscriptions/by-customer")
def find_by_customer(
    db: Db, caller: CurrentCaller, customer_id: Annotated[str, Query(alias="customerId")]
) -> Subscription:
    """Get a subscription by its Stripe customer. For administrators."""
    return subscriptions.find_by_customer(db, caller, customer_id)
