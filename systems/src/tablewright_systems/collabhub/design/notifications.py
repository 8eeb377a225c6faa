"""Notifications of users."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from pydantic import Field

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.conversations import MAX_PARTICIPANTS
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import OutboxMessage
from tablewright_systems.service.schemas import EPOCH_AS_TIME


class NotificationType(StrEnum):
    """The type of a notification."""

    APPLICATION_UPDATE = "APPLICATION_UPDATE"
    ACCESS_REQUEST = "ACCESS_REQUEST"
    MESSAGE = "MESSAGE"
    SYSTEM = "SYSTEM"


class Notification(
    Entity,
    table=main,
    type="NOTIFICATION",
    expect=fields.Expect(items=50_000_000, size=500, writes=fields.PerSecond(600)),
):
    """A notification of a user; in GSI1 until it is read (R32), and kept for 90 days."""

    notification_id: str = fields.new_id()
    user_id: str
    type: NotificationType
    title: str
    body: str
    related_entity_type: str | None = None
    related_entity_id: str | None = None
    is_read: bool = False
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=90), of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(
        primary=("USER#{user_id}", "NOTIFICATION#{notification_id}"),
        GSI1=Sparse("UNREAD#{user_id}", "NOTIFICATION#{notification_id}", when={"is_read": False}),
    )


class MessageNotice(
    OutboxMessage,
    table=main,
    type="MESSAGE_NOTICE",
    expect=fields.Expect(items=100, size=5_000, writes=fields.PerSecond(5)),
):
    """Notifications of one message that its transaction could not hold; deleted when all are written; added (R2)."""

    conversation_id: str
    recipients: Annotated[list[str], Field(max_length=MAX_PARTICIPANTS)]
    preview: str

    keys = Keys(primary=("OUTBOX", "MESSAGE#{message_id}"))


class MessageNotices(Query[MessageNotice]):
    """List the messages whose notifications are not all written, the oldest first."""

    key = "PK = OUTBOX, begins_with(SK, MESSAGE#)"


class Notifications(Query[Notification]):
    """List notifications (A23), newest first."""

    user_id: str
    key = "PK = USER#{user_id}, SK begins_with NOTIFICATION#"
    descending = True
    consistent = True


class UnreadNotifications(Query[Notification]):
    """List the unread notifications of a user, newest first."""

    user_id: str
    key = "GSI1PK = UNREAD#{user_id}"
    descending = True


class NotificationById(Get[Notification]):
    """Get a notification."""

    user_id: str
    notification_id: str
    consistent = True
