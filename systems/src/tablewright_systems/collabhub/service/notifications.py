"""Notifications: written in the transaction of what they report; unread until the user marks them as read."""

from collections.abc import Iterator

from tablewright import Repository, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import MessageNotice, Notification, NotificationType
from tablewright_systems.collabhub.service.permissions import active_among, active_user
from tablewright_systems.service import Batch, Outbox
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router

router = Router("Notifications", "Notifications of the caller.")

MAX_COUNTED = 100
"""How far unread notifications are counted."""
MAX_TITLE = 200
BATCH = 50
"""How many notifications of a message one transaction of the outbox writes."""


def notification(
    db: Repository, user_id: str, kind: NotificationType, title: str, body: str, about: tuple[str, str]
) -> writes.Create[Notification]:
    """Return the write that notifies a user; `about` is the type and id of the related entity."""
    now = db.now()
    entity_type, entity_id = about
    return writes.Create(
        Notification(
            notification_id=fields.ulid(now.timestamp()),
            user_id=user_id,
            type=kind,
            title=title[:MAX_TITLE],
            body=body,
            related_entity_type=entity_type,
            related_entity_id=entity_id,
            created_at=now,
        )
    )


def notify(
    db: Repository, user_id: str, kind: NotificationType, title: str, body: str, about: tuple[str, str]
) -> list[writes.Write]:
    """Return the write that notifies a user; nothing for a user who is banned or not verified (R36)."""
    reached = active_among(db, [user_id])
    return [notification(db, user_id, kind, title, body, about) for user_id in reached]


def message_notifications(
    db: Repository, conversation_id: str, preview: str, user_ids: list[str]
) -> list[writes.Write]:
    """Return the writes that notify users of a message."""
    about = ("CONVERSATION", conversation_id)
    kind = NotificationType.MESSAGE
    return [notification(db, user_id, kind, "New message", preview, about) for user_id in user_ids]


def _deliver(db: Repository, notice: MessageNotice) -> Iterator[Batch]:
    """Write the notifications of a message in batches, for the recipients who are active now."""
    for start in range(int(notice.position or 0), len(notice.recipients), BATCH):
        batch = notice.recipients[start : start + BATCH]
        reached = active_among(db, batch)
        users = [user_id for user_id in batch if user_id in reached]
        created = message_notifications(db, notice.conversation_id, notice.preview, users)
        yield Batch(created, position=str(start + BATCH))


OUTBOX = Outbox(design.MessageNotices(), _deliver)
"""Delivers the notifications of messages to more participants than a transaction holds."""


@router.get("/notifications/unread/count")
def count_unread(db: Db, caller: CurrentCaller) -> int:
    """Count the caller's unread notifications, up to 100."""
    active_user(db, caller)
    return len(db.run(design.UnreadNotifications(user_id=caller.user_id), limit=MAX_COUNTED))


@router.post("/notifications/{notification_id}/read")
def mark_read(db: Db, caller: CurrentCaller, notification_id: str) -> Notification:
    """Mark one of the caller's notifications as read."""
    active_user(db, caller)
    target = design.NotificationById(user_id=caller.user_id, notification_id=notification_id)
    return db.update(target, set={"is_read": True})


@router.post("/notifications/read")
def mark_all_read(db: Db, caller: CurrentCaller) -> int:
    """Mark all of the caller's notifications as read."""
    unread = db.all(design.UnreadNotifications(user_id=caller.user_id))
    for entry in unread:
        mark_read(db, caller, entry.notification_id)
    return len(unread)


@router.get("/notifications")
def list_notifications(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Notification]:
    """List the caller's notifications, newest first."""
    return paging.run(db, design.Notifications(user_id=caller.user_id))


@router.get("/notifications/unread")
def list_unread(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Notification]:
    """List the caller's unread notifications, newest first."""
    return paging.run(db, design.UnreadNotifications(user_id=caller.user_id))
