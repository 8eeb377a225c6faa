"""Notifications: creating them for the channels that a user has enabled, listing them, and marking them as read.

`status` is the state of delivery until the notification is read; `readAt` alone shows whether it was read. A
notification that is read before it was sent is not sent any more.
"""

from datetime import datetime
from itertools import islice
from typing import Annotated, Any, NotRequired, TypedDict, Unpack

from pydantic import Field

from tablewright import Query, Repository, errors, fields, writes
from tablewright_systems.listbackup.design.memberships import AccountRole, Membership, MembershipStatus
from tablewright_systems.listbackup.design.notifications import (
    MAX_SUBJECT,
    Category,
    Channel,
    Notification,
    NotificationAt,
    NotificationData,
    NotificationsByStatus,
    NotificationsOfAccount,
    NotificationsOfUser,
    NotificationsOfUserIn,
    NotificationStatus,
    UnreadNotifications,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Id, Priority, ResourceType
from tablewright_systems.listbackup.service.access import active_user, require_admin, require_role
from tablewright_systems.service import NotFound, require_found, time_range
from tablewright_systems.web import Body, CurrentCaller, Db, Router

router = Router("Notifications", "Notifications, preferences, and reports of delivery.")

Timestamp = fields.Timestamp
DEFAULT_CHANNELS = (Channel.IN_APP, Channel.EMAIL)


class NotificationMessage(TypedDict):
    """What a notification says, and what it is about."""

    category: Category
    priority: NotRequired[Priority]
    subject: str
    message: str
    resource_type: NotRequired[ResourceType | None]
    resource_id: NotRequired[str | None]
    action_url: NotRequired[str | None]
    channels: NotRequired[tuple[Channel, ...]]


def notification_writes(
    db: Repository, user_id: str, account_id: str, **message: Unpack[NotificationMessage]
) -> list[writes.Write]:
    """Return the writes that notify a member by the enabled channels, for use in a transaction.

    A user who is not an active member of the account gets none.
    """
    user = _active_member(db, user_id, account_id)
    return notify_user(db, user, account_id, **message) if user else []


def notify_user(
    db: Repository, user: User, account_id: str | None, **message: Unpack[NotificationMessage]
) -> list[writes.Write]:
    """Return the writes that notify a user, a member of the account or not, by the enabled channels."""
    now = db.now()
    priority = message.get("priority", Priority.MEDIUM)
    data = NotificationData(
        resource_type=message.get("resource_type"),
        resource_id=message.get("resource_id"),
        action_url=message.get("action_url"),
    )
    return [
        writes.Create(
            Notification(
                user_id=user.user_id,
                account_id=account_id,
                type=channel,
                category=message["category"],
                priority=priority,
                subject=message["subject"][:MAX_SUBJECT],
                message=message["message"],
                data=data,
                **_initial_status(channel, now),
            )
        )
        for channel in message.get("channels", DEFAULT_CHANNELS)
        if is_enabled(user, channel, message["category"], priority)
    ]


class NewNotification(Body):
    """A new notification."""

    user_id: Id
    category: Category
    priority: Priority = Priority.MEDIUM
    subject: Annotated[str, Field(min_length=1, max_length=200)]
    message: Annotated[str, Field(max_length=10_000)]
    channels: Annotated[tuple[Channel, ...], Field(max_length=4)] = DEFAULT_CHANNELS
    action_url: Annotated[str, Field(max_length=2_000)] | None = None


@router.post("/accounts/{account_id}/notifications", status_code=201, body=NewNotification)
def notify(
    db: Db, caller: CurrentCaller, user_id: Id, account_id: str, **message: Unpack[NotificationMessage]
) -> list[Notification]:
    """Notify a user by the channels that the user has enabled. For the platform's staff."""
    # Members are notified by what happens in their account.
    require_admin(db, caller)
    if _active_member(db, user_id, account_id) is None:
        raise NotFound(f"active member {user_id} of account {account_id}")
    written = db.transact(*notification_writes(db, user_id, account_id, **message))
    return [notification for notification in written if isinstance(notification, Notification)]


def is_enabled(user: User, channel: Channel, category: Category, priority: Priority) -> bool:
    """Whether a user has enabled notifications of this kind; in-app, security and critical ones cannot be muted.

    Preferences are `{"channels": {"sms": false}, "muted": ["billing"]}`; everything they do not name is enabled.
    """
    if channel is Channel.IN_APP or category is Category.SECURITY or priority is Priority.CRITICAL:
        return True
    preferences = user.preferences.notifications
    channels, muted = preferences.get("channels"), preferences.get("muted")
    is_off = isinstance(channels, dict) and channels.get(channel.value) is False
    return not is_off and not (isinstance(muted, list) and category.value in muted)


def _active_member(db: Repository, user_id: str, account_id: str) -> User | None:
    user, membership = db.get_all(
        UserById(user_id=user_id), Membership(user_id=user_id, account_id=account_id)
    )
    is_member = membership is not None and membership.status is MembershipStatus.ACTIVE
    return user if user is not None and user.status is UserStatus.ACTIVE and is_member else None


def _initial_status(channel: Channel, now: datetime) -> dict[str, Any]:
    if channel is Channel.IN_APP:
        return {"status": NotificationStatus.DELIVERED, "sent_at": now, "delivered_at": now}
    return {"next_try_at": now}


def target_of(notification: Notification) -> NotificationAt:
    """Return the key of a notification."""
    return NotificationAt(
        user_id=notification.user_id,
        created_at=notification.created_at,
        notification_id=notification.notification_id,
    )


def get_notification(db: Repository, target: NotificationAt) -> Notification:
    """Return a notification, or raise NotFound."""
    return require_found(db.run(target), f"notification {target.notification_id}")


MAX_COUNTED = 1_000
UNREAD = fields.of(Notification.read_at).is_absent()


@router.get("/users/me/notifications", name="own_notifications")
def inbox(
    db: Db,
    caller: CurrentCaller,
    *,
    status: NotificationStatus | None = None,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> Query[Notification]:
    """List the caller's notifications, newest first: by status, by time range, or all."""
    user_id = active_user(db, caller).user_id
    if status is not None:
        return NotificationsByStatus(user_id=user_id, status=status)
    if start is None and end is None:
        return NotificationsOfUser(user_id=user_id)
    return NotificationsOfUserIn(user_id=user_id, **time_range(start, end))


@router.get("/users/me/notifications/unread")
def unread(db: Db, caller: CurrentCaller) -> UnreadNotifications:
    """List the caller's unread notifications, newest first."""
    return UnreadNotifications(user_id=active_user(db, caller).user_id)


@router.get("/users/me/notifications/unread/count")
def count_unread(db: Db, caller: CurrentCaller) -> int:
    """Count the caller's unread notifications, up to a thousand."""
    notifications = db.iterate(unread(db, caller), unknown="skip")
    return sum(1 for _ in islice(notifications, MAX_COUNTED))


@router.get("/accounts/{account_id}/notifications", name="of_account")
def notifications_of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    start: Timestamp | None = None,
    end: Timestamp | None = None,
) -> NotificationsOfAccount:
    """List the notifications of an account, newest first. For its owners and admins."""
    require_role(db, caller, account_id, AccountRole.OWNER, AccountRole.ADMIN)
    return NotificationsOfAccount(account_id=account_id, **time_range(start, end))


@router.post("/users/me/notifications/{created_at}/{notification_id}/reading")
def mark_read(db: Db, caller: CurrentCaller, created_at: Timestamp, notification_id: Id) -> Notification:
    """Mark one of the caller's notifications as read."""
    active_user(db, caller)
    target = NotificationAt(user_id=caller.user_id, created_at=created_at, notification_id=notification_id)
    return db.update(
        target,
        fields.of(Notification.status).set(NotificationStatus.READ),
        fields.of(Notification.read_at).set_if_absent(db.now()),
        fields.of(Notification.next_try_at).remove(),
        otherwise=NotFound(f"notification {notification_id}"),
    )


@router.post("/users/me/notifications/reading")
def mark_all_read(db: Db, caller: CurrentCaller) -> int:
    """Mark all of the caller's notifications as read."""
    count = 0
    for notification in db.iterate(unread(db, caller), unknown="skip"):
        try:
            db.update(target_of(notification), set=_read_now(db), when=UNREAD)
            count += 1
        except (errors.ConditionNotMet, errors.DoesNotExist):
            continue  # the index lags
    return count


def _read_now(db: Repository) -> dict[str, Any]:
    return {"status": NotificationStatus.READ, "read_at": db.now(), "next_try_at": None}
