"""10. NOTIFICATION (246-264)."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import Line, Text, main


class NotificationType(StrEnum):
    """The type of a notification (254)."""

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
    """A notification of a user; in GSI1 until it is read (T32), and kept for 90 days."""

    notification_id: str = fields.new_id()
    user_id: str
    type: NotificationType
    title: Line
    body: Text
    related_entity_type: str | None = None
    related_entity_id: str | None = None
    is_read: bool = False
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=90), of="created_at")] = None

    keys = Keys(
        primary=("USER#{user_id}", "NOTIFICATION#{notification_id}"),
        GSI1=Sparse("UNREAD#{user_id}", "NOTIFICATION#{notification_id}", when={"is_read": False}),
    )


class Notifications(Query[Notification]):
    """List notifications (292), newest first."""

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
