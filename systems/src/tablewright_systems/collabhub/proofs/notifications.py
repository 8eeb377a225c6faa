"""Proofs of notifications."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Notifications, NotificationType, Role, UnreadNotifications
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import notifications, users
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Caller, Forbidden
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
TICK = timedelta(milliseconds=1)


def notify(context: ProofContext, user: Caller, times: int) -> list[str]:
    """Create notifications, one millisecond apart; return their ids."""
    made = []
    for number in range(times):
        context.clock.advance(TICK)
        created = notification(
            context.db, user.user_id, NotificationType.SYSTEM, f"News {number}", "!", ("USER", "-")
        )
        context.db.transact(created)
        made.append(created.entity.notification_id)
    return made


@PROOFS("A23")
def list_notifications(context: ProofContext) -> None:
    """List notifications, newest first."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    with context.measured():
        page = context.db.run(Notifications(user_id=ada.user_id), limit=20)
    assert [each.notification_id for each in page] == made[::-1]


@PROOFS("A38")
def list_unread_notifications(context: ProofContext) -> None:
    """List and count unread notifications; a read one leaves the list."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    notifications.mark_read(context.db, ada, made[1])
    fixtures.read_when(
        context,
        lambda: context.db.iterate(UnreadNotifications(user_id=ada.user_id)),
        lambda found: [each.notification_id for each in found] == [made[2], made[0]],
    )
    assert notifications.count_unread(context.db, ada) == 2


@PROOFS("F9")
def read_notifications(context: ProofContext) -> None:
    """Notifications are unread until their user marks them as read, one by one or all at once."""
    db = context.db
    ada, eve = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    made = notify(context, ada, 3)
    expect_error(errors.DoesNotExist, lambda: notifications.mark_read(db, eve, made[0]))
    assert notifications.mark_all_read(db, eve) == 0
    with context.measured():
        assert notifications.mark_read(db, ada, made[0]).is_read
    context.eventually(lambda: len(db.all(design.UnreadNotifications(user_id=ada.user_id))) == 2)
    assert notifications.mark_all_read(db, ada) == 2
    context.eventually(lambda: notifications.count_unread(db, ada) == 0)
    assert all(each.is_read for each in db.all(design.Notifications(user_id=ada.user_id)))
    users.ban(db, fixtures.STAFF, ada.user_id)
    expect_error(Forbidden, lambda: notifications.count_unread(db, ada))
    assert notifications.notify(db, ada.user_id, NotificationType.SYSTEM, "News", "!", ("USER", "-")) == []
