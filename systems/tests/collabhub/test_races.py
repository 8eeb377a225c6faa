"""Races: one winner, exact counters, no lost update. After each race, the whole table is checked for consistency."""

from datetime import timedelta
from functools import partial

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    ApplicationStatus,
    EventOutcome,
    Role,
    StartupStatus,
    Visibility,
)
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    access,
    applications,
    conversations,
    messages,
    notifications,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.service import Caller, Conflict, JobRun

from systems.tests.collabhub.table_contents import (
    TableContents,
    assert_consistent,
    count_errors,
    new_group,
    new_users,
)
from systems.tests.races import Action, race, race_in_order, winners
from tablewright import Clock, Repository

MANY = 8
LETTER = "Me."


def test_concurrent_sign_ups_with_one_address_have_one_winner(db: Repository) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    addresses = ["ada@example.org", "ADA@example.org", " Ada@Example.org "] * 3
    results = race(
        *(partial(users.register, db, fixtures.new_caller(email=address), draft) for address in addresses)
    )
    assert count_errors(results) == {"UniqueViolation": len(addresses) - 1}
    assert len(assert_consistent(db).of(design.User)) == 1


def test_concurrent_applications_of_one_talent_have_one_winner(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    bob = fixtures.new_user(db, Role.TALENT)
    results = race(*[partial(applications.apply, db, bob, role.startup_id, role.role_id, LETTER)] * MANY)
    assert count_errors(results) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(design.Application)) == 1


def test_applicants_are_counted_exactly(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    results = race(
        *(
            partial(applications.apply, db, talent, role.startup_id, role.role_id, LETTER)
            for talent in talents
        )
    )
    assert count_errors(results) == {}
    withdrawals = [
        partial(applications.withdraw, db, talent, application.application_id)
        for talent, application in zip(talents[:3], results[:3], strict=True)
    ]
    assert count_errors(race(*withdrawals, *withdrawals)) == {"Conflict": 3}
    (counted,) = assert_consistent(db).of(design.StartupRole)
    assert counted.applicant_count == MANY - 3


@pytest.mark.parametrize("first", ["close", "apply"])
def test_a_closed_role_gets_no_applications(db: Repository, first: str) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(3)]
    close = partial(roles.close_role, db, ada, role.startup_id, role.role_id)
    apply = [
        partial(applications.apply, db, talent, role.startup_id, role.role_id, LETTER) for talent in talents
    ]
    results = race_in_order(close, *apply) if first == "close" else race_in_order(*apply, close)
    assert count_errors(results) == ({"Conflict": 3} if first == "close" else {})
    (counted,) = assert_consistent(db).of(design.StartupRole)
    assert counted.applicant_count == (0 if first == "close" else 3)


@pytest.mark.parametrize("first", ["withdraw", "decide"])
@pytest.mark.parametrize("decision", [ApplicationStatus.ACCEPTED, ApplicationStatus.REJECTED])
def test_an_application_is_withdrawn_or_decided(
    db: Repository, decision: ApplicationStatus, first: str
) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    bob, application = fixtures.new_application(db, role)
    fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING)
    actions: dict[str, Action] = {
        "withdraw": partial(applications.withdraw, db, bob, application.application_id),
        "decide": partial(applications.change_status, db, ada, application.application_id, decision),
    }
    results = race_in_order(actions.pop(first), *actions.values())
    assert isinstance(results[1], Conflict)
    (stored,) = assert_consistent(db).of(design.Application)
    assert stored.status == (ApplicationStatus.WITHDRAWN if first == "withdraw" else decision)


def test_an_application_is_accepted_once(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    _, application = fixtures.new_application(db, fixtures.new_role(db, ada, fixtures.new_startup(db, ada)))
    fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING)
    accept = partial(
        applications.change_status, db, ada, application.application_id, ApplicationStatus.ACCEPTED
    )
    assert count_errors(race(*[accept] * MANY)) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(design.TeamMember)) == 1


def test_no_role_stays_listed_without_its_startup(db: Repository) -> None:
    """Roles open and close while the startup is suspended and approved again."""
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    old = [fixtures.new_role(db, ada, startup) for _ in range(3)]
    where = startup.startup_id
    for _ in range(3):
        race(
            *[partial(fixtures.new_role, db, ada, startup)] * 3,
            *(partial(roles.close_role, db, ada, where, item.role_id) for item in old),
            partial(startups.suspend, db, fixtures.STAFF, where),
            partial(startups.set_visibility, db, ada, where, Visibility.PRIVATE),
        )
        assert_consistent(db)
        race(
            *(partial(roles.reopen_role, db, ada, where, item.role_id) for item in old),
            partial(startups.approve, db, fixtures.STAFF, where),
            partial(startups.set_visibility, db, ada, where, Visibility.PUBLIC),
        )
        assert_consistent(db)


def test_concurrent_reviews_have_one_winner(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = startups.create_startup(db, ada, fixtures.startup_draft())
    startups.submit(db, ada, startup.startup_id)
    results = race(
        *[partial(startups.approve, db, fixtures.STAFF, startup.startup_id)] * 4,
        *[partial(startups.return_to_draft, db, fixtures.STAFF, startup.startup_id)] * 4,
    )
    assert count_errors(results) == {"Conflict": 7}
    (decided,) = winners(results)
    assert decided.status in (StartupStatus.ACTIVE, StartupStatus.DRAFT)


def test_concurrent_edits_of_different_fields_lose_nothing(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    edits = [
        startups.StartupChanges(name="New"),
        startups.StartupChanges(tagline="Newer"),
        startups.StartupChanges(location="Turin"),
        startups.StartupChanges(industry="Looms"),
    ]
    results = race(*(partial(startups.edit_startup, db, ada, startup.startup_id, edit) for edit in edits))
    assert count_errors(results) == {}
    after = startups.read_startup(db, ada, startup.startup_id)
    assert (after.name, after.tagline, after.location, after.industry) == ("New", "Newer", "Turin", "Looms")


@pytest.mark.parametrize("first", ["ban", "create"])
def test_a_banned_founder_has_nothing_listed(db: Repository, first: str) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    ban = partial(users.ban, db, fixtures.STAFF, ada.user_id)
    creations: list[Action] = [
        *[partial(fixtures.new_role, db, ada, startup)] * 4,
        *[partial(startups.create_startup, db, ada, fixtures.startup_draft())] * 2,
    ]
    results = race_in_order(ban, *creations) if first == "ban" else race_in_order(*creations, ban)
    created = [winner for winner in winners(results) if not isinstance(winner, design.User)]
    assert (len(created) > 0) is (first == "create")
    users.ban(db, fixtures.STAFF, ada.user_id)
    contents = assert_consistent(db)
    assert not any(role.is_listed for role in contents.of(design.StartupRole))
    assert [user.status for user in contents.of(design.User)] == [design.UserStatus.BANNED]


def test_concurrent_access_requests_have_one_winner(db: Repository) -> None:
    startup = fixtures.new_startup(db, fixtures.new_user(db, Role.FOUNDER))
    ivy = fixtures.new_user(db, Role.INVESTOR)
    request = partial(access.request_access, db, ivy, startup.startup_id)
    assert count_errors(race(*[request] * MANY)) == {"Conflict": MANY - 1}
    assert len(assert_consistent(db).of(design.AccessRequest)) == 1


def test_concurrent_decisions_about_access_have_one_winner(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    for _ in range(4):
        _, request = fixtures.new_access_request(db, startup)
        results = race(
            *[partial(fixtures.approve_access, db, ada, request)] * 3,
            *[partial(access.reject, db, ada, request.access_id)] * 3,
        )
        assert count_errors(results) == {"Conflict": 5}
    assert_consistent(db)


def test_expired_access_is_swept_or_revoked_once(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    pattern = [fixtures.new_access_request(db, startup) for _ in range(3)]
    for _, request in pattern:
        fixtures.approve_access(db, ada, request, timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    results = race(
        *[partial(access.end_expired, JobRun(db))] * 3,
        *(partial(access.revoke, db, ada, request.access_id) for _, request in pattern),
        *(partial(access.request_access, db, ivy, startup.startup_id) for ivy, _ in pattern),
    )
    contents = assert_consistent(db)
    ended = [
        request
        for request in contents.of(design.AccessRequest)
        if request.status == design.AccessStatus.REVOKED
    ]
    audit = [log for log in contents.of(design.AuditLog) if log.action == "ACCESS_REVOKED"]
    assert len(ended) == len(audit) == 3
    swept, revoked = results[:3], winners(results[3:6])
    assert sum(swept) + len(revoked) == 3
    assert len(contents.of(design.AccessRequest)) == 6
    assert count_errors(results).keys() <= {"Conflict"}


def test_concurrent_starts_create_one_direct_conversation(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    results = race(
        *[partial(conversations.start_direct, db, ada, bob.user_id)] * 4,
        *[partial(conversations.start_direct, db, bob, ada.user_id)] * 4,
    )
    assert count_errors(results) == {}
    assert len({winner.conversation_id for winner in winners(results)}) == 1
    assert len(assert_consistent(db).of(design.Conversation)) == 1


def test_concurrent_messages_are_all_kept_in_order(db: Repository) -> None:
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    conversation = conversations.start_group(
        db, talents[0], [talent.user_id for talent in talents[1:]]
    ).conversation_id
    results = race(
        *(
            partial(
                messages.send_message, db, talent, conversation, messages.MessageDraft(content=talent.user_id)
            )
            for talent in talents
        )
    )
    assert count_errors(results) == {}
    contents = assert_consistent(db)
    assert len(contents.of(design.Message)) == MANY
    notification = [
        notification
        for notification in contents.of(design.Notification)
        if notification.type == design.NotificationType.MESSAGE
    ]
    assert len(notification) == MANY * (MANY - 1)


def test_a_message_with_one_mark_is_sent_once(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    conversation = conversations.start_direct(db, ada, bob.user_id).conversation_id
    draft = messages.MessageDraft(content="Once", mark="m1")
    results = race(*[partial(messages.send_message, db, ada, conversation, draft)] * MANY)
    assert count_errors(results) == {}
    assert len({winner.message_id for winner in winners(results)}) == 1
    contents = assert_consistent(db)
    assert (len(contents.of(design.Message)), len(contents.of(design.Notification))) == (1, 1)


def test_participants_stay_consistent_while_messages_are_sent(db: Repository) -> None:
    """The list of participants and their items agree, and all participants who stay have the last message."""
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(4)]
    newcomers = [fixtures.new_user(db, Role.TALENT) for _ in range(3)]
    conversation = conversations.start_group(
        db, talents[0], [talent.user_id for talent in talents[1:]]
    ).conversation_id
    hello = messages.MessageDraft(content="Hello")
    results = race(
        *(
            partial(conversations.add_participant, db, talents[0], conversation, item.user_id)
            for item in (*newcomers, newcomers[0])
        ),
        partial(conversations.remove_participant, db, talents[3], conversation, talents[3].user_id),
        *[partial(messages.send_message, db, talents[1], conversation, hello)] * 3,
    )
    assert count_errors(results) == {"Conflict": 1}
    assert_consistent(db)
    contents = db.run(design.ConversationById(conversation_id=conversation))
    assert contents is not None
    staying = {item.user_id for item in (*talents[:3], *newcomers)}
    assert set(contents.participants) == staying


def test_every_reader_is_recorded(db: Repository) -> None:
    talents = [fixtures.new_user(db, Role.TALENT) for _ in range(MANY)]
    conversation = conversations.start_group(
        db, talents[0], [talent.user_id for talent in talents[1:]]
    ).conversation_id
    message = messages.send_message(db, talents[0], conversation, messages.MessageDraft(content="Read me"))
    results = race(
        *[partial(messages.mark_read, db, talent, conversation, message.message_id) for talent in talents]
    )
    assert count_errors(results) == {}
    (after,) = messages.list_messages(db, talents[0], conversation)
    assert after.read_by == {talent.user_id for talent in talents}


def test_a_billing_event_is_applied_once(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    event = fixtures.billing_event(db, ada)
    results = race(*[partial(subscriptions.receive_event, db, event)] * MANY)
    assert sorted(winners(results)) == [EventOutcome.APPLIED] + [EventOutcome.DUPLICATE] * (MANY - 1)
    contents = assert_consistent(db)
    assert len([log for log in contents.of(design.AuditLog) if log.resource_type == "SUBSCRIPTION"]) == 1


def test_concurrent_billing_events_leave_the_latest_state(db: Repository) -> None:
    statuses = ["trialing", "active", "past_due", "active", "past_due", "unpaid", "active", "canceled"]
    for _ in range(4):
        ada = fixtures.new_user(db, Role.FOUNDER)
        start = db.now()
        events = [
            fixtures.billing_event(db, ada, status=status, created=start + timedelta(seconds=second))
            for second, status in enumerate(statuses)
        ]
        results = race(*(partial(subscriptions.receive_event, db, event) for event in events[::-1]))
        assert count_errors(results) == {}
        paid = next(
            subscription
            for subscription in assert_consistent(db).of(design.Subscription)
            if subscription.user_id == ada.user_id
        )
        assert (paid.status, paid.last_event) == (design.SubscriptionStatus.CANCELLED, events[-1].order)


def test_a_stripe_customer_belongs_to_one_user(db: Repository) -> None:
    talents = [fixtures.new_user(db, Role.FOUNDER) for _ in range(MANY)]
    results = race(
        *(
            partial(subscriptions.open_checkout, db, fixtures.WEBHOOK, talent.user_id, "cus-1")
            for talent in talents
        )
    )
    assert count_errors(results) == {"UniqueViolation": MANY - 1}


def test_an_ended_subscription_is_swept_once(db: Repository, clock: Clock) -> None:
    for _ in range(3):
        ada = fixtures.new_user(db, Role.FOUNDER)
        event = fixtures.billing_event(
            db, ada, cancel_at_period_end=True, current_period_end=db.now() + timedelta(hours=1)
        )
        subscriptions.receive_event(db, event)
    clock.advance(timedelta(hours=2))
    results = race(*[partial(subscriptions.end_cancelled, JobRun(db))] * 4)
    assert count_errors(results) == {}
    assert sum(results) == 3
    assert_consistent(db)


def test_notifications_are_read_while_new_ones_arrive(db: Repository) -> None:
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    conversation = conversations.start_direct(db, ada, bob.user_id).conversation_id
    hello = messages.MessageDraft(content="Hello")
    for _ in range(3):
        messages.send_message(db, ada, conversation, hello)
    results = race(
        *[partial(messages.send_message, db, ada, conversation, hello)] * 3,
        *[partial(notifications.mark_all_read, db, bob)] * 3,
    )
    assert count_errors(results) == {}
    unread = [
        notification
        for notification in assert_consistent(db).of(design.Notification)
        if not notification.is_read
    ]
    assert notifications.count_unread(db, bob) == len(unread) <= 3


@pytest.mark.parametrize("first", ["remove", "leave"])
def test_an_owner_who_has_left_cannot_remove_others(db: Repository, first: str) -> None:
    """Whichever is first, the list of participants and their items agree."""
    ada, bob, ivy = [fixtures.new_user(db, Role.TALENT) for _ in range(3)]
    group = conversations.start_group(db, ada, [bob.user_id, ivy.user_id]).conversation_id
    actions: dict[str, Action] = {
        "remove": partial(conversations.remove_participant, db, ada, group, bob.user_id),
        "leave": partial(conversations.remove_participant, db, ada, group, ada.user_id),
    }
    results = race_in_order(actions.pop(first), *actions.values())
    (conversation,) = assert_consistent(db).of(design.Conversation)
    if first == "remove":
        assert (count_errors(results), conversation.participants) == ({}, [ivy.user_id])
    else:
        assert count_errors(results) == {"Forbidden": 1}
        assert conversation.participants == [bob.user_id, ivy.user_id]


def test_of_two_sign_ups_one_replaces_the_unverified_user(db: Repository) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    email = "ada@example.org"
    users.register(db, fixtures.new_caller(email=email, email_verified=False), draft)
    owners = [fixtures.new_caller(email=email) for _ in range(4)]
    results = race(*(partial(users.register, db, owner, draft) for owner in owners))
    (winner,) = winners(results)
    assert count_errors(results) == {"UniqueViolation": 3}
    assert [user.user_id for user in assert_consistent(db).of(design.User)] == [winner.user_id]


@pytest.mark.parametrize("first", ["activate", "replace"])
def test_an_active_user_is_not_replaced(db: Repository, first: str) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    email = "ada@example.org"
    early = fixtures.new_caller(email=email, email_verified=False)
    users.register(db, early, draft)
    verified = Caller(early.user_id, {"email": email, "email_verified": True})
    activation = partial(users.activate, db, verified, early.user_id)
    if first == "activate":
        activation()
    late = fixtures.new_caller(email=email)
    results = race(*[partial(users.register, db, late, draft)] * 2)
    stored = {user.user_id for user in TableContents(db).of(design.User)}
    assert stored == ({early.user_id} if first == "activate" else {late.user_id})
    assert len(winners(results)) == (0 if first == "activate" else 1)


def test_concurrent_deliveries_notify_once(db: Repository) -> None:
    members = new_users(db, 60)
    group = new_group(db, members)
    messages.send_message(db, members[0], group, messages.MessageDraft(content="Hello"))
    results = race(*[partial(notifications.OUTBOX.deliver_due, db)] * 4)
    assert sum(result.delivered for result in results) == 1
    notified = [notification.user_id for notification in TableContents(db).of(design.Notification)]
    assert sorted(notified) == sorted(member.user_id for member in members[1:])


def test_concurrent_bans_and_ends_of_bans_keep_the_status(db: Repository) -> None:
    eve = fixtures.new_caller(email="eve@example.org", email_verified=False)
    users.register(db, eve, users.Registration(role=Role.TALENT, first_name="E", last_name="V"))
    users.ban(db, fixtures.STAFF, eve.user_id)
    race(
        *[partial(users.reinstate, db, fixtures.STAFF, eve.user_id)] * 3,
        *[partial(users.ban, db, fixtures.STAFF, eve.user_id)] * 3,
        must_overlap=False,
    )
    user = db.get_or_raise(design.UserById(user_id=eve.user_id))
    assert design.UserStatus.ACTIVE not in (user.status, user.status_before_ban)
