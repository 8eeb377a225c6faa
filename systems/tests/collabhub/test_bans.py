"""Activation and bans: only a verified address activates; banned users act, read and receive nothing (F1, R36)."""

from collections.abc import Callable

import pytest
from fastapi.testclient import TestClient
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.api import build
from tablewright_systems.collabhub.design import ApplicationStatus, Role, UserStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    access,
    applications,
    audit,
    conversations,
    messages,
    startups,
    users,
)
from tablewright_systems.service import Caller, Conflict, Forbidden
from tablewright_systems.web import LocalIssuer

from systems.tests.collabhub.table_contents import TableContents, assert_consistent, new_group, new_users
from tablewright import Repository, errors

DRAFT = users.Registration(role=Role.FOUNDER, first_name="Ada", last_name="Byron")
HELLO = messages.MessageDraft(content="Hello")


def status_of(db: Repository, caller: Caller) -> UserStatus:
    return db.get_or_raise(design.UserById(user_id=caller.user_id)).status


# --- Activation ---


def sign_up_unverified(db: Repository, email: str) -> Caller:
    caller = fixtures.new_caller(email=email, email_verified=False)
    users.register(db, caller, DRAFT)
    return caller


@pytest.mark.parametrize(
    "claims",
    [
        {"email": "eve@example.org", "email_verified": True},
        {"email": "ada@strasse.de", "email_verified": True},
        {"email": "ada@straße.de", "email_verified": False},
        {"email": "ada@straße.de"},
        {"email_verified": True},
    ],
    ids=["another address", "a similar domain", "not verified", "unknown", "no address"],
)
def test_only_the_verified_address_of_the_account_activates_it(
    db: Repository, claims: dict[str, object]
) -> None:
    ada = sign_up_unverified(db, "ada@straße.de")
    with pytest.raises(Forbidden):
        users.activate(db, Caller(ada.user_id, claims), ada.user_id)
    assert status_of(db, ada) == UserStatus.PENDING_VERIFICATION


def test_the_verified_address_activates_in_any_form(db: Repository) -> None:
    ada = sign_up_unverified(db, "ada@straße.de")
    verified = Caller(ada.user_id, {"email": " ADA@xn--strae-oqa.DE", "email_verified": True})
    assert users.activate(db, verified, ada.user_id).status == UserStatus.ACTIVE
    with pytest.raises(Conflict):
        users.activate(db, verified, ada.user_id)


def test_a_user_cannot_activate_another_user(db: Repository) -> None:
    ada = sign_up_unverified(db, "ada@example.org")
    eve = Caller("eve", {"email": "ada@example.org", "email_verified": True})
    with pytest.raises(Forbidden):
        users.activate(db, eve, ada.user_id)


def test_an_unverified_sign_up_does_not_block_the_owner_of_the_address(db: Repository) -> None:
    thief = sign_up_unverified(db, "ada@example.org")
    other = fixtures.new_caller(email="ada@example.org", email_verified=False)
    with pytest.raises(errors.UniqueViolation):
        users.register(db, other, DRAFT)
    ada = fixtures.new_caller(email="Ada@example.org")
    users.register(db, ada, DRAFT)
    assert users.activate(db, ada, ada.user_id).status == UserStatus.ACTIVE
    assert db.run(design.UserById(user_id=thief.user_id)) is None
    with pytest.raises(errors.UniqueViolation):
        users.register(db, fixtures.new_caller(email="ada@example.org"), DRAFT)


def test_a_banned_address_is_not_released(db: Repository) -> None:
    eve = sign_up_unverified(db, "eve@example.org")
    users.ban(db, fixtures.STAFF, eve.user_id)
    with pytest.raises(errors.UniqueViolation):
        users.register(db, fixtures.new_caller(email="eve@example.org"), DRAFT)


# --- The end of a ban ---


def test_a_ban_does_not_verify(db: Repository) -> None:
    eve = sign_up_unverified(db, "eve@example.org")
    users.ban(db, fixtures.STAFF, eve.user_id)
    users.ban(db, fixtures.STAFF, eve.user_id)
    assert users.reinstate(db, fixtures.STAFF, eve.user_id).status == UserStatus.PENDING_VERIFICATION
    with pytest.raises(Forbidden):
        startups.create_startup(db, eve, fixtures.startup_draft())


def test_a_ban_ends_with_the_status_of_before(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    users.ban(db, fixtures.STAFF, ada.user_id)
    with pytest.raises(Conflict):
        users.activate(db, ada, ada.user_id)
    user = users.reinstate(db, fixtures.STAFF, ada.user_id)
    assert (user.status, user.status_before_ban) == (UserStatus.ACTIVE, None)
    with pytest.raises(Conflict):
        users.reinstate(db, fixtures.STAFF, ada.user_id)


# --- What a banned user gets ---


def test_a_banned_user_gets_no_notifications_and_reads_no_messages(db: Repository) -> None:
    ada, bob, ivy = members = new_users(db, 3)
    group = new_group(db, members)
    users.ban(db, fixtures.STAFF, bob.user_id)
    messages.send_message(db, ada, group, HELLO)
    assert {notification.user_id for notification in TableContents(db).of(design.Notification)} == {
        ivy.user_id
    }
    reads: list[Callable[[], object]] = [
        lambda: messages.read_conversation(db, bob, group),
        lambda: messages.list_messages(db, bob, group),
        lambda: messages.list_unread(db, bob, group),
        lambda: messages.list_participants(db, bob, group),
        lambda: users.read_home(db, bob),
        lambda: audit.entries_of_user(db, bob, bob.user_id),
    ]
    for read in reads:
        with pytest.raises(Forbidden):
            read()
    users.reinstate(db, fixtures.STAFF, bob.user_id)
    assert [message.content for message in messages.list_messages(db, bob, group)] == ["Hello"]
    assert_consistent(db)


def test_nothing_can_be_sent_to_a_banned_user_directly(db: Repository) -> None:
    ada, bob = new_users(db, 2)
    direct = conversations.start_direct(db, ada, bob.user_id).conversation_id
    users.ban(db, fixtures.STAFF, bob.user_id)
    with pytest.raises(Conflict):
        messages.send_message(db, ada, direct, HELLO)
    assert TableContents(db).of(design.Message) == []


def test_decisions_do_not_reach_banned_users(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    bob, application = fixtures.new_application(db, fixtures.new_role(db, ada, startup))
    ivy, request = fixtures.new_access_request(db, startup)
    for banned in (bob, ivy):
        users.ban(db, fixtures.STAFF, banned.user_id)
    fixtures.move_application(db, ada, application, ApplicationStatus.REVIEWING)
    with pytest.raises(Conflict, match="not an active user"):
        fixtures.move_application(db, ada, application, ApplicationStatus.ACCEPTED)
    with pytest.raises(Conflict, match="not an active user"):
        fixtures.approve_access(db, ada, request)
    access.reject(db, ada, request.access_id)
    with pytest.raises(Forbidden):
        applications.read_application(db, bob, application.application_id)
    with pytest.raises(Forbidden):
        access.read_request(db, ivy, request.access_id)
    assert {notification.user_id for notification in TableContents(db).of(design.Notification)} == {
        ada.user_id
    }


def test_every_endpoint_refuses_a_banned_user(db: Repository) -> None:
    """Every path and method there is, also for staff who are banned; only the account itself can be read."""
    issuer = LocalIssuer()
    app = build(db, issuer)
    eve = fixtures.new_user(db, Role.FOUNDER)
    users.ban(db, fixtures.STAFF, eve.user_id)
    token = issuer.issue(eve.user_id, **eve.claims, roles=["admin"])
    client = TestClient(app, headers={"Authorization": f"Bearer {token}"})
    allowed = {("get", "/users/me"), ("post", "/users"), ("post", "/webhooks/stripe")}
    seen = 0
    for path, methods in app.openapi()["paths"].items():
        for method in methods:
            if (method, path) not in allowed:
                reply = client.request(method, path.replace("{", "").replace("}", ""), json={})
                assert reply.status_code == 403, (method, path, reply.text)
                seen += 1
    assert seen > 55
    assert client.get("/users/me").json()["status"] == "BANNED"
