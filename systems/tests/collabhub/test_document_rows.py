"""Rows exactly as the document prints them work: read at once, and adopted into indexes, locks and added items."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import ApplicationStatus, Role, Tier, UserStatus
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.collabhub.jobs import JOBS
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.proofs.retention_and_copies import MESSAGE_ID, put_rows
from tablewright_systems.collabhub.service import (
    access,
    adoption,
    applications,
    audit,
    conversations,
    messages,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.service import Adopted, Caller, Conflict, Forbidden, JobRun, JobRunner
from tablewright_systems.verification import put_row

from systems.tests.collabhub.table_contents import assert_consistent
from tablewright import Clock, Repository, errors, migrations
from tablewright.lifecycle.integrity.fsck import check

ADA, BOB, IVY = Caller("x-ada"), Caller("x-bob"), Caller("x-ivy")
ID = "x-1"
HELLO = messages.MessageDraft(content="Hello again")


@pytest.fixture
def rows(db: Repository) -> None:
    put_rows(db, "x")


@pytest.fixture
def adopted(db: Repository, rows: None) -> Repository:
    adoption.adopt(db)
    return db


# --- Before the adoption ---


@pytest.mark.usefixtures("rows")
def test_every_row_can_be_read_at_once(db: Repository) -> None:
    reads: list[Callable[[], Any]] = [
        lambda: users.read_profile(db, ADA, "x-bob"),
        lambda: users.read_home(db, IVY).subscription,
        lambda: users.read_home(db, BOB).notifications[0],
        lambda: startups.read_details(db, BOB, ID).roles[0],
        lambda: startups.list_public(db, BOB)[0],
        lambda: applications.read_application(db, ADA, ID),
        lambda: access.read_request(db, IVY, ID),
        lambda: messages.read_conversation(db, ADA, ID),
        lambda: messages.list_messages(db, BOB, ID)[0],
        lambda: db.all(design.UsersByRole(role=Role.TALENT))[0],
    ]
    for read in reads:
        assert read() is not None


@pytest.mark.usefixtures("rows")
def test_every_row_can_be_changed_at_once(db: Repository) -> None:
    users.edit_profile(db, BOB, users.ProfileChanges(bio="Still here"))
    startups.edit_startup(db, ADA, ID, startups.StartupChanges(name="Looms"))
    applications.change_status(db, ADA, ID, ApplicationStatus.REVIEWING)
    assert messages.send_message(db, BOB, ID, HELLO).content == "Hello again"
    assert messages.mark_read(db, BOB, ID, MESSAGE_ID).user_id == "x-bob"
    access.revoke(db, ADA, ID)
    assert users.ban(db, fixtures.STAFF, "x-bob").status == UserStatus.BANNED


@pytest.mark.usefixtures("rows")
def test_a_banned_user_of_another_program_has_to_verify(db: Repository) -> None:
    db.update(design.UserById(user_id="x-bob"), set={"status": UserStatus.BANNED})
    assert users.reinstate(db, fixtures.STAFF, "x-bob").status == UserStatus.PENDING_VERIFICATION


@pytest.mark.usefixtures("rows")
@pytest.mark.parametrize("decide", ["approve", "reject"])
def test_a_request_without_a_grant_is_decided(db: Repository, decide: str) -> None:
    db.update(design.AccessRequestById(access_id=ID), set={"status": "PENDING", "expires_at": None})
    if decide == "approve":
        access.approve(db, ADA, ID)
        assert access.own_level(db, IVY, ID) == design.AccessLevel.VIEW_DECK
    else:
        access.reject(db, ADA, ID)
        assert access.own_level(db, IVY, ID) is None


@pytest.mark.usefixtures("rows")
def test_stored_text_that_the_api_would_not_accept_is_readable_and_repairable(db: Repository) -> None:
    odd = {
        "first_name": "",
        "bio": "a\u202eb" * 5_000,
        "linkedin_url": "ftp://x",
        "skills": [str(n) for n in range(60)],
    }
    db.update(design.UserById(user_id="x-bob"), set=odd)
    assert users.read_profile(db, ADA, "x-bob").linkedin_url == "ftp://x"
    repaired = users.edit_profile(db, BOB, users.ProfileChanges(bio=None, first_name="Bob"))
    assert (repaired.first_name, repaired.bio) == ("Bob", None)


# --- After the adoption ---


def test_adoption_leaves_nothing_to_repair_and_runs_once(adopted: Repository) -> None:
    # A message keeps the form of its time until `fsck --repair`: it is read and compared as it is stored.
    findings = [str(finding) for finding in check(adopted).findings]
    assert [text for text in findings if "in another form" not in text] == []
    assert_consistent(adopted)
    before = adopted.connection.call("Scan", {"TableName": "collabhub-main"})["Items"]
    assert adoption.adopt(adopted) == Adopted()
    assert adopted.connection.call("Scan", {"TableName": "collabhub-main"})["Items"] == before


def test_adopted_rows_are_in_every_list(adopted: Repository) -> None:
    assert [role.role_id for role in roles.browse_open_roles(adopted, BOB)] == [ID]
    for user in (ADA, BOB):
        (entry,) = adopted.all(design.ConversationsOfUser(user_id=user.user_id))
        assert entry.last_message_preview == "Hello"
    assert [entry.audit_id for entry in audit.entries_of_user(adopted, ADA, "x-ada")] == [ID]
    day = adopted.now().replace(day=1).date()
    assert [entry.audit_id for entry in audit.entries_of_day(adopted, fixtures.STAFF, day)] == [ID]
    assert len(adopted.all(design.UnreadNotifications(user_id="x-bob"))) == 1
    stored = adopted.run(design.UserByEmail(email="X-Ada@example.org"))
    assert stored is not None
    assert stored.user_id == "x-ada"


def test_adopted_rows_have_their_locks(adopted: Repository) -> None:
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    with pytest.raises(errors.UniqueViolation):
        users.register(adopted, fixtures.new_caller(email="X-ADA@example.org"), draft)
    letter = "Again"
    with pytest.raises(Conflict):
        applications.apply(adopted, BOB, ID, ID, letter)
    with pytest.raises(Conflict):
        access.request_access(adopted, IVY, ID)
    assert conversations.start_direct(adopted, BOB, "x-ada").conversation_id == ID
    eve = fixtures.new_user(adopted, Role.FOUNDER)
    with pytest.raises(errors.UniqueViolation):
        subscriptions.open_checkout(adopted, fixtures.WEBHOOK, eve.user_id, "cus-x-ivy")


def test_adopted_access_and_subscriptions_end(adopted: Repository, clock: Clock) -> None:
    assert startups.read_startup(adopted, IVY, ID).pitch_deck_url is not None
    clock.advance(timedelta(days=60))
    assert startups.read_startup(adopted, IVY, ID).pitch_deck_url is None
    assert access.end_expired(JobRun(adopted)) == 1
    assert subscriptions.end_cancelled(JobRun(adopted)) == 1
    assert adopted.get_or_raise(design.UserById(user_id="x-ivy")).subscription_tier == Tier.FREE
    assert_consistent(adopted)


def test_events_apply_to_an_adopted_subscription(adopted: Repository) -> None:
    event = fixtures.billing_event(adopted, IVY, user_id=None, status="past_due")
    assert subscriptions.receive_event(adopted, event) == design.EventOutcome.APPLIED
    assert_consistent(adopted)


def test_adopted_roles_follow_their_startup(adopted: Repository) -> None:
    startups.suspend(adopted, fixtures.STAFF, ID)
    assert list(roles.browse_open_roles(adopted, BOB)) == []
    roles.close_role(adopted, ADA, ID, ID)
    assert_consistent(adopted)


@pytest.mark.usefixtures("rows")
def test_a_second_user_with_one_address_is_reported_and_does_not_stop_the_others(
    db: Repository, caplog: pytest.LogCaptureFixture
) -> None:
    put_rows(db, "X")  # X-ada and x-ada have one address
    adoption.adopt(db)
    assert "2026-11-adopt-users rejected" in caplog.text
    assert len(migrations.rejects(db)["2026-11-adopt-users"]) == 3
    assert len(db.all(design.ConversationsOfUser(user_id="X-bob"))) == 1


@pytest.mark.usefixtures("rows")
def test_the_job_adopts_once(db: Repository, clock: Clock) -> None:
    jobs = tuple(job for job in JOBS if job.name == "adoption")
    runner = JobRunner(db.connection, {"collabhub": (db, jobs)}, clock=clock)
    assert runner.run_due() == ["collabhub.adoption"]
    assert [role.role_id for role in roles.browse_open_roles(db, BOB)] == [ID]
    put_rows(db, "late")
    clock.advance(timedelta(minutes=5))
    assert runner.run_due() == ["collabhub.adoption"]
    assert [role.role_id for role in roles.browse_open_roles(db, BOB)] == [ID]
    with pytest.raises(Forbidden):
        startups.read_startup(db, Caller("unknown"), ID)


@pytest.mark.usefixtures("rows")
def test_unreadable_rows_do_not_keep_others_from_their_adoption(db: Repository) -> None:
    role = {"PK": f"STARTUP#{ID}", "SK": "ROLE#other", "entityType": "STARTUP_ROLE", "isOpen": "maybe"}
    message = {"PK": f"CONVERSATION#{ID}", "SK": "MESSAGE#other", "entityType": "MESSAGE"}
    for row in (role, message):
        put_row(db, main, row)
    adoption.adopt(db)
    assert db.get_or_raise(design.StartupById(startup_id=ID)).open_roles == 1
    assert len(messages.list_participants(db, ADA, ID)) == 2
