"""Races: one winner, no orphan, exact counters, no lost update. After each, the whole table is looked at."""

from datetime import timedelta
from functools import partial

import pytest

from tablewright import Clock, Repository
from tablewright_systems.api_errors import Conflict
from tablewright_systems.collabhub.design.access import AccessRequest, AccessStatus
from tablewright_systems.collabhub.design.applications import Application, ApplicationStatus
from tablewright_systems.collabhub.design.audit import AuditLog
from tablewright_systems.collabhub.design.conversations import (
    Conversation,
    ConversationById,
    Message,
    MessageById,
)
from tablewright_systems.collabhub.design.notifications import Notification, NotificationType
from tablewright_systems.collabhub.design.startups import StartupRole, StartupStatus, TeamMember, Visibility
from tablewright_systems.collabhub.design.subscriptions import EventOutcome, Subscription, SubscriptionStatus
from tablewright_systems.collabhub.design.users import Role, User, UserStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    access,
    applications,
    conversations,
    messages,
    notifications,
    roles,
    startup_views,
    startups,
    subscriptions,
    users,
)
from tests.systems.collabhub.table_contents import assert_consistent, count_errors
from tests.systems.races import race, winners

MANY = 8
LETTER = applications.ApplicationDraft(cover_letter="Me.")


def test_an_address_has_one_owner(db: Repository) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    spellings = ["ada@example.org", "ADA@example.org", " Ada@Example.org "] * 3
    outcomes = race(
        *(partial(users.register, db, fixtures.new_caller(email=each), draft) for each in spellings)
    )
    assert count_errors(outcomes) == {"UniqueViolation": len(spellings) - 1}
    assert len(assert_consistent(db).of(User)) == 1


def test_one_application_however_often_it_is_sent(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    bob = fixtures.new_user(db, Role.TALENT)
    outcomes = race(*[partial(applications.apply, db, bob, role.startup_id, role.role_id, LETTER)] * MANY)
    assert count_errors(outcomes) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(Application)) == 1


def test_applicants_are_counted_exactly(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    crowd = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    outcomes = race(
        *(partial(applications.apply, db, each, role.startup_id, role.role_id, LETTER) for each in crowd)
    )
    assert count_errors(outcomes) == {}
    leaving = [each.application_id for each in winners(outcomes)][:3]
    quitters = [next(c for c in crowd if c.user_id == a.applicant_id) for a in winners(outcomes)][:3]
    race(
        *(
            partial(applications.withdraw, db, who, which)
            for who, which in zip(quitters, leaving, strict=True)
        ),
        *(
            partial(applications.withdraw, db, who, which)
            for who, which in zip(quitters, leaving, strict=True)
        ),
    )
    (counted,) = assert_consistent(db).of(StartupRole)
    assert counted.applicant_count == MANY - 3


def test_nobody_applies_for_a_role_that_closes(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    for _ in range(5):
        role = fixtures.new_role(db, ada, startup)
        crowd = [fixtures.new_user(db, Role.TALENT) for _ in range(3)]
        race(
            *(partial(applications.apply, db, each, role.startup_id, role.role_id, LETTER) for each in crowd),
            partial(roles.close_role, db, ada, role.startup_id, role.role_id),
        )
        late = fixtures.new_user(db, Role.TALENT)
        with pytest.raises(Conflict):
            applications.apply(db, late, role.startup_id, role.role_id, LETTER)
    assert_consistent(db)


@pytest.mark.parametrize("rival", [ApplicationStatus.ACCEPTED, ApplicationStatus.REJECTED])
def test_withdrawn_or_decided_but_not_both(db: Repository, rival: ApplicationStatus) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    for _ in range(5):
        bob, application = fixtures.new_application(db, fixtures.new_role(db, ada, startup))
        fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING)
        outcomes = race(
            partial(applications.withdraw, db, bob, application.application_id),
            partial(applications.change_status, db, ada, application.application_id, rival),
        )
        assert count_errors(outcomes) == {"Conflict": 1}
    assert_consistent(db)


def test_accepted_once(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    _, application = fixtures.new_application(db, fixtures.new_role(db, ada, fixtures.new_startup(db, ada)))
    fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING)
    accept = partial(
        applications.change_status, db, ada, application.application_id, ApplicationStatus.ACCEPTED
    )
    assert count_errors(race(*[accept] * MANY)) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(TeamMember)) == 1


def test_no_role_stays_listed_when_its_startup_goes(db: Repository) -> None:
    """Roles open and close while the startup is suspended and let out again."""
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    old = [fixtures.new_role(db, ada, startup) for _ in range(3)]
    where = startup.startup_id
    for _ in range(3):
        race(
            *[partial(fixtures.new_role, db, ada, startup)] * 3,
            *(partial(roles.close_role, db, ada, where, each.role_id) for each in old),
            partial(startups.suspend, db, fixtures.STAFF, where),
            partial(startups.set_visibility, db, ada, where, Visibility.PRIVATE),
        )
        assert_consistent(db)
        race(
            *(partial(roles.reopen_role, db, ada, where, each.role_id) for each in old),
            partial(startups.approve, db, fixtures.STAFF, where),
            partial(startups.set_visibility, db, ada, where, Visibility.PUBLIC),
        )
        assert_consistent(db)


def test_a_startup_is_judged_once(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = startups.create_startup(db, ada, fixtures.startup_draft())
    startups.submit(db, ada, startup.startup_id)
    outcomes = race(
        *[partial(startups.approve, db, fixtures.STAFF, startup.startup_id)] * 4,
        *[partial(startups.return_to_draft, db, fixtures.STAFF, startup.startup_id)] * 4,
    )
    assert count_errors(outcomes) == {"Conflict": 7}
    (decided,) = winners(outcomes)
    assert decided.status in (StartupStatus.ACTIVE, StartupStatus.DRAFT)


def test_edits_of_different_fields_are_all_kept(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    edits = [
        startups.StartupChanges(name="New"),
        startups.StartupChanges(tagline="Newer"),
        startups.StartupChanges(location="Turin"),
        startups.StartupChanges(industry="Looms"),
    ]
    race(*(partial(startups.edit_startup, db, ada, startup.startup_id, each) for each in edits))
    after = startup_views.read_startup(db, ada, startup.startup_id)
    assert (after.name, after.tagline, after.location, after.industry) == ("New", "Newer", "Turin", "Looms")


def test_a_banned_founder_leaves_nothing_listed(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    race(
        *[partial(fixtures.new_role, db, ada, startup)] * 4,
        *[partial(startups.create_startup, db, ada, fixtures.startup_draft())] * 2,
        partial(users.ban, db, fixtures.STAFF, ada.user_id),
    )
    users.ban(db, fixtures.STAFF, ada.user_id)
    contents = assert_consistent(db)
    assert not any(each.is_listed for each in contents.of(StartupRole))
    assert [each.status for each in contents.of(User)] == [UserStatus.BANNED]


def test_one_live_request_for_access(db: Repository) -> None:
    startup = fixtures.new_startup(db, fixtures.new_user(db, Role.FOUNDER))
    ivy = fixtures.new_user(db, Role.INVESTOR)
    wish = partial(access.request_access, db, ivy, startup.startup_id, access.AccessDraft())
    assert count_errors(race(*[wish] * MANY)) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(AccessRequest)) == 1


def test_one_decision_about_access(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    for _ in range(4):
        _, request = fixtures.new_access_request(db, startup)
        outcomes = race(
            *[partial(fixtures.approve_access, db, ada, request)] * 3,
            *[partial(access.reject, db, ada, request.access_id)] * 3,
        )
        assert count_errors(outcomes) == {"Conflict": 5}
    assert_consistent(db)


def test_expired_access_is_swept_or_revoked_once(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    asked = [fixtures.new_access_request(db, startup) for _ in range(3)]
    for _, request in asked:
        fixtures.approve_access(db, ada, request, timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    outcomes = race(
        *[partial(access.sweep_expired, db, fixtures.WORKER)] * 3,
        *(partial(access.revoke, db, ada, request.access_id) for _, request in asked),
        *(
            partial(access.request_access, db, ivy, startup.startup_id, access.AccessDraft())
            for ivy, _ in asked
        ),
    )
    contents = assert_consistent(db)
    ended = [each for each in contents.of(AccessRequest) if each.status == AccessStatus.REVOKED]
    audit = [each for each in contents.of(AuditLog) if each.action == "ACCESS_REVOKED"]
    assert len(ended) == len(audit) == 3
    assert len(contents.of(AccessRequest)) == 6
    assert count_errors(outcomes).keys() <= {"Conflict"}


def test_two_have_one_conversation(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    outcomes = race(
        *[partial(conversations.start_direct, db, ada, bob.user_id)] * 4,
        *[partial(conversations.start_direct, db, bob, ada.user_id)] * 4,
    )
    assert count_errors(outcomes) == {}
    assert len({each.conversation_id for each in winners(outcomes)}) == 1
    assert len(assert_consistent(db).of(Conversation)) == 1


def test_every_message_is_kept_and_the_latest_is_last(db: Repository) -> None:
    crowd = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    talk = conversations.start_group(db, crowd[0], [each.user_id for each in crowd[1:]]).conversation_id
    outcomes = race(
        *(
            partial(messages.send_message, db, each, talk, messages.MessageDraft(content=each.user_id))
            for each in crowd
        )
    )
    assert count_errors(outcomes) == {}
    contents = assert_consistent(db)
    assert len(contents.of(Message)) == MANY
    news = [each for each in contents.of(Notification) if each.type == NotificationType.MESSAGE]
    assert len(news) == MANY * (MANY - 1)


def test_a_message_under_one_mark_is_sent_once(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    talk = conversations.start_direct(db, ada, bob.user_id).conversation_id
    draft = messages.MessageDraft(content="Once", mark="m1")
    outcomes = race(*[partial(messages.send_message, db, ada, talk, draft)] * MANY)
    assert count_errors(outcomes) == {}
    assert len({each.message_id for each in winners(outcomes)}) == 1
    contents = assert_consistent(db)
    assert (len(contents.of(Message)), len(contents.of(Notification))) == (1, 1)


def test_joining_leaving_and_talking_at_once(db: Repository) -> None:
    """The list of participants and their items agree, and everybody who stays has the last message."""
    crowd = [fixtures.new_user(db, Role.TALENT) for _ in range(4)]
    newcomers = [fixtures.new_user(db, Role.TALENT) for _ in range(3)]
    talk = conversations.start_group(db, crowd[0], [each.user_id for each in crowd[1:]]).conversation_id
    hello = messages.MessageDraft(content="Hello")
    outcomes = race(
        *(
            partial(conversations.add_participant, db, crowd[0], talk, each.user_id)
            for each in (*newcomers, newcomers[0])
        ),
        partial(conversations.remove_participant, db, crowd[3], talk, crowd[3].user_id),
        *[partial(messages.send_message, db, crowd[1], talk, hello)] * 3,
    )
    assert count_errors(outcomes) == {"Conflict": 1}
    assert_consistent(db)
    contents = db.run(ConversationById(conversation_id=talk))
    assert contents is not None
    staying = {each.user_id for each in (*crowd[:3], *newcomers)}
    assert set(contents.participants) == staying


def test_readers_are_noted_once_each(db: Repository) -> None:
    crowd = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    talk = conversations.start_group(db, crowd[0], [each.user_id for each in crowd[1:]]).conversation_id
    message = messages.send_message(db, crowd[0], talk, messages.MessageDraft(content="Read me"))
    race(*[partial(messages.mark_read, db, each, talk, message.message_id) for each in crowd])
    after = db.run(MessageById(conversation_id=talk, message_id=message.message_id))
    assert after is not None
    assert after.read_by == {each.user_id for each in crowd}


def test_an_event_is_applied_once(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    event = fixtures.billing_event(db, ada)
    outcomes = race(*[partial(subscriptions.receive_event, db, fixtures.WEBHOOK, event)] * MANY)
    assert sorted(winners(outcomes)) == [EventOutcome.APPLIED] + [EventOutcome.DUPLICATE] * (MANY - 1)
    contents = assert_consistent(db)
    assert len([each for each in contents.of(AuditLog) if each.resource_type == "SUBSCRIPTION"]) == 1


def test_events_at_once_leave_the_latest(db: Repository) -> None:
    statuses = ["trialing", "active", "past_due", "active", "past_due", "unpaid", "active", "canceled"]
    for _ in range(4):
        ada = fixtures.new_user(db, Role.FOUNDER)
        start = db.now()
        events = [
            fixtures.billing_event(db, ada, status=status, created=start + timedelta(seconds=second))
            for second, status in enumerate(statuses)
        ]
        outcomes = race(
            *(partial(subscriptions.receive_event, db, fixtures.WEBHOOK, each) for each in events[::-1])
        )
        assert count_errors(outcomes) == {}
        paid = next(each for each in assert_consistent(db).of(Subscription) if each.user_id == ada.user_id)
        assert (paid.status, paid.last_event) == (SubscriptionStatus.CANCELLED, events[-1].order)


def test_a_customer_is_one_user(db: Repository) -> None:
    crowd = [fixtures.new_user(db, Role.FOUNDER) for _ in range(MANY)]
    outcomes = race(
        *(partial(subscriptions.open_checkout, db, fixtures.WEBHOOK, each.user_id, "cus-1") for each in crowd)
    )
    assert count_errors(outcomes) == {"UniqueViolation": MANY - 1}


def test_the_end_of_a_period_is_noticed_once(db: Repository, clock: Clock) -> None:
    for _ in range(3):
        ada = fixtures.new_user(db, Role.FOUNDER)
        event = fixtures.billing_event(
            db, ada, cancel_at_period_end=True, current_period_end=db.now() + timedelta(hours=1)
        )
        subscriptions.receive_event(db, fixtures.WEBHOOK, event)
    clock.advance(timedelta(hours=2))
    outcomes = race(*[partial(subscriptions.sweep_ended, db, fixtures.WORKER)] * 4)
    assert sum(winners(outcomes)) == 3
    assert_consistent(db)


def test_notifications_are_read_while_others_come(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    talk = conversations.start_direct(db, ada, bob.user_id).conversation_id
    hello = messages.MessageDraft(content="Hello")
    for _ in range(3):
        messages.send_message(db, ada, talk, hello)
    race(
        *[partial(messages.send_message, db, ada, talk, hello)] * 3,
        *[partial(notifications.mark_all_read, db, bob)] * 3,
    )
    unread = [each for each in assert_consistent(db).of(Notification) if not each.is_read]
    assert notifications.count_unread(db, bob) == len(unread) <= 3
