"""Subscriptions, and the webhook for Stripe's events."""

from typing import Annotated, Any

from fastapi import Depends, Header, Request

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Subscription, SubscriptionStatus, User
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.collabhub.service.inputs import Id
from tablewright_systems.collabhub.service.permissions import active_user, require_admin
from tablewright_systems.collabhub.service.stripe_events import signed_event
from tablewright_systems.service import require_found
from tablewright_systems.web import (
    Actor,
    Body,
    CurrentCaller,
    Db,
    PageReply,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Subscriptions", "Paid plans, and events of the payment provider.")
webhook = Router("Subscriptions")
"""Authenticated by its signature, without a token."""


class Checkout(Body):
    """A user's Stripe customer id."""

    user_id: Id
    customer_id: Id


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


@webhook.post("/webhooks/stripe", openapi_extra=_EVENT, responses=problems(404))
def receive_event(
    request: Request,
    db: Db,
    body: Annotated[bytes, Depends(_body)],
    stripe_signature: Annotated[str | None, Header(description="t=<seconds>,v1=<signature>")] = None,
) -> Received:
    """Receive an event of Stripe, which signs it. Types that change nothing are acknowledged too."""
    event = signed_event(body, stripe_signature, request.app.state.stripe_secrets, db.now())
    return Received(outcome=subscriptions.receive(db, event))


@router.post("/subscriptions/checkout")
def open_checkout(db: Db, actor: Actor, checkout: Checkout) -> User:
    """Set a user's Stripe customer id. For the checkout service and staff."""
    return subscriptions.open_checkout(db, actor, checkout.user_id, checkout.customer_id)


@router.get("/subscriptions/mine", responses=problems(404))
def read_subscription(db: Db, caller: CurrentCaller) -> Subscription:
    """Get the caller's subscription."""
    active_user(db, caller)
    found = db.run(design.SubscriptionOfUser(user_id=caller.user_id))
    return require_found(found, "subscription of the caller")


@router.get("/admin/subscriptions")
def list_subscriptions(
    db: Db, caller: CurrentCaller, status: SubscriptionStatus, paging: PageRequest
) -> PageReply[Subscription]:
    """List subscriptions by status. For administrators."""
    require_admin(db, caller)
    return PageReply.of(paging.run(db, design.SubscriptionsByStatus(status=status)))


@router.get("/admin/customers/{customer_id}/subscription")
def find_by_customer(db: Db, caller: CurrentCaller, customer_id: str) -> Subscription:
    """Get a subscription by its Stripe customer. For administrators."""
    require_admin(db, caller)
    found = db.run(design.SubscriptionByCustomer(customer_id=customer_id))
    return require_found(found, f"subscription of customer {customer_id}")
