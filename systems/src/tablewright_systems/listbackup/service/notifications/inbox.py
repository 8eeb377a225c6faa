"""Inbox: listing a user's notifications, and marking them as read."""

from datetime import datetime
from itertools import islice
from typing import Any

from tablewright import Query, Repository, errors, fields
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.notifications import (
    Notification,
    NotificationAt,
    NotificationsByStatus,
    NotificationsOfAccount,
    NotificationsOfUser,
    NotificationsOfUserIn,
    NotificationStatus,
    UnreadNotifications,
)
from tablewright_systems.listbackup.service.access import active_user, require_role
from tablewright_systems.listbackup.service.notifications.notifications import target_of
from tablewright_systems.service import Caller, NotFound, time_range

MAX_COUNTED = 1_000
UNREAD = fields.of(Notification.read_at).is_absent()


def inbox(
    db: Repository,
    caller: Caller,
    *,
    status: NotificationStatus | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Query[Notification]:
    """Return the pattern that lists the caller's notifications, newest first: by status, by time, or all."""
    user_id = active_user(db, caller).user_id
    if status is not None:
        return NotificationsByStatus(user_id=user_id, status=status)
    if start is None and end is None:
        return NotificationsOfUser(user_id=user_id)
    return NotificationsOfUserIn(user_id=user_id, **time_range(start, end))


def unread(db: Repository, caller: Caller) -> UnreadNotifications:
    """Return the pattern that lists the caller's unread notifications, newest first."""
    return UnreadNotifications(user_id=active_user(db, caller).user_id)


def count_unread(db: Repository, caller: Caller) -> int:
    """Count the caller's unread notifications, up to a thousand."""
    found = db.iterate(unread(db, caller), unknown="skip")
    return sum(1 for _ in islice(found, MAX_COUNTED))


def notifications_of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    start: datetime | None = None,
    end: datetime | None = None,
) -> NotificationsOfAccount:
    """Return the pattern that lists the notifications of an account. For its owners and admins."""
    require_role(db, caller, account_id, AccountRole.OWNER, AccountRole.ADMIN)
    return NotificationsOfAccount(account_id=account_id, **time_range(start, end))


def mark_read(db: Repository, caller: Caller, created_at: datetime, notification_id: str) -> Notification:
    """Mark one of the caller's notifications as read; repeated calls change nothing."""
    active_user(db, caller)
    target = NotificationAt(user_id=caller.user_id, created_at=created_at, notification_id=notification_id)
    return db.update(
        target,
        fields.of(Notification.status).set(NotificationStatus.READ),
        fields.of(Notification.read_at).set_if_absent(db.now()),
        fields.of(Notification.next_try_at).remove(),
        otherwise=NotFound(f"notification {notification_id}"),
    )


def mark_all_read(db: Repository, caller: Caller) -> int:
    """Mark all of the caller's notifications as read; return how many were unread."""
    count = 0
    for each in db.iterate(unread(db, caller), unknown="skip"):
        try:
            db.update(target_of(each), set=_read_now(db), when=UNREAD)
            count += 1
        except (errors.ConditionNotMet, errors.DoesNotExist):
            continue  # the index lags
    return count


def _read_now(db: Repository) -> dict[str, Any]:
    return {"status": NotificationStatus.READ, "read_at": db.now(), "next_try_at": None}
