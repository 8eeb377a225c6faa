"""Notifications: creating them for the channels that a user has enabled.

`status` is the state of delivery until the notification is read; `readAt` alone shows whether it was read. A
notification that is read before it was sent is not sent any more.
"""

from datetime import datetime
from typing import Any

from tablewright import Repository, writes
from tablewright_systems.listbackup.design.memberships import Membership, MembershipStatus
from tablewright_systems.listbackup.design.notifications import (
    Category,
    Channel,
    Notification,
    NotificationAt,
    NotificationData,
    NotificationStatus,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Document, Priority, ResourceType
from tablewright_systems.listbackup.service.access import require_admin
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import NotFound

DEFAULT_CHANNELS = (Channel.IN_APP, Channel.EMAIL)


def notification_writes(
    db: Repository,
    user_id: str,
    account_id: str,
    *,
    category: Category,
    priority: Priority,
    subject: str,
    message: str,
    resource_type: ResourceType | None = None,
    resource_id: str | None = None,
    action_url: str | None = None,
    metadata: Document | None = None,
    channels: tuple[Channel, ...] = DEFAULT_CHANNELS,
) -> list[writes.Write]:
    """Return the writes that notify a member by the enabled channels, for use in a transaction.

    A user who is not an active member of the account gets none.
    """
    user = _active_member(db, user_id, account_id)
    if user is None:
        return []
    now = db.now()
    data = NotificationData(
        resource_type=resource_type, resource_id=resource_id, action_url=action_url, metadata=metadata or {}
    )
    return [
        writes.Create(
            Notification(
                user_id=user_id,
                account_id=account_id,
                type=channel,
                category=category,
                priority=priority,
                subject=subject,
                message=message,
                data=data,
                **_initial_status(channel, now),
            )
        )
        for channel in channels
        if is_enabled(user, channel, category, priority)
    ]


def notify(
    db: Repository,
    caller: Caller,
    user_id: str,
    account_id: str,
    *,
    category: Category,
    subject: str,
    message: str,
    priority: Priority = Priority.MEDIUM,
    channels: tuple[Channel, ...] = DEFAULT_CHANNELS,
    action_url: str | None = None,
) -> list[Notification]:
    """Notify a user. For the platform's staff; members are notified by what happens in their account."""
    require_admin(db, caller)
    if _active_member(db, user_id, account_id) is None:
        raise NotFound(f"active member {user_id} of account {account_id}")
    written = db.transact(
        *notification_writes(
            db,
            user_id,
            account_id,
            category=category,
            priority=priority,
            subject=subject,
            message=message,
            action_url=action_url,
            channels=channels,
        )
    )
    return [each for each in written if isinstance(each, Notification)]


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
    found = db.run(target)
    if found is None:
        raise NotFound(f"notification {target.notification_id}")
    return found
