"""Problems of document 003 about tokens, login attempts, expiry, accounts and the stream."""

from datetime import timedelta
from decimal import Decimal

import pytest

from tablewright import Clock, Repository, errors, events
from tablewright_systems.goalsguild.design.goals import (
    Visibility,
)
from tablewright_systems.goalsguild.design.logins import LoginAttempts, Subject
from tablewright_systems.goalsguild.design.rooms import Message, RecentMessages
from tablewright_systems.goalsguild.design.tables import login_attempts
from tablewright_systems.goalsguild.design.users import (
    Purpose,
    UserStatus,
)
from tablewright_systems.goalsguild.service import (
    accounts,
    assistance,
    goals,
    logins,
    milestones,
    offers,
    progress_stream,
    reminders,
    rooms,
    tasks,
    tokens,
    users,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import (
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    TooManyRequests,
    Unauthenticated,
)
from tests.systems.goalsguild.fixtures import ADMIN, START, WORKER, assert_consistent, items


def test_t17_ttl_is_in_seconds_and_checked_on_read(db: Repository, clock: Clock, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    brief = rooms.post(db, ada, room.id, "psst", lifetime=timedelta(minutes=1))
    item = next(each for each in items(db) if each["type"] == {"S": "Message"})
    assert item["ttl"] == {"N": str(int(START) + 60)}
    clock.advance(timedelta(minutes=1))
    assert list(rooms.history(db, ada, room.id)) == []
    with pytest.raises(NotFound):
        rooms.edit(db, ada, room.id, brief.id, "x")
    assert [each["type"]["S"] for each in items(db)].count("Message") == 1  # TTL is lazy
    assert db.run(RecentMessages(room_id=room.id), include_expired=True)[0] == brief


@pytest.mark.parametrize("purpose", list(Purpose))
def test_t17_token_expires_on_its_second(db: Repository, clock: Clock, ada: Caller, purpose: Purpose) -> None:
    user = users.my_profile(db, ada)
    life = tokens.LIFETIMES[purpose].total_seconds()
    token = tokens.issue(db, user, purpose)
    clock.advance(life - 1)
    assert tokens.redeem(db, token, purpose) == user
    token = tokens.issue(db, user, purpose)
    clock.advance(life)
    with pytest.raises(Gone):
        tokens.redeem(db, token, purpose)


def test_t17_token_has_one_purpose_and_is_not_stored(db: Repository, ada: Caller) -> None:
    user = users.my_profile(db, ada)
    token = tokens.issue(db, user, Purpose.SIGN_IN)
    assert token not in repr(items(db))
    with pytest.raises(Gone):
        tokens.redeem(db, token, Purpose.RESET_PASSWORD)
    users.suspend(db, ADMIN, "ada")
    with pytest.raises(Forbidden):
        tokens.redeem(db, token, Purpose.SIGN_IN)


def test_new_password_invalidates_earlier_tokens(db: Repository, ada: Caller) -> None:
    user = users.my_profile(db, ada)
    first = [tokens.issue(db, user, Purpose.RESET_PASSWORD) for _ in range(2)]
    logins.reset_password(db, first[0], "correct horse")
    signed = logins.log_in(db, user.email, "correct horse", "10.0.0.1")
    later = tokens.issue(db, user, Purpose.RESET_PASSWORD)
    with pytest.raises(Gone):
        logins.reset_password(db, first[1], "thief's horse")
    logins.set_password(db, ada, "another horse")
    for token, purpose in ((signed, Purpose.SIGN_IN), (later, Purpose.RESET_PASSWORD)):
        with pytest.raises(Gone):
            tokens.redeem(db, token, purpose)
    token = logins.log_in(db, user.email, "another horse", "10.0.0.1")
    assert tokens.redeem(db, token, Purpose.SIGN_IN) == user


def wrong(db: Repository, address: str = "10.0.0.1", email: str = "ada@example.org") -> None:
    with pytest.raises(Unauthenticated):
        logins.log_in(db, email, "wrong horse", address)


def test_t23_block_lasts_for_the_window_regardless_of_ttl(db: Repository, clock: Clock, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    window = logins.window_of(db.now())
    for _ in range(5):
        wrong(db)
    with pytest.raises(TooManyRequests) as error:
        logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.2")
    left = (window + logins.WINDOW - db.now()).total_seconds()
    assert left <= error.value.retry_after <= left + 1
    clock.advance(left - 1)
    assert db.connection.sweep() == 0  # type: ignore[attr-defined]
    with pytest.raises(TooManyRequests):
        logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.2")
    clock.advance(1)
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.2")


def test_t23_old_windows_are_deleted(db: Repository, clock: Clock, ada: Caller) -> None:
    wrong(db)
    assert len(items(db, "goalsguild_login_attempts")) == 2
    clock.advance(timedelta(days=1, minutes=15))
    db.connection.sweep()  # type: ignore[attr-defined]
    assert items(db, "goalsguild_login_attempts") == []


def test_t23_success_resets_the_address_and_not_the_network(
    db: Repository, ada: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(logins.LIMITS, Subject.IP, 8)
    logins.set_password(db, ada, "correct horse")
    for number in range(logins.LIMITS[Subject.IP] - 1):
        wrong(db, email=f"victim{number}@example.org")
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    assert logins.attempts(db, Subject.EMAIL, "ada@example.org") == 0
    wrong(db, email="another@example.org")
    with pytest.raises(TooManyRequests):
        logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
    assert logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.2")


def test_t23_unknown_user_gets_the_same_error(db: Repository, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    errors_in = []
    for email in ("ada@example.org", "unknown@example.org"):
        with pytest.raises(Unauthenticated) as error:
            logins.log_in(db, email, "wrong horse", "10.0.0.1")
        errors_in.append(str(error.value))
    assert errors_in[0] == errors_in[1]
    assert login_attempts.name == "goalsguild_login_attempts"
    assert LoginAttempts.layout.table is login_attempts


def test_t23_weak_passwords_are_rejected_and_none_is_stored(db: Repository, ada: Caller) -> None:
    with pytest.raises(Invalid):
        logins.set_password(db, ada, "short")
    logins.set_password(db, ada, "correct horse")
    assert "correct horse" not in repr(items(db))


def test_t24_repeated_events_count_once_and_expiry_is_marked(
    db: Repository, clock: Clock, ada: Caller
) -> None:
    goal = goals.create_goal(db, ada, title="run")
    tasks.create_task(db, ada, goal.id, title="train")
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


def test_t27_suspended_user_is_blocked(db: Repository, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    goal = goals.create_goal(db, ada, title="run")
    room = rooms.create_room(db, ada, name="runners")
    thread = assistance.open_thread(db, ada, title="help")
    company = offers.create_company(db, ada, name="Shoes")
    users.suspend(db, ADMIN, "ada")
    for action in (
        lambda: tasks.create_task(db, ada, goal.id, title="train"),
        lambda: milestones.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50)),
        lambda: rooms.post(db, ada, room.id, "hello"),
        lambda: assistance.say(db, ada, thread.id, "?"),
        lambda: offers.create_offer(db, ada, company.id, title="shoes"),
        lambda: goals.create_goal(db, ada, title="run"),
        lambda: rooms.create_room(db, ada, name="runners"),
        lambda: users.change_profile(db, ada, {"bio": "x"}),
        lambda: assistance.open_thread(db, ada, title="help"),
        lambda: logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1"),
        lambda: accounts.delete_account(db, ada),
    ):
        with pytest.raises(Forbidden):
            action()
    with pytest.raises(NotFound):
        users.profile_of(db, ada, "ada")
    assert {each.value for each in UserStatus} == {"active", "suspended", "deleting"}


def test_t30_deleted_user_leaves_no_data(db: Repository, ada: Caller, bob: Caller) -> None:
    room = rooms.create_room(db, bob, name="runners")
    rooms.add_member(db, bob, room.id, "ada")
    rooms.post(db, ada, room.id, "hello")
    logins.set_password(db, ada, "correct horse")
    wrong(db)
    goal = goals.create_goal(db, ada, title="run", tags=["sport"], visibility=Visibility.PUBLIC)
    tasks.create_task(db, ada, goal.id, title="train", due_at=db.now())
    reminders.remind(db, WORKER, db.now(), db.now() + timedelta(seconds=1))
    assistance.say(db, ada, assistance.open_thread(db, ada, title="help").id, "?")
    accounts.delete_account(db, ada)
    left = [item for item in items(db) if "ada" in repr(item)]
    assert [item["type"]["S"] for item in left] == ["Message"]
    assert "ada@example.org" not in repr(items(db) + items(db, "goalsguild_login_attempts"))
    assert_consistent(db)
    with pytest.raises(errors.DoesNotExist):
        accounts.delete_account(db, ada)
    with pytest.raises(Forbidden):
        rooms.post(db, ada, room.id, "still here")
