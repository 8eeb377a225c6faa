"""Notifications (246-264): written in the transaction of what they report; unread until the user marks them as read."""

from tablewright import Repository, reads, writes
from tablewright_systems.collabhub.design.notifications import (
    Notification,
    NotificationById,
    Notifications,
    NotificationType,
    UnreadNotifications,
)
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.paging import FIRST_PAGE, Paging

MAX_COUNTED = 100
"""How far unread notifications are counted."""


def notification_write(
    db: Repository, user_id: str, kind: NotificationType, title: str, body: str, about: tuple[str, str]
) -> writes.Create[Notification]:
    """Return the write that notifies a user; `about` is the type and id of the related entity."""
    now = db.now()
    entity_type, entity_id = about
    return writes.Create(
        Notification(
            notification_id=new_ulid(now),
            user_id=user_id,
            type=kind,
            title=title,
            body=body,
            related_entity_type=entity_type,
            related_entity_id=entity_id,
            created_at=now,
        )
    )


def list_notifications(
    db: Repository, caller: Caller, paging: Paging = FIRST_PAGE
) -> reads.Page[Notification]:
    """List the caller's notifications, newest first."""
    return paging.run(db, Notifications(user_id=caller.user_id))


def list_unread(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Notification]:
    """List the caller's unread notifications, newest first."""
    return paging.run(db, UnreadNotifications(user_id=caller.user_id))


def count_unread(db: Repository, caller: Caller) -> int:
    """Count the caller's unread notifications, up to 100."""
    return len(db.run(UnreadNotifications(user_id=caller.user_id), limit=MAX_COUNTED))


def mark_read(db: Repository, caller: Caller, notification_id: str) -> Notification:
    """Mark one of the caller's notifications as read."""
    target = NotificationById(user_id=caller.user_id, notification_id=notification_id)
    return db.update(target, set={"is_read": True})


def mark_all_read(db: Repository, caller: Caller) -> int:
    """Mark all of the caller's notifications as read; return how many were unread."""
    unread = db.all(UnreadNotifications(user_id=caller.user_id))
    for each in unread:
        mark_read(db, caller, each.notification_id)
    return len(unread)
