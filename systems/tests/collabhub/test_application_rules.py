"""Rules of applications, access and subscriptions. Each test is named after its rule in REQUIREMENTS.md."""

from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    ApplicationStatus,
    EventOutcome,
    Role,
    SubscriptionStatus,
    Tier,
    UserSubscriptionStatus,
)
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    access,
    applications,
    subscriptions,
)
from tablewright_systems.service import Conflict, Forbidden, Invalid, JobRun, NotFound, Paging

from systems.tests.collabhub.table_contents import TableContents, assert_consistent, items
from tablewright import Clock, Repository

LETTER = "Me."


# --- Applications ---


def test_r12_applications_are_listed_in_the_order_of_statuses(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    steps = [
        [ApplicationStatus.REVIEWING, ApplicationStatus.ACCEPTED],
        [ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED],
        [ApplicationStatus.REJECTED],
        [ApplicationStatus.REVIEWING],
        [],
    ]
    for step in steps:
        fixtures.move_application(db, ada, fixtures.new_application(db, role)[1], *step)
    listed = applications.list_for_role(db, ada, role.startup_id, role.role_id, paging=Paging(3))
    rest = applications.list_for_role(db, ada, role.startup_id, role.role_id, paging=Paging(3, listed.cursor))
    pipeline = [status for status in ApplicationStatus if status != ApplicationStatus.WITHDRAWN]
    assert [item.status for item in (*listed, *rest)] == pipeline
    by_key = db.all(design.ApplicationsForRole(startup_id=role.startup_id, role_id=role.role_id))
    assert [item.status for item in by_key] == sorted(pipeline)


def test_r28_notes_are_visible_to_the_founder_only(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    bob, application = fixtures.new_application(db, fixtures.new_role(db, ada, fixtures.new_startup(db, ada)))
    applications.write_notes(db, ada, application.application_id, "hm")
    assert applications.read_application(db, ada, application.application_id).founder_notes == "hm"
    assert applications.read_application(db, bob, application.application_id).founder_notes is None
    withdrawn = applications.withdraw(db, bob, application.application_id)
    assert withdrawn.founder_notes is None
    assert applications.read_application(db, ada, application.application_id).founder_notes == "hm"
    with pytest.raises(Forbidden):
        applications.read_application(db, fixtures.new_user(db, Role.FOUNDER), application.application_id)


def test_r40_only_allowed_status_changes(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    bob, application = fixtures.new_application(db, role)
    which = application.application_id
    for status in (ApplicationStatus.SHORTLISTED, ApplicationStatus.ACCEPTED):
        with pytest.raises(Conflict):
            applications.change_status(db, ada, which, status)
    for status in (ApplicationStatus.WITHDRAWN, ApplicationStatus.PENDING):
        with pytest.raises(Invalid):
            applications.change_status(db, ada, which, status)
    with pytest.raises(Forbidden):
        applications.withdraw(db, ada, which)
    with pytest.raises(Forbidden):
        applications.change_status(
            db, fixtures.new_user(db, Role.FOUNDER), which, ApplicationStatus.REVIEWING
        )
    applications.change_status(db, ada, which, ApplicationStatus.REJECTED)
    with pytest.raises(Conflict):
        applications.withdraw(db, bob, which)
    with pytest.raises(Conflict):
        applications.apply(db, bob, role.startup_id, role.role_id, LETTER)
    assert_consistent(db)


def test_founders_and_investors_do_not_apply(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    for other in (Role.FOUNDER, Role.INVESTOR):
        with pytest.raises(Forbidden):
            applications.apply(db, fixtures.new_user(db, other), role.startup_id, role.role_id, LETTER)
    with pytest.raises(NotFound):
        applications.apply(db, fixtures.new_user(db, Role.TALENT), role.startup_id, "nowhere", LETTER)


# --- Access ---


def test_r40_access_is_revoked_only_when_it_was_approved(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    _, request = fixtures.new_access_request(db, fixtures.new_startup(db, ada))
    with pytest.raises(Conflict):
        access.revoke(db, ada, request.access_id)
    with pytest.raises(Forbidden):
        access.approve(db, fixtures.new_user(db, Role.FOUNDER), request.access_id)
    with pytest.raises(Invalid):
        access.approve(db, ada, request.access_id, expires_at=db.now())
    fixtures.approve_access(db, ada, request)
    with pytest.raises(Conflict):
        access.reject(db, ada, request.access_id)


def test_r18_a_late_revocation_does_not_end_the_next_grant(db: Repository, clock: Clock) -> None:
    """The first grant has expired and a second is approved: revoking the first does not change the second."""
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    ivy, first = fixtures.new_access_request(db, startup)
    fixtures.approve_access(db, ada, first, timedelta(hours=1))
    clock.advance(timedelta(hours=1))
    second = access.request_access(db, ivy, startup.startup_id)
    fixtures.approve_access(db, ada, second)
    access.revoke(db, ada, first.access_id)
    assert access.own_level(db, ivy, startup.startup_id) == design.AccessLevel.VIEW_DECK
    assert_consistent(db)


def test_r18_requests_are_kept_when_the_grant_is_deleted(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    _, request = fixtures.new_access_request(db, startup)
    fixtures.approve_access(db, ada, request, timedelta(hours=1))
    clock.advance(timedelta(hours=2))
    embedded: Any = db.connection
    assert embedded.sweep() == 1
    assert access.end_expired(JobRun(db)) == 1
    pattern = design.AccessForStartupByStatus(
        startup_id=startup.startup_id, status=design.AccessStatus.REVOKED
    )
    assert [item.access_id for item in db.all(pattern)] == [request.access_id]


def test_r6_access_moves_between_lists(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    _, request = fixtures.new_access_request(db, startup)

    def lists() -> list[design.AccessStatus]:
        pattern = design.AccessForStartupByStatus
        return [
            AccessStatu
            for AccessStatu in design.AccessStatus
            if db.all(pattern(startup_id=startup.startup_id, status=AccessStatu))
        ]

    assert lists() == [design.AccessStatus.PENDING]
    fixtures.approve_access(db, ada, request)
    assert lists() == [design.AccessStatus.APPROVED]
    access.revoke(db, ada, request.access_id)
    assert lists() == [design.AccessStatus.REVOKED]


# --- Subscriptions ---


@pytest.mark.parametrize(
    ("word", "status", "standing", "tier"),
    [
        ("active", SubscriptionStatus.ACTIVE, UserSubscriptionStatus.ACTIVE, Tier.PRO),
        ("trialing", SubscriptionStatus.TRIALING, UserSubscriptionStatus.ACTIVE, Tier.PRO),
        ("past_due", SubscriptionStatus.PAST_DUE, UserSubscriptionStatus.PAST_DUE, Tier.PRO),
        ("unpaid", SubscriptionStatus.PAST_DUE, UserSubscriptionStatus.PAST_DUE, Tier.PRO),
        ("paused", SubscriptionStatus.PAST_DUE, UserSubscriptionStatus.PAST_DUE, Tier.PRO),
        ("canceled", SubscriptionStatus.CANCELLED, UserSubscriptionStatus.CANCELLED, Tier.FREE),
        ("incomplete_expired", SubscriptionStatus.CANCELLED, UserSubscriptionStatus.CANCELLED, Tier.FREE),
    ],
)
def test_r21_stripe_statuses_are_mapped(
    db: Repository, word: str, status: SubscriptionStatus, standing: UserSubscriptionStatus, tier: Tier
) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    subscriptions.receive_event(db, fixtures.billing_event(db, ada, status=word))
    paid = db.get_or_raise(design.SubscriptionOfUser(user_id=ada.user_id))
    user = db.get_or_raise(design.UserById(user_id=ada.user_id))
    assert (paid.status, user.subscription_status, user.subscription_tier) == (status, standing, tier)
    assert [
        SubscriptionStatu
        for SubscriptionStatu in SubscriptionStatus
        if db.all(design.SubscriptionsByStatus(status=SubscriptionStatu))
    ] == [status]


def test_r21_an_incomplete_subscription_is_ignored(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    event = fixtures.billing_event(db, ada, status="incomplete")
    assert subscriptions.receive_event(db, event) == EventOutcome.IGNORED
    assert db.run(design.SubscriptionOfUser(user_id=ada.user_id)) is None


def test_r22_the_end_of_an_old_subscription_does_not_end_the_new(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    start = db.now()
    new = fixtures.billing_event(db, ada, subscription_id="sub-new")
    end = fixtures.billing_event(
        db, ada, subscription_id="sub-old", status="canceled", created=start + timedelta(seconds=5)
    )
    assert subscriptions.receive_event(db, new) == EventOutcome.APPLIED
    assert subscriptions.receive_event(db, end) == EventOutcome.STALE
    assert (
        db.get_or_raise(design.UserById(user_id=ada.user_id)).subscription_status
        == UserSubscriptionStatus.ACTIVE
    )


def test_r22_within_one_second_a_cancellation_comes_last(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    update, end = fixtures.billing_event(db, ada), fixtures.billing_event(db, ada, status="canceled")
    assert subscriptions.receive_event(db, end) == EventOutcome.APPLIED
    assert subscriptions.receive_event(db, update) == EventOutcome.STALE


def test_r23_the_first_event_finds_its_user_by_metadata(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    subscriptions.open_checkout(db, fixtures.WEBHOOK, ada.user_id, f"cus-{ada.user_id}")
    with pytest.raises(NotFound):
        subscriptions.receive_event(db, fixtures.billing_event(db, ada, user_id=None))
    subscriptions.receive_event(db, fixtures.billing_event(db, ada))
    later = fixtures.billing_event(db, ada, user_id=None, created=db.now() + timedelta(seconds=1))
    assert subscriptions.receive_event(db, later) == EventOutcome.APPLIED


def test_r23_an_event_of_another_customer_is_rejected(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    subscriptions.open_checkout(db, fixtures.WEBHOOK, ada.user_id, "cus-ada")
    with pytest.raises(Conflict):
        subscriptions.open_checkout(db, fixtures.WEBHOOK, ada.user_id, "cus-other")
    with pytest.raises(Conflict):
        subscriptions.receive_event(db, fixtures.billing_event(db, ada, customer_id="cus-eve"))
    assert_consistent(db)


def test_r23_users_cannot_set_their_customer_id(db: Repository) -> None:
    eve = fixtures.new_user(db, Role.FOUNDER)
    with pytest.raises(Forbidden):
        subscriptions.open_checkout(db, eve, eve.user_id, "cus-ada")
    assert db.get_or_raise(design.UserById(user_id=eve.user_id)).stripe_customer_id is None
    assert (
        subscriptions.open_checkout(db, fixtures.STAFF, eve.user_id, "cus-eve").stripe_customer_id
        == "cus-eve"
    )


def test_r24_a_user_who_never_paid_has_no_subscription(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    assert TableContents(db).of(design.Subscription) == []
    user = db.run(design.UserById(user_id=ada.user_id))
    assert user is not None
    assert (user.subscription_tier, user.stripe_customer_id) == (Tier.FREE, None)
    assert not any("STRIPE" in str(item.get("GSI1PK")) for item in items(db))


def test_r37_a_cancelled_subscription_is_active_until_its_end(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    ends = db.now() + timedelta(days=3)
    event = fixtures.billing_event(db, ada, cancel_at_period_end=True, current_period_end=ends)
    subscriptions.receive_event(db, event)
    clock.advance(timedelta(days=2))
    assert subscriptions.end_cancelled(JobRun(db)) == 0
    assert (
        db.get_or_raise(design.UserById(user_id=ada.user_id)).subscription_status
        == UserSubscriptionStatus.ACTIVE
    )
    clock.advance(timedelta(days=2))
    assert subscriptions.end_cancelled(JobRun(db)) == 1
    assert subscriptions.end_cancelled(JobRun(db)) == 0
    assert_consistent(db)


def test_r37_a_cancellation_can_be_taken_back(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    start = db.now()
    ends = start + timedelta(hours=1)
    for second, cancels in enumerate((True, False)):
        event = fixtures.billing_event(
            db,
            ada,
            created=start + timedelta(seconds=second),
            cancel_at_period_end=cancels,
            current_period_end=ends,
        )
        subscriptions.receive_event(db, event)
    clock.advance(timedelta(hours=2))
    assert subscriptions.end_cancelled(JobRun(db)) == 0
    assert (
        db.get_or_raise(design.UserById(user_id=ada.user_id)).subscription_status
        == UserSubscriptionStatus.ACTIVE
    )
