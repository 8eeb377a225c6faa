"""Notifications: the caller's own, an account's, and their delivery by workers and providers.

A notification is identified by its time and its id; lists contain both.
"""

from typing import Annotated

from fastapi import Depends
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.design.notifications import (
    Category,
    Channel,
    Notification,
    NotificationAt,
    NotificationStatus,
)
from tablewright_systems.listbackup.design.vocabulary import Id, Priority
from tablewright_systems.listbackup.service import delivery, notifications
from tablewright_systems.web import (
    Body,
    CountReply,
    CurrentCaller,
    Db,
    Limit,
    ListReply,
    PageReply,
    PageRequest,
    Router,
    View,
)

router = Router("Notifications", "Notifications, preferences, and delivery by workers.")

Timestamp = fields.Timestamp
Reason = Annotated[str, Field(min_length=1, max_length=1000)]
_ONE = "/notifications/{user_id}/{created_at}/{notification_id}"


class NewNotification(Body):
    """A new notification."""

    user_id: Id
    category: Category
    priority: Priority = Priority.MEDIUM
    subject: Annotated[str, Field(min_length=1, max_length=200)]
    message: Annotated[str, Field(max_length=10_000)]
    channels: Annotated[tuple[Channel, ...], Field(max_length=4)] = notifications.DEFAULT_CHANNELS
    action_url: Annotated[str, Field(max_length=2_000)] | None = None


class DeliveryFailure(Body):
    """Why a notification could not be delivered."""

    reason: Reason


class AttemptResult(View):
    """Whether the result was stored: False if the attempt had already ended."""

    is_noted: bool


def _target(user_id: str, created_at: Timestamp, notification_id: Id) -> NotificationAt:
    return NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)


Target = Annotated[NotificationAt, Depends(_target)]


@router.get("/users/me/notifications")
def own_notifications(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    status: NotificationStatus | None = None,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[Notification]:
    """List the caller's notifications, newest first: by status, by time range, or all."""
    pattern = notifications.inbox(db, caller, status=status, start=start, end=end)
    return PageReply.of(paging.run(db, pattern))


@router.get("/users/me/notifications/unread")
def unread(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Notification]:
    """List the caller's unread notifications, newest first."""
    return PageReply.of(paging.run(db, notifications.unread(db, caller)))


@router.get("/users/me/notifications/unread/count")
def count_unread(db: Db, caller: CurrentCaller) -> CountReply:
    """Count the caller's unread notifications, up to a thousand."""
    return CountReply(count=notifications.count_unread(db, caller))


@router.post("/users/me/notifications/reading")
def mark_all_read(db: Db, caller: CurrentCaller) -> CountReply:
    """Mark all of the caller's notifications as read."""
    return CountReply(count=notifications.mark_all_read(db, caller))


@router.post("/users/me/notifications/{created_at}/{notification_id}/reading")
def mark_read(db: Db, caller: CurrentCaller, created_at: Timestamp, notification_id: Id) -> Notification:
    """Mark one of the caller's notifications as read."""
    return notifications.mark_read(db, caller, created_at, notification_id)


@router.get("/accounts/{account_id}/notifications")
def of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    paging: PageRequest,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> PageReply[Notification]:
    """List the notifications of an account, newest first. For its owners and admins."""
    pattern = notifications.notifications_of_account(db, caller, account_id, start, end)
    return PageReply.of(paging.run(db, pattern))


@router.post("/accounts/{account_id}/notifications", status_code=201)
def notify(db: Db, caller: CurrentCaller, account_id: str, body: NewNotification) -> ListReply[Notification]:
    """Notify a user by the channels that the user has enabled. For the platform's staff."""
    values = dict(body)
    made = notifications.notify(db, caller, values.pop("user_id"), account_id, **values)
    return ListReply(items=made)


@router.post("/notifications/claim")
def claim(db: Db, caller: CurrentCaller, limit: Limit = 20) -> ListReply[Notification]:
    """Claim notifications to send. For workers; `attempts` is the number of the attempt to confirm."""
    return ListReply(items=delivery.claim(db, caller, limit))


@router.post(f"{_ONE}/attempts/{{attempt}}/sent")
def confirm_sent(db: Db, caller: CurrentCaller, target: Target, attempt: int) -> AttemptResult:
    """Confirm that a notification was sent. For workers."""
    return AttemptResult(is_noted=delivery.confirm_sent(db, caller, target, attempt))


@router.post(f"{_ONE}/attempts/{{attempt}}/failed")
def confirm_failed(
    db: Db, caller: CurrentCaller, target: Target, attempt: int, body: DeliveryFailure
) -> AttemptResult:
    """Report that sending failed. For workers."""
    return AttemptResult(is_noted=delivery.confirm_failed(db, caller, target, attempt, body.reason))


@router.post(f"{_ONE}/delivery")
def record_delivered(db: Db, caller: CurrentCaller, target: Target) -> Notification:
    """Report that a notification was delivered. For providers."""
    return delivery.record_delivered(db, caller, target)


@router.post(f"{_ONE}/bounce")
def record_bounced(db: Db, caller: CurrentCaller, target: Target, body: DeliveryFailure) -> Notification:
    """Report that a notification could not be delivered. For providers."""
    return delivery.record_bounced(db, caller, target, body.reason)
