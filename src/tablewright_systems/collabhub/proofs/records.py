"""Proofs about the audit log and notifications (225-264), and what is said of all data (294-301)."""

from datetime import timedelta

from tablewright_systems.api_errors import Forbidden
from tablewright_systems.authentication import Caller
from tablewright_systems.collabhub.design.conversations import ParticipantOf
from tablewright_systems.collabhub.design.people import Role, Standing, UserById
from tablewright_systems.collabhub.design.records import (
    AuditByUser,
    AuditByUserBetween,
    Notifications,
    NotificationType,
    UnreadNotifications,
)
from tablewright_systems.collabhub.design.subscriptions import SubscriptionOfUser
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import (
    audit,
    conversations,
    messages,
    notifications,
    people,
    startups,
    subscriptions,
)
from tablewright_systems.collabhub.service.notifications import told
from tablewright_systems.proofs import ProofContext, Proofs

PROOFS = Proofs("collabhub")
MOMENT = timedelta(milliseconds=1)


def tell(context: ProofContext, user: Caller, times: int) -> list[str]:
    """Some notifications, each a moment after the other; their ids."""
    made = []
    for number in range(times):
        context.clock.advance(MOMENT)
        news = told(context.db, user.user_id, NotificationType.SYSTEM, f"News {number}", "!", ("USER", "-"))
        context.db.transact(news)
        made.append(news.entity.notification_id)
    return made


def log_in(context: ProofContext, user: Caller, times: int, apart: timedelta = MOMENT) -> None:
    """Come in, again and again."""
    for _ in range(times):
        context.clock.advance(apart)
        people.record_login(context.db, user)


@PROOFS("A21", "004:290")
def list_audit_by_date(context: ProofContext) -> None:
    """List audit logs by date, over all shards, in order, page by page."""
    context.clock.advance(timedelta(days=1))  # a day of its own
    ada = cast.join(context.db, Role.FOUNDER)
    log_in(context, ada, 5)
    today = context.db.now().date()
    with context.measured():
        first = audit.log_of_day(context.db, cast.STAFF, today, limit=4)
    rest = audit.log_of_day(context.db, cast.STAFF, today, limit=4, cursor=first.cursor)
    entries = [*first, *rest]
    assert [each.action for each in entries[-5:]] == ["USER_LOGIN"] * 5
    assert [each.created_at for each in entries] == sorted(each.created_at for each in entries)
    context.clock.advance(timedelta(days=1))


@PROOFS("A22", "004:291")
def list_audit_by_user(context: ProofContext) -> None:
    """List audit logs by user, the newest first."""
    ada = cast.join(context.db, Role.FOUNDER)
    log_in(context, ada, 2)
    actions = ["USER_LOGIN", "USER_LOGIN", "USER_ACTIVE", "USER_REGISTERED"]
    cast.read(
        context,
        lambda: context.db.iterate(AuditByUser(user_id=ada.user_id)),
        lambda found: (
            sorted(each.action for each in found) == sorted(actions)
            and [each.created_at for each in found]
            == sorted((each.created_at for each in found), reverse=True)
        ),
    )


@PROOFS("A23", "004:292")
def list_notifications(context: ProofContext) -> None:
    """List notifications, the newest first."""
    ada = cast.join(context.db, Role.FOUNDER)
    made = tell(context, ada, 3)
    with context.measured():
        page = context.db.run(Notifications(user_id=ada.user_id), limit=20)
    assert [each.notification_id for each in page] == made[::-1]


@PROOFS("A30", "004:243")
def list_audit_by_user_and_time(context: ProofContext) -> None:
    """List audit logs of a user in a range, both ends included."""
    ada = cast.join(context.db, Role.FOUNDER)
    log_in(context, ada, 1)
    start = context.db.now()
    log_in(context, ada, 2)
    end = context.db.now()
    log_in(context, ada, 1)
    pattern = AuditByUserBetween(user_id=ada.user_id, start=start, end=end)
    cast.read(
        context,
        lambda: context.db.iterate(pattern),
        lambda found: len(found) == 3 and {found[0].created_at, found[-1].created_at} == {start, end},
    )


@PROOFS("A33", "004:228")
def list_audit_over_days(context: ProofContext) -> None:
    """List audit logs in a range over several days, page by page."""
    ada = cast.join(context.db, Role.FOUNDER)
    context.clock.advance(MOMENT)
    start = context.db.now()
    log_in(context, ada, 5, timedelta(hours=20))
    end = context.db.now()
    with context.measured():
        first = audit.log_between(context.db, cast.STAFF, start, end, limit=3)
    rest = audit.log_between(context.db, cast.STAFF, start, end, limit=3, cursor=first.cursor)
    entries = [each for each in (*first, *rest) if each.user_id == ada.user_id]
    assert len(entries) == 5
    assert entries[-1].created_at == end


@PROOFS("A38", "004:259")
def list_unread_notifications(context: ProofContext) -> None:
    """List and count unread notifications; one that was read has left."""
    ada = cast.join(context.db, Role.FOUNDER)
    made = tell(context, ada, 3)
    notifications.mark_read(context.db, ada, made[1])
    cast.read(
        context,
        lambda: context.db.iterate(UnreadNotifications(user_id=ada.user_id)),
        lambda found: [each.notification_id for each in found] == [made[2], made[0]],
    )
    assert notifications.count_unread(context.db, ada) == 2


@PROOFS("F8", "004:233")
def audit_actions(context: ProofContext) -> None:
    """An action and its record are one; the record says who, what, from where; the system's own has no user."""
    ada = cast.join(context.db, Role.FOUNDER)
    somewhere = Caller(ada.user_id, {**ada.claims, "ip_address": "192.0.2.1", "user_agent": "Browser/1"})
    with context.measured():
        startup = startups.create_startup(context.db, somewhere, cast.draft())

    def newest() -> tuple[str, str, str, str]:
        entry, *_ = audit.log_of_user(context.db, ada, ada.user_id)
        return entry.action, entry.resource_id, entry.ip_address, entry.user_agent

    context.eventually(lambda: newest() == ("STARTUP_CREATED", startup.startup_id, "192.0.2.1", "Browser/1"))
    entry = audit.record(context.db, cast.WORKER, "SWEEP", "SUBSCRIPTION", "-")
    assert entry.user_id is None
    cast.refused(Forbidden, lambda: audit.log_of_user(context.db, cast.newcomer(), ada.user_id))


@PROOFS("F9", "004:259")
def read_notifications(context: ProofContext) -> None:
    """Notifications are unread until they are read, one by one or all together."""
    ada = cast.join(context.db, Role.FOUNDER)
    made = tell(context, ada, 3)
    with context.measured():
        assert notifications.mark_read(context.db, ada, made[0]).is_read
    context.eventually(lambda: len(notifications.list_unread(context.db, ada)) == 2)
    assert notifications.mark_all_read(context.db, ada) == 2
    context.eventually(lambda: notifications.count_unread(context.db, ada) == 0)
    assert all(each.is_read for each in notifications.list_notifications(context.db, ada))


@PROOFS("F10", "004:301")
def keep_for_a_while(context: ProofContext) -> None:
    """What has a TTL is gone when its time is over, swept or not; history has none."""
    ada = cast.join(context.db, Role.FOUNDER)
    tell(context, ada, 1)
    expired = told(context.db, ada.user_id, NotificationType.SYSTEM, "Old news", "!", ("USER", "-")).entity
    context.db.create(expired.changed(ttl=int(context.db.now().timestamp()) - 1))
    with context.measured():
        page = context.db.run(Notifications(user_id=ada.user_id), limit=20)
    assert [each.title for each in page] == ["News 0"]
    (kept,) = page
    assert kept.ttl == int(kept.created_at.timestamp()) + timedelta(days=90).total_seconds()


@PROOFS("F11", "004:300")
def keep_copies_in_step(context: ProofContext) -> None:
    """What is stored twice changes together: a user's subscription, a conversation and its participants."""
    ada, bob = cast.join(context.db, Role.FOUNDER), cast.join(context.db, Role.TALENT)
    with context.measured():
        subscriptions.receive_event(context.db, cast.WEBHOOK, cast.billing(context.db, ada, status="unpaid"))
    user = context.db.run(UserById(user_id=ada.user_id))
    subscription = context.db.run(SubscriptionOfUser(user_id=ada.user_id))
    assert user is not None
    assert subscription is not None
    assert user.subscription_status == Standing.PAST_DUE
    assert user.stripe_customer_id == subscription.stripe_customer_id

    talk = conversations.start_direct(context.db, ada, bob.user_id).conversation_id
    context.clock.advance(MOMENT)
    messages.send_message(context.db, ada, talk, messages.MessageDraft(content="Hello"))
    whole = messages.read_conversation(context.db, bob, talk)
    for each in whole.participants:
        seat = context.db.run(ParticipantOf(conversation_id=talk, user_id=each))
        assert seat is not None
        assert (seat.last_message_at, seat.last_message_preview) == (
            whole.last_message_at,
            whole.last_message_preview,
        )
