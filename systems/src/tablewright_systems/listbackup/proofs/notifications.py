"""Proofs of notifications: reading them, their delivery."""

from datetime import timedelta

from tablewright_systems.listbackup.design.accounts import BillingInfo
from tablewright_systems.listbackup.design.notifications import (
    Category,
    Channel,
    Notification,
    NotificationsByStatus,
    NotificationsOfAccount,
    NotificationsOfUser,
    NotificationsOfUserIn,
    NotificationStatus,
    UnreadNotifications,
)
from tablewright_systems.listbackup.design.users import Preferences
from tablewright_systems.listbackup.proofs.fixtures import (
    new_member,
    new_owner,
    new_worker,
    send_notification,
)
from tablewright_systems.listbackup.service import accounts, alerts, delivery, mfa, notifications, users
from tablewright_systems.listbackup.service.notifications import target_of
from tablewright_systems.service import Caller, Forbidden, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")
PROVIDER = Caller("mail", {"roles": ["webhook"]})


def _several(context: ProofContext, user_id: str, account_id: str) -> list[Notification]:
    made = []
    for number in range(3):
        made += send_notification(
            context.db, user_id, account_id, subject=f"News {number}", channels=(Channel.IN_APP,)
        )
        context.clock.advance(timedelta(seconds=1))
    return made


@PROOFS("A40")
def notifications_of_user(context: ProofContext) -> None:
    """Get the notifications of a user, newest first, all or in a time range."""
    ada, account = new_owner(context.db)
    made = _several(context, ada.user_id, account.account_id)
    with context.measured():
        listed = context.db.all(NotificationsOfUser(user_id=ada.user_id))
    assert listed == made[::-1]
    start, end = made[0].created_at, made[1].created_at
    ranged = context.db.all(NotificationsOfUserIn(user_id=ada.user_id, start=start, end=end))
    assert ranged == [made[1], made[0]]


@PROOFS("A41")
def notifications_of_account(context: ProofContext) -> None:
    """Get the notifications of an account in a time range."""
    ada, account = new_owner(context.db)
    made = _several(context, ada.user_id, account.account_id)
    pattern = NotificationsOfAccount(
        account_id=account.account_id, start=made[1].created_at, end=made[2].created_at
    )
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert listed == [made[2], made[1]]


@PROOFS("A42")
def notifications_by_status(context: ProofContext) -> None:
    """Get the notifications of a user by status, newest first."""
    ada, account = new_owner(context.db)
    made = _several(context, ada.user_id, account.account_id)
    notifications.mark_read(context.db, ada, made[1].created_at, made[1].notification_id)
    pattern = NotificationsByStatus(user_id=ada.user_id, status=NotificationStatus.DELIVERED)
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert listed == [made[2], made[0]]


@PROOFS("A49")
def unread(context: ProofContext) -> None:
    """Get and count a user's unread notifications, whatever their state of delivery."""
    ada, account = new_owner(context.db)
    made = _several(context, ada.user_id, account.account_id)
    notifications.mark_read(context.db, ada, made[0].created_at, made[0].notification_id)
    context.eventually(lambda: notifications.count_unread(context.db, ada) == 2)
    with context.measured():
        listed = context.db.all(UnreadNotifications(user_id=ada.user_id))
    assert listed == made[:0:-1]


@PROOFS("F15")
def delivery_of_a_notification(context: ProofContext) -> None:
    """Pending, sent, delivered, read; retried and failed with the reason; by the user's enabled channels."""
    db = context.db
    ada, account = new_owner(db)
    mail, who = (Channel.EMAIL,), new_worker()
    likes = Preferences(notifications={"channels": {"sms": False}, "muted": ["billing"]})
    users.change_profile(db, ada, preferences=likes)
    both = (Channel.SMS, Channel.IN_APP)
    assert [
        notification.type
        for notification in send_notification(db, ada.user_id, account.account_id, channels=both)
    ] == [Channel.IN_APP]
    assert (
        send_notification(db, ada.user_id, account.account_id, category=Category.BILLING, channels=mail) == []
    )

    (good,) = send_notification(db, ada.user_id, account.account_id, channels=mail)
    (bad,) = send_notification(db, ada.user_id, account.account_id, category=Category.SECURITY, channels=mail)
    assert good.status is NotificationStatus.PENDING
    with expect_error(Forbidden):
        delivery.send_all(db, ada, lambda notification: None)
    with expect_error(NotFound):
        notifications.mark_read(db, new_owner(db)[0], good.created_at, good.notification_id)
    _events_notify(context)
    sent: list[str] = []

    def send(notification: Notification) -> None:
        if notification.notification_id == bad.notification_id:
            raise OSError("no such mailbox")
        sent.append(notification.notification_id)

    def is_out() -> bool:
        delivery.send_all(db, who, send)
        return good.notification_id in sent

    with context.measured():
        context.eventually(is_out)
    assert sent.count(good.notification_id) == 1
    of_good = target_of(good)
    expect_error(Forbidden, lambda: delivery.send_all(db, ada, send))
    expect_error(Forbidden, lambda: delivery.record_delivered(db, ada, of_good))
    eve, _ = new_owner(db)
    expect_error(NotFound, lambda: notifications.mark_read(db, eve, good.created_at, good.notification_id))

    delivered = delivery.record_delivered(db, PROVIDER, of_good)
    assert (delivered.status, delivered.delivered_at) == (NotificationStatus.DELIVERED, db.now())
    read = notifications.mark_read(db, ada, good.created_at, good.notification_id)
    assert (read.status, read.read_at) == (NotificationStatus.READ, db.now())
    late = delivery.record_delivered(db, PROVIDER, of_good)
    assert late.status is NotificationStatus.READ, "a read notification stays read"

    def is_given_up() -> bool:
        context.clock.advance(delivery.MAX_BACKOFF)
        delivery.send_all(db, who, send)
        failed = db.all(NotificationsByStatus(user_id=ada.user_id, status=NotificationStatus.FAILED))
        return [notification.failure_reason for notification in failed] == ["no such mailbox"]

    for _ in range(delivery.MAX_ATTEMPTS - 2):
        assert not is_given_up()
    context.eventually(is_given_up)


def _events_notify(context: ProofContext) -> None:
    """Source errors, billing and security cause notifications: to owners and admins, or to the user."""
    db = context.db
    ada, account = new_owner(db)
    bob = new_member(db, ada, account.account_id)
    db.transact(*alerts.source_failed(account.account_id, "s1", "our keap", "the token was revoked"))
    accounts.change_billing(db, ada, account.account_id, BillingInfo(payment_method="card"))
    mfa.confirm_mfa(db, bob, mfa.totp(mfa.start_mfa(db, bob), db.now().timestamp()))

    def categories(user_id: str) -> set[Category]:
        alerts.ANNOUNCEMENTS.deliver_due(db)
        return {notification.category for notification in db.all(NotificationsOfUser(user_id=user_id))}

    context.eventually(lambda: categories(ada.user_id) >= {Category.SOURCE, Category.BILLING})
    assert Category.SECURITY in categories(bob.user_id), "the second factor was changed"
    assert Category.SOURCE not in categories(bob.user_id), "a member does not manage the account"
