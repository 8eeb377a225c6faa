"""Proofs of notifications (246-264)."""

from datetime import timedelta

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Notifications, NotificationType, Role, UnreadNotifications
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    notifications,
)
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Caller
from tablewright_systems.verification.proofs import ProofContext, Proofs

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


@PROOFS("A23", "004:292")
def list_notifications(context: ProofContext) -> None:
    """List notifications, newest first."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    with context.measured():
        page = context.db.run(Notifications(user_id=ada.user_id), limit=20)
    assert [each.notification_id for each in page] == made[::-1]


@PROOFS("A38", "004:259")
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


@PROOFS("F9", "004:259")
def read_notifications(context: ProofContext) -> None:
    """Notifications are unread until they are marked as read, one by one or all at once."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    with context.measured():
        assert notifications.mark_read(context.db, ada, made[0]).is_read
    context.eventually(lambda: len(context.db.all(design.UnreadNotifications(user_id=ada.user_id))) == 2)
    assert notifications.mark_all_read(context.db, ada) == 2
    context.eventually(lambda: notifications.count_unread(context.db, ada) == 0)
    assert all(each.is_read for each in context.db.all(design.Notifications(user_id=ada.user_id)))
