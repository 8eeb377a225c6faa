"""Notifications: what users are told, and how it gets to them.

What is shown in the application is delivered when it is written. The rest waits in an outbox: a worker takes it, sends
it, and says so; failures are tried again, less and less often, and at last given up with the reason. Who has taken
which attempt is told by its number, so that two workers never both speak for one attempt.

`status` follows the way of a message until it is read; `readAt` alone tells whether it was. What is read before it was
sent need not be sent any more.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from heapq import merge
from itertools import islice
from typing import Any

from tablewright import Query, Repository, errors, writes
from tablewright_systems.api_errors import NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.memberships import AccountRole, Membership, MembershipStatus
from tablewright_systems.listbackup.design.notifications import (
    OUTBOX_SHARDS,
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
    NotificationsToSend,
    UnreadNotifications,
)
from tablewright_systems.listbackup.design.users import User, UserById, UserStatus
from tablewright_systems.listbackup.design.vocabulary import Document, Priority, ResourceType
from tablewright_systems.listbackup.service.access import active_user, require_role, require_staff
from tablewright_systems.listbackup.service.retries import backoff
from tablewright_systems.listbackup.service.time_ranges import span

LEASE = timedelta(minutes=2)
MOST_ATTEMPTS = 5
FIRST_BACKOFF = timedelta(minutes=1)
LONGEST_BACKOFF = timedelta(hours=6)
MOST_COUNTED = 1_000
USUAL = (Channel.IN_APP, Channel.EMAIL)
UNREAD: Any = Notification.read_at == None  # noqa: E711 - a condition

Send = Callable[[Notification], None]
"""Sends a notification by its channel; whatever it raises is a failure. It may be told to send one twice, when a worker
died in between: the notification's id is the key by which a provider knows it again."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A notification in the hands of a worker, for the so manieth time."""

    user_id: str
    created_at: datetime
    notification_id: str
    number: int

    @property
    def target(self) -> NotificationAt:
        """Which notification it is."""
        return NotificationAt(
            user_id=self.user_id, created_at=self.created_at, notification_id=self.notification_id
        )


def attempt_of(taken: Notification) -> Attempt:
    """The attempt that a notification was taken for."""
    return Attempt(taken.user_id, taken.created_at, taken.notification_id, taken.attempts)


@dataclass(slots=True)
class Tally:
    """What came of a round of sending."""

    sent: int = 0
    failed: int = 0


def notices(
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
    channels: tuple[Channel, ...] = USUAL,
) -> list[writes.Write]:
    """The writes that tell a member something by the channels they like, to be put into a transaction.

    Who has left the account, or is kept out, hears nothing of it.
    """
    user = _reachable(db, user_id, account_id)
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
                **_on_its_way(channel, now),
            )
        )
        for channel in channels
        if is_wanted(user, channel, category, priority)
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
    channels: tuple[Channel, ...] = USUAL,
    action_url: str | None = None,
) -> list[Notification]:
    """Tell a user something. For the platform's staff: members hear of each other by what happens."""
    require_staff(caller, "admin")
    if _reachable(db, user_id, account_id) is None:
        raise NotFound(f"active member {user_id} of account {account_id}")
    written = db.transact(
        *notices(
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


def is_wanted(user: User, channel: Channel, category: Category, priority: Priority) -> bool:
    """Whether a user likes to hear of such things so; the application itself, and what is critical, cannot be muted.

    Preferences are `{"channels": {"sms": false}, "muted": ["billing"]}`; what they do not name is wanted.
    """
    if channel is Channel.IN_APP or category is Category.SECURITY or priority is Priority.CRITICAL:
        return True
    likes = user.preferences.notifications
    channels, muted = likes.get("channels"), likes.get("muted")
    is_off = isinstance(channels, dict) and channels.get(channel.value) is False
    return not is_off and not (isinstance(muted, list) and category.value in muted)


def inbox(
    db: Repository,
    caller: Caller,
    *,
    status: NotificationStatus | None = None,
    start: datetime | None = None,
    end: datetime | None = None,
) -> Query[Notification]:
    """The pattern that finds the caller's own notifications, the newest first: of a status, of a time, or all."""
    user_id = active_user(db, caller.user_id).user_id
    if status is not None:
        return NotificationsByStatus(user_id=user_id, status=status)
    if start is None and end is None:
        return NotificationsOfUser(user_id=user_id)
    return NotificationsOfUserIn(user_id=user_id, **span(start, end))


def unread(db: Repository, caller: Caller) -> UnreadNotifications:
    """The pattern that finds what the caller has not read, the newest first."""
    return UnreadNotifications(user_id=active_user(db, caller.user_id).user_id)


def count_unread(db: Repository, caller: Caller) -> int:
    """How many the caller has not read; counted up to a thousand."""
    found = db.iterate(unread(db, caller), unknown="skip")
    return sum(1 for _ in islice(found, MOST_COUNTED))


def of_account(
    db: Repository,
    caller: Caller,
    account_id: str,
    start: datetime | None = None,
    end: datetime | None = None,
) -> NotificationsOfAccount:
    """The pattern that finds what the people of an account were told. For its owners and admins."""
    require_role(db, caller, account_id, AccountRole.OWNER, AccountRole.ADMIN)
    return NotificationsOfAccount(account_id=account_id, **span(start, end))


def mark_read(db: Repository, caller: Caller, created_at: datetime, notification_id: str) -> Notification:
    """Note that the caller has read a notification; again, and nothing changes."""
    active_user(db, caller.user_id)
    target = NotificationAt(user_id=caller.user_id, created_at=created_at, notification_id=notification_id)
    try:
        return db.update(target, set=_read(db), when=UNREAD)
    except errors.ConditionNotMet:
        return _found(db, target)
    except errors.DoesNotExist:
        raise NotFound(f"notification {notification_id}") from None


def mark_all_read(db: Repository, caller: Caller) -> int:
    """Note that the caller has read everything; how many were new to them."""
    count = 0
    for each in db.iterate(unread(db, caller), unknown="skip"):
        try:
            db.update(attempt_of(each).target, set=_read(db), when=UNREAD)
            count += 1
        except (errors.ConditionNotMet, errors.DoesNotExist):
            continue  # the index is behind
    return count


def to_send(db: Repository, caller: Caller) -> Iterator[Notification]:
    """What waits to be sent to anybody, the longest waiting first. For workers."""
    require_staff(caller, "worker")
    now = db.now()
    shards = [
        db.iterate(NotificationsToSend(shard=shard, now=now), unknown="skip")
        for shard in range(OUTBOX_SHARDS)
    ]
    return merge(*shards, key=lambda each: (each.next_try_at, each.notification_id))


def claim(db: Repository, caller: Caller, most: int = 100) -> list[Notification]:
    """Take notifications to send; nobody else gets them for a while. `attempts` is what each is to be spoken for by."""
    return list(islice(_claims(db, caller), most))


def confirm_sent(db: Repository, caller: Caller, attempt: Attempt) -> bool:
    """Say that a notification was sent; False when that attempt had ended."""
    require_staff(caller, "worker")
    return _settle(db, attempt, {"status": NotificationStatus.SENT, "sent_at": db.now(), "next_try_at": None})


def confirm_failed(db: Repository, caller: Caller, attempt: Attempt, reason: str) -> bool:
    """Say that sending failed: it is tried again later, or given up; False when that attempt had ended."""
    require_staff(caller, "worker")
    after: dict[str, Any] = {"failure_reason": reason[:1000]}
    if attempt.number >= MOST_ATTEMPTS:
        after |= {"status": NotificationStatus.FAILED, "next_try_at": None}
    else:
        wait = backoff(attempt.number - 1, FIRST_BACKOFF, LONGEST_BACKOFF, attempt.notification_id)
        after |= {"next_try_at": db.now() + wait}
    return _settle(db, attempt, after)


def send_all(db: Repository, caller: Caller, send: Send) -> Tally:
    """One round: take, send and confirm, one after the other, until nothing is left to take."""
    tally = Tally()
    for taken in _claims(db, caller):
        try:
            send(taken)
        except Exception as failure:  # whatever a provider raises
            tally.failed += confirm_failed(db, caller, attempt_of(taken), str(failure))
        else:
            tally.sent += confirm_sent(db, caller, attempt_of(taken))
    return tally


def note_delivered(
    db: Repository, caller: Caller, user_id: str, created_at: datetime, notification_id: str
) -> Notification:
    """A provider says that a notification arrived. It may say so late, or twice: what is read stays read."""
    require_staff(caller, "webhook")
    target = NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)
    found = _found(db, target)
    if found.delivered_at is None:
        db.update(target, set={"delivered_at": db.now(), "next_try_at": None})
    _follow(db, target, NotificationStatus.DELIVERED)
    return _found(db, target)


def note_bounced(
    db: Repository, caller: Caller, user_id: str, created_at: datetime, notification_id: str, reason: str
) -> Notification:
    """A provider says that a notification, which it took, could not be delivered."""
    require_staff(caller, "webhook")
    target = NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)
    _found(db, target)
    _follow(db, target, NotificationStatus.FAILED, failure_reason=reason[:1000])
    return _found(db, target)


def _reachable(db: Repository, user_id: str, account_id: str) -> User | None:
    user = db.run(UserById(user_id=user_id))
    membership = db.run(Membership(user_id=user_id, account_id=account_id))
    is_member = membership is not None and membership.status is MembershipStatus.ACTIVE
    return user if user is not None and user.status is UserStatus.ACTIVE and is_member else None


def _claims(db: Repository, caller: Caller) -> Iterator[Notification]:
    """Take one after the other, as they are asked for.

    By a transaction, which bears a token: of two workers that write the very same, and lose the answer, one is right.
    """
    for found in to_send(db, caller):
        values = {"next_try_at": db.now() + LEASE, "attempts": found.attempts + 1}
        taken = writes.Update(
            attempt_of(found).target,
            set=values,
            when=(Notification.next_try_at == found.next_try_at) & (Notification.attempts == found.attempts),
        )
        try:
            db.transact(taken)
        except errors.TransactionFailed:
            continue  # somebody was faster, or it was read
        yield found.changed(**values)


def _settle(db: Repository, attempt: Attempt, after: dict[str, Any]) -> bool:
    """Note what came of an attempt, unless another has begun, or the user has read it."""
    try:
        db.update(
            attempt.target,
            set=after,
            when=(Notification.attempts == attempt.number)
            & (Notification.status == NotificationStatus.PENDING),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist):
        return False
    return True


def _follow(db: Repository, target: NotificationAt, status: NotificationStatus, **more: Any) -> None:
    """Move the status on, from what is on its way only."""
    on_its_way: Any = Notification.status == NotificationStatus.SENT
    try:
        db.update(
            target,
            set={"status": status, "next_try_at": None, **more},
            when=on_its_way | (Notification.status == NotificationStatus.PENDING),
        )
    except errors.ConditionNotMet:
        return  # it arrived, was read or was given up before


def _on_its_way(channel: Channel, now: datetime) -> dict[str, Any]:
    if channel is Channel.IN_APP:
        return {"status": NotificationStatus.DELIVERED, "sent_at": now, "delivered_at": now}
    return {"next_try_at": now}


def _read(db: Repository) -> dict[str, Any]:
    return {"status": NotificationStatus.READ, "read_at": db.now(), "next_try_at": None}


def _found(db: Repository, target: NotificationAt) -> Notification:
    found = db.run(target)
    if found is None:
        raise NotFound(f"notification {target.notification_id}")
    return found
