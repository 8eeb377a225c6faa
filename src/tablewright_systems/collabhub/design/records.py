"""9. AUDIT_LOG (225-244) and 10. NOTIFICATION (246-264)."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated

from tablewright import Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import Line, Text, main

SHARDS = 4
"""Over how many partitions the log of a day is spread (T10)."""


class NotificationType(StrEnum):
    """What somebody is told of (254)."""

    APPLICATION_UPDATE = "APPLICATION_UPDATE"
    ACCESS_REQUEST = "ACCESS_REQUEST"
    MESSAGE = "MESSAGE"
    SYSTEM = "SYSTEM"


class AuditLog(
    Entity,
    table=main,
    type="AUDIT_LOG",
    expect=fields.Expect(items=20_000_000, size=500, writes=fields.PerSecond(400)),
):
    """Something that was done; written once, and kept for a year. The system's own doings have no user (T38)."""

    audit_id: str = fields.new_id()
    user_id: str | None = None
    action: Line
    resource_type: Line
    resource_id: str
    ip_address: str = ""
    user_agent: str = ""
    metadata: dict[str, str] | None = None
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=365), of="created_at")] = None

    keys = Keys(
        primary=(
            f"AUDIT#{{created_at:%Y-%m-%d}}#{{audit_id:shard({SHARDS})}}",
            "{created_at}#{audit_id}",
        ),
        GSI1=Sparse("USER#{user_id}", "AUDIT#{created_at}#{audit_id}", when="user_id"),
    )


class Notification(
    Entity,
    table=main,
    type="NOTIFICATION",
    expect=fields.Expect(items=50_000_000, size=500, writes=fields.PerSecond(600)),
):
    """Something to tell a user; in GSI1 until it is read (T32), and kept for 90 days."""

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


class AuditByDate(Query[AuditLog]):
    """List audit logs by date (290), the oldest first, of one shard."""

    day: fields.Timestamp
    shard: int
    after: str
    key = "PK = AUDIT#{day:%Y-%m-%d}#{shard} AND SK > {after}"


class AuditByDateBetween(Query[AuditLog]):
    """List audit logs of a day by time (228), the oldest first, of one shard."""

    day: fields.Timestamp
    shard: int
    first: str
    end: fields.Timestamp
    key = "PK = AUDIT#{day:%Y-%m-%d}#{shard} AND SK BETWEEN {first} AND {end}#~"


class AuditByUser(Query[AuditLog]):
    """List audit logs by user (291), the newest first."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, AUDIT#)"
    newest_first = True


class AuditByUserBetween(Query[AuditLog]):
    """List audit logs by user and time (243), the newest first."""

    user_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI1PK = USER#{user_id} AND GSI1SK BETWEEN AUDIT#{start} AND AUDIT#{end}#~"
    newest_first = True


class Notifications(Query[Notification]):
    """List notifications (292), the newest first."""

    user_id: str
    key = "PK = USER#{user_id}, SK begins_with NOTIFICATION#"
    newest_first = True
    consistent = True


class UnreadNotifications(Query[Notification]):
    """List the notifications that nobody has read yet, the newest first."""

    user_id: str
    key = "GSI1PK = UNREAD#{user_id}"
    newest_first = True


class NotificationById(Get[Notification]):
    """Get a notification."""

    user_id: str
    notification_id: str
    consistent = True
