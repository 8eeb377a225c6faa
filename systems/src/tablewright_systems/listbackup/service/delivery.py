"""Delivery: sending notifications by e-mail and other channels.

Notifications of the application itself are delivered when they are created. All others wait in an outbox: a worker
claims one, sends it and confirms the result. A failed attempt is repeated with increasing delays; after the last one
the notification has failed, with the reason. Attempts are numbered, so that a late confirmation of one attempt cannot
change the result of the next.

A background job sends e-mails through a mail server, which environment variables name:

LISTBACKUP_SMTP     host:port of the mail server; without it, e-mails wait
LISTBACKUP_SENDER   address that e-mails come from
"""

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated, Any

from fastapi import Depends
from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.listbackup.design.notifications import (
    OUTBOX_SHARDS,
    Channel,
    Notification,
    NotificationAt,
    NotificationStatus,
    NotificationsToSend,
)
from tablewright_systems.listbackup.design.users import UserById
from tablewright_systems.listbackup.design.vocabulary import Id
from tablewright_systems.listbackup.service.access import require_staff
from tablewright_systems.listbackup.service.notifications import get_notification, target_of
from tablewright_systems.service import Caller, Lease, MailServer, backoff, require_found
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Notifications")

LEASE = Lease(timedelta(minutes=2), id_field="attempts", until_field="next_try_at")
MAX_ATTEMPTS = 5
FIRST_BACKOFF = timedelta(minutes=1)
MAX_BACKOFF = timedelta(hours=6)

Send = Callable[[Notification], None]
"""Sends a notification by its channel; any exception is a failed attempt. It may be called twice for one
notification, when a worker died in between: use the notification's id as the provider's idempotency key.
"""


_ONE = "/notifications/{user_id}/{created_at}/{notification_id}"


def _target(user_id: str, created_at: fields.Timestamp, notification_id: Id) -> NotificationAt:
    return NotificationAt(user_id=user_id, created_at=created_at, notification_id=notification_id)


Target = Annotated[NotificationAt, Depends(_target)]


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


def confirm_sent(db: Repository, caller: Caller, target: NotificationAt, attempt: int) -> bool:
    """Confirm that a notification was sent; return False if that attempt had already ended."""
    require_staff(caller, "worker")
    sent = {"status": NotificationStatus.SENT, "sent_at": db.now(), "next_try_at": None}
    return _finish_attempt(db, target, attempt, sent)


def confirm_failed(db: Repository, caller: Caller, target: NotificationAt, attempt: int, reason: str) -> bool:
    """Report a failed attempt, to be retried later or given up; return False if it had already ended."""
    require_staff(caller, "worker")
    after: dict[str, Any] = {"failure_reason": reason[:1000]}
    if attempt >= MAX_ATTEMPTS:
        after |= {"status": NotificationStatus.FAILED, "next_try_at": None}
    else:
        wait = backoff(attempt - 1, FIRST_BACKOFF, MAX_BACKOFF, target.notification_id)
        after |= {"next_try_at": db.now() + wait}
    return _finish_attempt(db, target, attempt, after)


def send_all(db: Repository, caller: Caller, send: Send, *channels: Channel) -> SendReport:
    """Claim, send and confirm one notification after the other, of these channels or of all, until none is left."""
    report = SendReport()
    for claimed in claims(db, caller, channels):
        attempt = target_of(claimed), claimed.attempts
        try:
            send(claimed)
        except Exception as failure:  # whatever a provider raises
            report.failed += confirm_failed(db, caller, *attempt, str(failure))
        else:
            report.sent += confirm_sent(db, caller, *attempt)
    return report


@router.post(f"{_ONE}/delivery")
def record_delivered(db: Db, caller: CurrentCaller, target: Target) -> Notification:
    """Report that a notification was delivered. For providers."""
    # It may come late or twice: a read notification stays read.
    require_staff(caller, "webhook")
    if get_notification(db, target).delivered_at is None:
        db.update(target, set={"delivered_at": db.now(), "next_try_at": None})
    _advance_status(db, target, NotificationStatus.DELIVERED)
    return get_notification(db, target)


@router.post(f"{_ONE}/bounce")
def record_bounced(
    db: Db,
    caller: CurrentCaller,
    target: Target,
    reason: Annotated[str, Field(min_length=1, max_length=1000)],
) -> Notification:
    """Report that a notification could not be delivered. For providers."""
    require_staff(caller, "webhook")
    get_notification(db, target)
    _advance_status(db, target, NotificationStatus.FAILED, failure_reason=reason[:1000])
    return get_notification(db, target)


def claims(db: Repository, caller: Caller, channels: Collection[Channel] = ()) -> Iterator[Notification]:
    """Claim notifications of these channels, or of all, one by one, as they are consumed. For workers.

    Claims are transactions, because those carry an idempotency token: if two workers write the same values and lose the
    reply, a retry can detect which of them succeeded.
    """
    for notification in waiting_notifications(db, caller):
        if channels and notification.type not in channels:
            continue
        values = {**LEASE.renewed(db), "attempts": notification.attempts + 1}
        waiting = LEASE.held(notification) & (Notification.next_try_at == notification.next_try_at)
        try:
            db.transact(writes.Update(target_of(notification), set=values, when=waiting))
        except errors.TransactionFailed:
            continue  # another worker was faster, or the user has read it
        yield notification.changed(**values)


def _finish_attempt(db: Repository, target: NotificationAt, attempt: int, after: dict[str, Any]) -> bool:
    """Store the result of an attempt, unless a newer attempt has begun or the user has read the notification."""
    current = (Notification.attempts == attempt) & (Notification.status == NotificationStatus.PENDING)
    try:
        db.update(target, set=after, when=current)
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


SERVER, SENDER = "LISTBACKUP_SMTP", "LISTBACKUP_SENDER"


def send_mails(db: Repository, caller: Caller) -> SendReport:
    """Send the e-mails that wait, if the environment names a mail server. For workers."""
    server = MailServer.from_environment(SERVER, SENDER)
    if server is None:
        return SendReport()

    def send(notification: Notification) -> None:
        address = _address(db, notification)
        server.send(address, notification.subject, notification.message, notification.notification_id)

    return send_all(db, caller, send, Channel.EMAIL)


def _address(db: Repository, notification: Notification) -> str:
    """Return the address of an invited person, or that of the user at this time."""
    if notification.address is not None:
        return notification.address
    user = db.run(UserById(user_id=notification.user_id))
    return require_found(user, f"user {notification.user_id}").email
