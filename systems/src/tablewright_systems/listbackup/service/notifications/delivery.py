"""Delivery: sending notifications by e-mail and other channels.

Notifications of the application itself are delivered when they are created. All others wait in an outbox: a worker
claims one, sends it and confirms the result. A failed attempt is repeated with increasing delays; after the last one
the notification has failed, with the reason. Attempts are numbered, so that a late confirmation of one attempt cannot
change the result of the next.
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from tablewright import Repository, errors, reads, writes
from tablewright_systems.listbackup.design.notifications import (
    OUTBOX_SHARDS,
    Channel,
    Notification,
    NotificationAt,
    NotificationStatus,
    NotificationsToSend,
)
from tablewright_systems.listbackup.service.access import require_staff
from tablewright_systems.listbackup.service.notifications.notifications import get_notification
from tablewright_systems.service import Caller, backoff

LEASE = timedelta(minutes=2)
MAX_ATTEMPTS = 5
FIRST_BACKOFF = timedelta(minutes=1)
MAX_BACKOFF = timedelta(hours=6)

Send = Callable[[Notification], None]
"""Sends a notification by its channel; any exception is a failed attempt. It may be called twice for one
notification, when a worker died in between: use the notification's id as the provider's idempotency key.
"""


@dataclass(frozen=True, slots=True)
class Attempt:
    """A numbered attempt of a worker to send a notification."""

    user_id: str
    created_at: datetime
    notification_id: str
    number: int

    @property
    def target(self) -> NotificationAt:
        """The key of the notification."""
        return NotificationAt(
            user_id=self.user_id, created_at=self.created_at, notification_id=self.notification_id
        )


def attempt_of(claimed: Notification) -> Attempt:
    """Return the attempt for which a notification was claimed."""
    return Attempt(claimed.user_id, claimed.created_at, claimed.notification_id, claimed.attempts)


@dataclass(slots=True)
class SendReport:
    """The result of a round of sending."""

    sent: int = 0
    failed: int = 0


def waiting_notifications(db: Repository, caller: Caller) -> Iterator[Notification]:
    """Iterate over the notifications of all users that wait to be sent, oldest first. For workers."""
    require_staff(caller, "worker")
    now = db.now()
    shards = [NotificationsToSend(shard=shard, now=now) for shard in range(OUTBOX_SHARDS)]
    return db.iterate(reads.Merged(shards), unknown="skip")


def claim(db: Repository, caller: Caller, most: int = 100) -> list[Notification]:
    """Claim notifications to send; no other worker gets them for a while. `attempts` is the number of the attempt."""
    return list(islice(_claim_each(db, caller), most))


def confirm_sent(db: Repository, caller: Caller, attempt: Attempt) -> bool:
    """Confirm that a notification was sent; return False if that attempt had already ended."""
    require_staff(caller, "worker")
    return _finish_attempt(
        db, attempt, {"status": NotificationStatus.SENT, "sent_at": db.now(), "next_try_at": None}
    )


def confirm_failed(db: Repository, caller: Caller, attempt: Attempt, reason: str) -> bool:
    """Report a failed attempt, to be retried later or given up; return False if it had already ended."""
    require_staff(caller, "worker")
    after: dict[str, Any] = {"failure_reason": reason[:1000]}
    if attempt.number >= MAX_ATTEMPTS:
        after |= {"status": NotificationStatus.FAILED, "next_try_at": None}
    else:
        wait = backoff(attempt.number - 1, FIRST_BACKOFF, MAX_BACKOFF, attempt.notification_id)
        after |= {"next_try_at": db.now() + wait}
    return _finish_attempt(db, attempt, after)


def send_all(db: Repository, caller: Caller, send: Send, *channels: Channel) -> SendReport:
    """Claim, send and confirm one notification after the other, of these channels or of all, until none is left."""
    report = SendReport()
    for claimed in _claim_each(db, caller, channels):
        try:
            send(claimed)
        except Exception as failure:  # whatever a provider raises
            report.failed += confirm_failed(db, caller, attempt_of(claimed), str(failure))
        else:
            report.sent += confirm_sent(db, caller, attempt_of(claimed))
    return report


def record_delivered(
    db: Repository, caller: Caller, user_id: str, created_at: datetime, notification_id: str
) -> Notification:
    """Record a provider's report of delivery. It may come late or twice: a read notification stays read."""
    require_staff(caller, "webhook")
    target = NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)
    found = get_notification(db, target)
    if found.delivered_at is None:
        db.update(target, set={"delivered_at": db.now(), "next_try_at": None})
    _advance_status(db, target, NotificationStatus.DELIVERED)
    return get_notification(db, target)


def record_bounced(
    db: Repository, caller: Caller, user_id: str, created_at: datetime, notification_id: str, reason: str
) -> Notification:
    """Record a provider's report that a notification could not be delivered."""
    require_staff(caller, "webhook")
    target = NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)
    get_notification(db, target)
    _advance_status(db, target, NotificationStatus.FAILED, failure_reason=reason[:1000])
    return get_notification(db, target)


def _claim_each(db: Repository, caller: Caller, channels: Collection[Channel] = ()) -> Iterator[Notification]:
    """Claim notifications of these channels, or of all, one by one, as they are consumed.

    Claims are transactions, because those carry an idempotency token: if two workers write the same values and lose the
    reply, a retry can detect which of them succeeded.
    """
    for found in waiting_notifications(db, caller):
        if channels and found.type not in channels:
            continue
        values = {"next_try_at": db.now() + LEASE, "attempts": found.attempts + 1}
        claimed = writes.Update(
            attempt_of(found).target,
            set=values,
            when=(Notification.next_try_at == found.next_try_at) & (Notification.attempts == found.attempts),
        )
        try:
            db.transact(claimed)
        except errors.TransactionFailed:
            continue  # another worker was faster, or the user has read it
        yield found.changed(**values)


def _finish_attempt(db: Repository, attempt: Attempt, after: dict[str, Any]) -> bool:
    """Store the result of an attempt, unless a newer attempt has begun or the user has read the notification."""
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


def _advance_status(db: Repository, target: NotificationAt, status: NotificationStatus, **more: Any) -> None:
    """Change the status of a notification that is pending or sent."""
    on_its_way = Notification.status == NotificationStatus.SENT
    try:
        db.update(
            target,
            set={"status": status, "next_try_at": None, **more},
            when=on_its_way | (Notification.status == NotificationStatus.PENDING),
        )
    except errors.ConditionNotMet:
        return  # it was delivered, read or given up before
