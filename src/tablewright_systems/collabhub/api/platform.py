"""Subscriptions, notifications, the audit log, overviews."""

from datetime import date
from typing import Annotated, Any

from fastapi import APIRouter, Body
from pydantic import Field

from tablewright import fields
from tablewright_systems.collabhub.api.access import Swept
from tablewright_systems.collabhub.design.overviews import Kind
from tablewright_systems.collabhub.design.people import User
from tablewright_systems.collabhub.design.records import AuditLog, Notification
from tablewright_systems.collabhub.design.subscriptions import EventOutcome, Subscription, SubscriptionStatus
from tablewright_systems.collabhub.service import audit, notifications, overviews, subscriptions
from tablewright_systems.collabhub.service.overviews import Created
from tablewright_systems.collabhub.service.shapes import Input, View
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


class Count(View):
    """How many there are; 100 stands for more, too."""

    count: int


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
def sweep_ended(db: Db, caller: CurrentCaller) -> Swept:
    """End the subscriptions that were cancelled and whose period is over."""
    return Swept(ended=subscriptions.sweep_ended(db, caller))


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


@router.get("/notifications", tags=["Notifications"])
def list_notifications(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Notification]:
    """The caller's notifications, the newest first."""
    return PageReply.of(notifications.list_notifications(db, caller, limit, cursor))


@router.get("/notifications/unread", tags=["Notifications"])
def list_unread(
    db: Db, caller: CurrentCaller, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[Notification]:
    """Those that the caller has not read."""
    return PageReply.of(notifications.list_unread(db, caller, limit, cursor))


@router.get("/notifications/unread/count", tags=["Notifications"])
def count_unread(db: Db, caller: CurrentCaller) -> Count:
    """How many those are."""
    return Count(count=notifications.count_unread(db, caller))


@router.post("/notifications/read", tags=["Notifications"])
def mark_all_read(db: Db, caller: CurrentCaller) -> Count:
    """The caller has read everything."""
    return Count(count=notifications.mark_all_read(db, caller))


@router.post("/notifications/{notification_id}/read", tags=["Notifications"])
def mark_read(db: Db, caller: CurrentCaller, notification_id: str) -> Notification:
    """The caller has read a notification."""
    return notifications.mark_read(db, caller, notification_id)


@router.get("/admin/audit/{day}", tags=["Audit"])
def log_of_day(
    db: Db, caller: CurrentCaller, day: date, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[AuditLog]:
    """What was done on a day."""
    return PageReply.of(audit.log_of_day(db, caller, day, limit, cursor))


@router.get("/admin/audit", tags=["Audit"])
def log_between(
    db: Db,
    caller: CurrentCaller,
    start: fields.Timestamp,
    end: fields.Timestamp,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[AuditLog]:
    """What was done from one moment to another."""
    return PageReply.of(audit.log_between(db, caller, start, end, limit, cursor))


@router.get("/users/{user_id}/audit", tags=["Audit"])
def log_of_user(
    db: Db,
    caller: CurrentCaller,
    user_id: str,
    start: fields.Timestamp | None = None,
    end: fields.Timestamp | None = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[AuditLog]:
    """What a user did, all of it or from one moment to another."""
    return PageReply.of(audit.log_of_user(db, caller, user_id, start, end, limit, cursor))


@router.get("/admin/created", tags=["Overviews"])
def list_created(
    db: Db,
    caller: CurrentCaller,
    kind: Kind,
    start: fields.Timestamp,
    end: fields.Timestamp,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[Created]:
    """What was created of a type from one moment to another."""
    return PageReply.of(overviews.list_created(db, caller, kind, start, end, limit, cursor))
