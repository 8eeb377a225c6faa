"""The rules of GoalsGuild about tokens, login attempts, expiry, accounts and the stream."""

from dataclasses import replace
from datetime import timedelta
from decimal import Decimal

import pytest
from tablewright_systems.goalsguild.design.offers import CompaniesOfUser
from tablewright_systems.goalsguild.design.rooms import Message, RecentMessages, Role
from tablewright_systems.goalsguild.design.tables import Visibility, login_attempts
from tablewright_systems.goalsguild.design.users import (
    LoginAttempts,
    ProfileById,
    Purpose,
    ResetRequests,
    Subject,
)
from tablewright_systems.goalsguild.proofs.logins import Mailbox
from tablewright_systems.goalsguild.service import (
    accounts,
    assistance,
    goals,
    logins,
    offers,
    progress_stream,
    reminders,
    rooms,
    users,
)
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthenticated,
)

from systems.tests.goalsguild.fixtures import (
    ADMIN,
    START,
    WORKER,
    assert_consistent,
    clock_of,
    items,
    new_user,
    token_holder,
)
from tablewright import Clock, Repository, events


def test_r17_ttl_is_in_seconds_and_checked_on_read(db: Repository, clock: Clock, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    brief = rooms.post(db, ada, room.id, "psst", lifetime=timedelta(minutes=1))
    item = next(item for item in items(db) if item["type"] == {"S": "Message"})
    assert item["ttl"] == {"N": str(int(START) + 60)}
    clock.advance(timedelta(minutes=1))
    assert list(rooms.history(db, ada, room.id)) == []
    with pytest.raises(NotFound):
        rooms.edit(db, ada, room.id, brief.id, "x")
    assert [item["type"]["S"] for item in items(db)].count("Message") == 1  # TTL is lazy
    assert db.run(RecentMessages(room_id=room.id), include_expired=True)[0] == brief


@pytest.mark.parametrize("purpose", list(Purpose))
def test_r17_token_expires_on_its_second(db: Repository, clock: Clock, ada: Caller, purpose: Purpose) -> None:
    user = users.my_profile(db, ada)
    life = logins.LIFETIMES[purpose].total_seconds()
    token = logins.issue(db, user, purpose)
    clock.advance(life - 1)
    assert logins.redeem(db, token, purpose) == user
    token = logins.issue(db, user, purpose)
    clock.advance(life)
    with pytest.raises(Gone):
        logins.redeem(db, token, purpose)


def test_r17_token_has_one_purpose_and_is_not_stored(db: Repository, ada: Caller) -> None:
    user = users.my_profile(db, ada)
    token = logins.issue(db, user, Purpose.SIGN_IN)
    assert token not in repr(items(db))
    with pytest.raises(Gone):
        logins.redeem(db, token, Purpose.RESET_PASSWORD)
    users.suspend(db, ADMIN, "ada")
    with pytest.raises(Forbidden):
        logins.redeem(db, token, Purpose.SIGN_IN)


def test_new_password_invalidates_earlier_tokens(db: Repository, ada: Caller) -> None:
    user = users.my_profile(db, ada)
    first = [logins.issue(db, user, Purpose.RESET_PASSWORD) for _ in range(2)]
    logins.reset_password(db, first[0], "correct horse")
    signed = logins.log_in(db, user.email, "correct horse", "10.0.0.1")
    later = logins.issue(db, user, Purpose.RESET_PASSWORD)
    with pytest.raises(Gone):
        logins.reset_password(db, first[1], "thief's horse")
    logins.set_password(db, ada, "another horse")
    for token, purpose in ((signed, Purpose.SIGN_IN), (later, Purpose.RESET_PASSWORD)):
        with pytest.raises(Gone):
            logins.redeem(db, token, purpose)
    token = logins.log_in(db, user.email, "another horse", "10.0.0.1")
    assert logins.redeem(db, token, Purpose.SIGN_IN) == user


def wrong(db: Repository, address: str = "10.0.0.1", email: str = "ada@example.org") -> None:
    with pytest.raises(Unauthenticated):
        logins.log_in(db, email, "wrong horse", address)


def test_r23_block_lasts_for_the_window_regardless_of_ttl(db: Repository, clock: Clock, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    window = logins.LIMITS[Subject.EMAIL].window_of(db.now())
    for _ in range(5):
        wrong(db)
    with pytest.raises(TooManyRequests) as error:
        logins.log_in(db, "ADA@example.org", "correct horse", "10.0.0.1")
    left = (window + logins.WINDOW - db.now()).total_seconds()
    assert left <= error.value.retry_after <= left + 1
    clock.advance(left - 1)
    assert db.connection.sweep() == 0  # type: ignore[attr-defined]
    with pytest.raises(TooManyRequests):
        logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    clock.advance(1)
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")


def test_r23_failures_elsewhere_block_neither_login_nor_reset(db: Repository, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    for network in ("10.0.0.1", "10.0.0.2"):
        for _ in range(5):
            wrong(db, network)
        with pytest.raises(TooManyRequests):
            logins.log_in(db, "ada@example.org", "correct horse", network)
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.3")
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    assert len(db.all(ResetRequests())) == 1


def test_resets_of_an_address_are_limited(db: Repository, clock: Clock, ada: Caller) -> None:
    for number in range(5):
        logins.request_reset(db, "ada@example.org", f"10.0.0.{number}")
    with pytest.raises(TooManyRequests):
        logins.request_reset(db, "ADA@example.org", "10.0.0.9")
    clock.advance(logins.WINDOW)
    logins.request_reset(db, "ada@example.org", "10.0.0.9")


def test_lookups_of_addresses_are_limited(db: Repository, ada: Caller, bob: Caller) -> None:
    for number in range(20):
        assert logins.is_email_free(db, bob, f"user{number}@example.org", "10.0.0.1")
    with pytest.raises(TooManyRequests):
        logins.is_email_free(db, bob, "ada@example.org", "10.0.0.2")
    assert not logins.is_email_free(db, ada, "bob@example.org", "10.0.0.2")


def mailed(db: Repository) -> list[tuple[str, str]]:
    """Send the requested mails; return the address and the token of each."""
    mailbox = Mailbox()
    for request in db.all(ResetRequests()):
        logins.send_reset(db, mailbox, request)
        db.delete(request)
    return mailbox.mails


def test_reset_mail_goes_to_the_stored_address_only(db: Repository) -> None:
    users.register(db, token_holder("bob", "Bob@strasse.de"), nickname="bob", full_name="Bob")
    logins.request_reset(db, "bob@stra\N{LATIN SMALL LETTER SHARP S}e.de", "10.0.0.1")
    assert mailed(db) == []
    logins.request_reset(db, "BOB@STRASSE.DE", "10.0.0.1")
    ((to, token),) = mailed(db)
    assert to == "Bob@strasse.de"
    assert token not in repr(items(db))


def test_both_forms_of_a_domain_are_one_address(db: Repository) -> None:
    user = users.register(
        db, token_holder("bob", "Bob@stra\N{LATIN SMALL LETTER SHARP S}e.de"), nickname="bob", full_name="Bob"
    )
    assert user.email == "Bob@xn--strae-oqa.de"
    for form in ("bob@stra\N{LATIN SMALL LETTER SHARP S}e.de", "BOB@XN--STRAE-OQA.DE"):
        assert users.user_at(db, form) == user
        with pytest.raises(Conflict):
            users.register(db, token_holder("eve", form), nickname="eve", full_name="Eve")
    assert users.register(db, token_holder("eve", "bob@strasse.de"), nickname="eve", full_name="Eve")
    assert_consistent(db)


def test_token_dies_with_a_changed_address(db: Repository, ada: Caller) -> None:
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    ((_, token),) = mailed(db)
    users.adopt_email(db, token_holder("ada", "new@example.org"))
    with pytest.raises(Gone):
        logins.reset_password(db, token, "thief's horse")
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    assert mailed(db) == []


def test_token_dies_with_the_account(db: Repository, ada: Caller, clock: Clock) -> None:
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    ((_, token),) = mailed(db)
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    accounts.delete_account(db, ada)
    assert mailed(db) == []
    clock.advance(1)
    new_user(db, "ada")
    with pytest.raises(Gone):
        logins.reset_password(db, token, "thief's horse")


def test_suspended_user_gets_no_reset(db: Repository, ada: Caller) -> None:
    token = logins.issue(db, users.my_profile(db, ada), Purpose.RESET_PASSWORD)
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    users.suspend(db, ADMIN, "ada")
    assert mailed(db) == []
    with pytest.raises(Forbidden):
        logins.reset_password(db, token, "another horse")


def test_r23_old_windows_are_deleted(db: Repository, clock: Clock, ada: Caller) -> None:
    wrong(db)
    assert len(items(db, "goalsguild_login_attempts")) == 2
    clock.advance(timedelta(days=1, minutes=15))
    db.connection.sweep()  # type: ignore[attr-defined]
    assert items(db, "goalsguild_login_attempts") == []


def test_r23_success_resets_the_address_and_not_the_network(
    db: Repository, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(logins.LIMITS, Subject.IP, replace(logins.LIMITS[Subject.IP], most=8))
    logins.set_password(db, ada, "correct horse")
    for number in range(7):
        wrong(db, email=f"victim{number}@example.org")
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    assert logins.attempts(db, Subject.EMAIL, "ada@example.org", "10.0.0.1") == 0
    wrong(db, email="another@example.org")
    with pytest.raises(TooManyRequests):
        logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.2")


def test_r23_unknown_user_gets_the_same_error(db: Repository, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    errors_in = []
    for email in ("ada@example.org", "unknown@example.org"):
        with pytest.raises(Unauthenticated) as error:
            logins.log_in(db, email, "wrong horse", "10.0.0.1")
        errors_in.append(str(error.value))
    assert errors_in[0] == errors_in[1]
    assert login_attempts.name == "goalsguild_login_attempts"
    assert LoginAttempts.layout.table is login_attempts


def test_r23_weak_passwords_are_rejected_and_none_is_stored(db: Repository, ada: Caller) -> None:
    with pytest.raises(Invalid):
        logins.set_password(db, ada, "short")
    logins.set_password(db, ada, "correct horse")
    assert "correct horse" not in repr(items(db))


def test_r24_repeated_events_count_once_and_expiry_is_marked(
    db: Repository, clock: Clock, ada: Caller
) -> None:
    goal = goals.create_goal(db, ada, title="run")
    goals.create_task(db, ada, goal.id, title="train")
    room = rooms.create_room(db, ada, name="runners")
    rooms.post(db, ada, room.id, "psst", lifetime=timedelta(minutes=1))
    for consumer in ("first", "second", "first"):
        progress_stream.update_progress(db, WORKER, consumer)
    assert goals.progress(db, ada, goal.id).tasks == 1
    clock.advance(timedelta(hours=1))
    db.connection.sweep()  # type: ignore[attr-defined]
    reply: list[str] = []

    @events.on(Message, "removed", "expired")
    def ended(event: events.Event[Message]) -> None:
        reply.append(type(event).__name__)

    db.streams.handle(ended)
    assert reply == ["Expired"]


def test_r27_suspended_user_is_blocked(db: Repository, ada: Caller, bob: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train")
    half = goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50))
    room = rooms.create_room(db, ada, name="runners")
    rooms.add_member(db, ada, room.id, "bob")
    said = rooms.post(db, ada, room.id, "hello")
    thread = assistance.open_thread(db, ada, title="help")
    company = offers.create_company(db, ada, name="Shoes")
    offer = offers.create_offer(db, ada, company.id, title="shoes")
    eve = new_user(db, "eve")
    users.suspend(db, ADMIN, "ada")
    before = items(db)
    for action in (
        lambda: goals.create_task(db, ada, goal.id, title="train"),
        lambda: goals.change_task(db, ada, goal.id, task.id, title="x"),
        lambda: goals.delete_task(db, ada, goal.id, task.id),
        lambda: goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50)),
        lambda: goals.change_milestone(db, ada, goal.id, half.id, name="x"),
        lambda: goals.achieve(db, ada, goal.id, half.id),
        lambda: goals.reopen(db, ada, goal.id, half.id),
        lambda: goals.delete_milestone(db, ada, goal.id, half.id),
        lambda: rooms.post(db, ada, room.id, "hello"),
        lambda: rooms.edit(db, ada, room.id, said.id, "x"),
        lambda: rooms.withdraw(db, ada, room.id, said.id),
        lambda: rooms.add_member(db, ada, room.id, eve.user_id),
        lambda: rooms.remove_member(db, ada, room.id, "bob"),
        lambda: rooms.transfer(db, ada, room.id, "bob"),
        lambda: rooms.delete_room(db, ada, room.id),
        lambda: rooms.create_room(db, ada, name="runners"),
        lambda: assistance.say(db, ada, thread.id, "?"),
        lambda: assistance.open_thread(db, ada, title="help"),
        lambda: assistance.close_thread(db, ada, thread.id),
        lambda: offers.create_company(db, ada, name="Shoes"),
        lambda: offers.change_company(db, ada, company.id, name="x"),
        lambda: offers.delete_company(db, ada, company.id),
        lambda: offers.create_offer(db, ada, company.id, title="shoes"),
        lambda: offers.change_offer(db, ada, offer.id, status="open"),
        lambda: offers.delete_offer(db, ada, offer.id),
        lambda: goals.create_goal(db, ada, title="run"),
        lambda: goals.change_goal(db, ada, goal.id, visibility=Visibility.PUBLIC),
        lambda: goals.delete_goal(db, ada, goal.id),
        lambda: users.change_profile(db, ada, bio="x"),
        lambda: users.change_nickname(db, ada, "queen"),
        lambda: users.adopt_email(db, token_holder("ada", "queen@example.org")),
        lambda: logins.set_password(db, ada, "another horse"),
        lambda: logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1"),
        lambda: accounts.delete_account(db, ada),
    ):
        with pytest.raises(Forbidden):
            action()
    assert items(db) == before
    with pytest.raises(NotFound):
        users.profile_of(db, "ada")
    users.reinstate(db, ADMIN, "ada")
    assert goals.change_goal(db, ada, goal.id, title="walk").title == "walk"


def test_r27_unknown_status_of_another_program_is_kept(db: Repository, ada: Caller) -> None:
    db.update(ProfileById(user_id="ada"), set={"status": "verified"})
    assert users.change_profile(db, ada, bio="x").status == "verified"
    assert goals.create_goal(db, ada, title="run")
    assert users.profile_of(db, "ada").bio == "x"


def test_r30_deleted_user_leaves_no_data(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, bob, name="runners")
    rooms.add_member(db, bob, room.id, "ada")
    rooms.post(db, ada, room.id, "hello")
    own = rooms.create_room(db, ada, name="alone")
    rooms.post(db, ada, own.id, "hello", client_id="m1")
    company = offers.create_company(db, ada, name="Shoes")
    offer = offers.create_offer(db, ada, company.id, title="shoes", tags=["sport"])
    offers.change_offer(db, ada, offer.id, status="open")
    logins.set_password(db, ada, "correct horse")
    wrong(db)
    logins.request_reset(db, "ada@example.org", "10.0.0.1")
    assert mailed(db)
    goal = goals.create_goal(db, ada, title="run", tags=["sport"], visibility=Visibility.PUBLIC)
    goals.create_task(db, ada, goal.id, title="train", due_at=db.now())
    reminders.remind(db, WORKER, db.now(), db.now() + timedelta(seconds=1))
    assistance.say(db, ada, assistance.open_thread(db, ada, title="help").id, "?")
    accounts.delete_account(db, ada)
    left = [item for item in items(db) if "ada" in repr(item)]
    assert sorted(item["type"]["S"] for item in left) == ["Message", "Token"]
    assert "ada@example.org" not in repr(items(db) + items(db, "goalsguild_login_attempts"))
    assert_consistent(db)
    with pytest.raises(NotFound):
        accounts.delete_account(db, ada)
    with pytest.raises(Forbidden):
        rooms.post(db, ada, room.id, "still here")
    with pytest.raises(NotFound):
        offers.change_offer(db, ada, offer.id, title="mine")


def test_rooms_of_a_deleted_user_get_the_first_active_member_as_owner(db: Repository, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    for name in ("suspended", "first", "second"):
        new_user(db, name)
        clock_of(db).advance(1)
        rooms.add_member(db, ada, room.id, name)
    users.suspend(db, ADMIN, "suspended")
    rooms.post(db, ada, room.id, "hello")
    accounts.delete_account(db, ada)
    roles = {member.user_id: member.role for member in rooms.members(db, Caller("first"), room.id)}
    assert roles == {"suspended": Role.MEMBER, "first": Role.OWNER, "second": Role.MEMBER}
    assert [item.text for item in rooms.history(db, Caller("second"), room.id)] == ["hello"]
    assert_consistent(db)


def test_slow_deletion_leaves_a_new_registration_alone(
    db: Repository, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    leave_all = rooms.leave_all

    def leave_slowly(db: Repository, user_id: str) -> None:
        leave_all(db, user_id)
        monkeypatch.setattr(rooms, "leave_all", leave_all)
        accounts.delete_account(db, ada)  # another request is faster
        new_user(db, "ada")
        logins.set_password(db, ada, "correct horse")
        offers.create_company(db, ada, name="Shoes")

    monkeypatch.setattr(rooms, "leave_all", leave_slowly)
    accounts.delete_account(db, ada)
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    assert len(db.all(CompaniesOfUser(user_id="ada"))) == 1
    assert_consistent(db)
