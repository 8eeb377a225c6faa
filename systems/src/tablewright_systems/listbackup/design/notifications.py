"""Notifications: messages to users, by channel, with the state of delivery. Kept for 30 days.

An announcement is a notification to all owners and admins of an account that is still to be created: an event writes
one in its transaction, however many recipients there are, and a background job creates the notifications. Announcements
are stored in users-accounts, beside the memberships that name the recipients.
"""

from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.memberships import AccountRole, users_accounts
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    Document,
    Email,
    Id,
    Part,
    Priority,
    ResourceType,
)
from tablewright_systems.service import OutboxMessage
from tablewright_systems.service.schemas import EPOCH_AS_TIME

RETENTION = timedelta(days=30)
OUTBOX_SHARDS = 4
MAX_SUBJECT = 200

notifications = Table(
    "${AWS::StackName}-notifications",
    key=("userId", "timestamp#notificationId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("accountId-timestamp-index", "accountId", "timestamp#notificationId"),
        Index("userId-status-index", "userId", "status#timestamp"),
        Index("userId-unread-index", "userId", "unreadSince"),
        Index("outbox-index", "outboxShard", "nextTryAt#notificationId"),
    ],
    ttl="expiresAt",
)


class Channel(Enum):
    """The channel of a notification."""

    EMAIL = "email"
    SMS = "sms"
    PUSH = "push"
    IN_APP = "in-app"


class Category(Enum):
    """The subject area of a notification."""

    SYSTEM = "system"
    SOURCE = "source"
    JOB = "job"
    BILLING = "billing"
    SECURITY = "security"


class NotificationStatus(Enum):
    """The state of delivery of a notification."""

    PENDING = "pending"
    SENT = "sent"
    DELIVERED = "delivered"
    FAILED = "failed"
    READ = "read"


class NotificationData(Part):
    """The related resource, with a link."""

    resource_type: ResourceType | None = None
    resource_id: str | None = None
    action_url: str | None = None
    metadata: Document = Field(default_factory=dict)


class Notification(Entity, table=notifications, schema_version=1):
    """A notification of a user."""

    user_id: Id
    notification_id: Id = fields.new_id()
    account_id: Id | None = None
    """The account that it is about; None if it is about the user alone."""
    address: Email | None = None
    """Where to send it if the recipient has not signed up; otherwise to the address of the user."""
    type: Channel
    category: Category
    priority: Priority = Priority.MEDIUM
    subject: Annotated[str, Field(min_length=1, max_length=MAX_SUBJECT)]
    message: Annotated[str, Field(max_length=10_000)]
    data: NotificationData = Field(default_factory=NotificationData)
    status: NotificationStatus = NotificationStatus.PENDING
    read_at: fields.Timestamp | None = None
    sent_at: fields.Timestamp | None = None
    delivered_at: fields.Timestamp | None = None
    failure_reason: Annotated[str, Field(max_length=1000)] | None = None
    attempts: Annotated[int, Field(ge=0)] = 0
    next_try_at: fields.Timestamp | None = None
    """From when a worker may claim it to send it; None if it need not be sent (any more)."""
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=RETENTION, of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(
        primary=("{user_id}", "{created_at}#{notification_id}"),
        indexes={
            "accountId-timestamp-index": Sparse(
                "{account_id}", "{created_at}#{notification_id}", when="account_id"
            ),
            "userId-status-index": ("{user_id}", "{status}#{created_at}#{notification_id}"),
            "userId-unread-index": Sparse(
                "{user_id}", "{created_at}#{notification_id}", when={"read_at": None}
            ),
            "outbox-index": Sparse(
                "{notification_id:shard(4)}", "{next_try_at}#{notification_id}", when="next_try_at"
            ),
        },
    )


class NotificationAt(Get[Notification]):
    """Get one notification."""

    user_id: str
    created_at: fields.Timestamp
    notification_id: str
    consistent = True


class NotificationsOfUser(Query[Notification]):
    """Get the notifications of a user, newest first."""

    user_id: str
    descending = True


class NotificationsOfUserIn(Query[Notification]):
    """Get the notifications of a user in a time range, newest first."""

    user_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "userId = {user_id} AND timestamp#notificationId BETWEEN {start} AND {end}#~"
    descending = True


class NotificationsOfAccount(Query[Notification]):
    """Get the notifications of an account in a time range, newest first."""

    account_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "accountId = {account_id} AND timestamp#notificationId BETWEEN {start} AND {end}#~"
    descending = True


class NotificationsByStatus(Query[Notification]):
    """Get the notifications of a user by status, newest first."""

    user_id: str
    status: NotificationStatus
    key = "userId = {user_id} AND begins_with(status#timestamp, {status}#)"
    descending = True


class UnreadNotifications(Query[Notification]):
    """Get the unread notifications of a user, newest first."""

    user_id: str
    index = "userId-unread-index"
    descending = True


class NotificationsToSend(Query[Notification]):
    """One shard of the notifications of all users that wait to be sent, the longest waiting first."""

    shard: int
    now: fields.Timestamp
    page_size = 50
    key = "outboxShard = {shard} AND nextTryAt#notificationId < {now}#~"


class Announcement(OutboxMessage, table=users_accounts, type="ANNOUNCEMENT", schema_version=1):
    """A notification to the members of an account who have one of these roles."""

    account_id: Annotated[Id, Field(alias="announcedIn")]
    roles: list[AccountRole]
    category: Category
    priority: Priority
    subject: str
    message: str
    resource_type: ResourceType
    resource_id: str

    keys = Keys(primary=("OUTBOX#announcements", "{message_id}#announcements"))
    suppress: ClassVar = {"TW401": "few, and deleted within seconds"}


class Announcements(Query[Announcement]):
    """Get the announcements of all accounts that wait to be delivered."""

    key = "userId = OUTBOX#announcements"
    consistent = True


ENTITIES = (Notification, Announcement)
PATTERNS = (
    NotificationAt,
    NotificationsOfUser,
    NotificationsOfUserIn,
    NotificationsOfAccount,
    NotificationsByStatus,
    UnreadNotifications,
    NotificationsToSend,
    Announcements,
)
