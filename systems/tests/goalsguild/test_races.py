"""Concurrent requests: one winner, no orphaned items, exact counters, no lost updates.

After each race, the whole table is checked.
"""

from collections import Counter
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from tablewright_systems.goalsguild.design.goals import Milestone, Reminder, Task, TaskById, TasksByDueDate
from tablewright_systems.goalsguild.design.offers import EntitiesByTag, OfferStatus
from tablewright_systems.goalsguild.design.rooms import Member, Message, Receipt, Role, Room
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.design.users import Credential, CredentialOf, Purpose, Subject, User
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
    NotFound,
    TooManyRequests,
    Unauthenticated,
)

from systems.tests.goalsguild.fixtures import WORKER, assert_consistent, errors_in, new_user, of, token_holder
from systems.tests.races import race, repeat_until, winners
from tablewright import Clock, Repository

MANY = 8
MAX_FAILURES = logins.LIMITS[Subject.EMAIL].most


@pytest.mark.parametrize("shared", ["email", "nickname"])
def test_concurrent_claims_of_a_name_have_one_winner(db: Repository, shared: str) -> None:
    def names(number: int) -> dict[str, Any]:
        own = {"email": f"u{number}@example.org", "nickname": f"user{number}", "full_name": "U"}
        return own | {shared: {"email": "Same@example.org", "nickname": "Same"}[shared].swapcase()}

    def register(number: int) -> User:
        values = names(number)
        return users.register(db, token_holder(f"u{number}", values.pop("email")), **values)

    outcomes = race(*(partial(register, number) for number in range(MANY)))
    lost = errors_in(outcomes)
    assert [(type(item), item.field) for item in lost] == [(Conflict, shared)] * (MANY - 1)
    assert len(of(assert_consistent(db), User)) == 1


def test_repeated_registration_happens_once(db: Repository) -> None:
    names = {"nickname": "ada", "full_name": "Ada"}
    outcomes = race(*[partial(users.register, db, token_holder("ada"), **names)] * MANY)
    assert len(errors_in(outcomes)) == MANY - 1
    assert len(of(assert_consistent(db), User)) == 1


def test_concurrent_renames_to_one_name_have_one_winner(db: Repository, ada: Caller, bob: Caller) -> None:
    eve = new_user(db, "eve")
    outcomes = race(
        partial(users.change_nickname, db, ada, "queen"),
        partial(users.change_nickname, db, bob, "Queen"),
        partial(users.change_nickname, db, eve, "QUEEN"),
        partial(users.adopt_email, db, token_holder("eve", "queen@example.org")),
    )
    assert len(winners(outcomes[:3])) == 1
    result = of(assert_consistent(db), User)
    assert sum(user.nickname.lower() == "queen" for user in result) == 1


def test_concurrent_renames_of_one_user_leave_one_name(db: Repository, ada: Caller) -> None:
    outcomes = race(*(partial(users.change_nickname, db, ada, f"ada{number}") for number in range(MANY)))
    assert users.my_profile(db, ada).nickname in {winner.nickname for winner in winners(outcomes)}
    assert_consistent(db)


def test_released_name_has_at_most_one_new_owner(db: Repository, ada: Caller) -> None:
    def register(number: int, nickname: str) -> User:
        return users.register(db, token_holder(f"u{number}"), nickname=nickname, full_name="U")

    seen: set[int] = set()
    for attempt in repeat_until(lambda: seen == {0, 1}):
        released = users.my_profile(db, ada).nickname
        others = (partial(register, attempt * 4 + number, released) for number in range(4))
        race(partial(users.change_nickname, db, ada, f"lovelace{attempt}"), *others)
        owners = sum(user.nickname == released for user in of(assert_consistent(db), User))
        assert owners <= 1
        seen.add(owners)


def test_concurrent_changes_of_a_task_all_survive(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train", due_at=db.now())
    due_at = db.now() + timedelta(days=3)
    wanted: list[dict[str, Any]] = [
        {"title": "train harder"},
        {"done": True},
        {"due_at": due_at},
        {"nlp_plan": {"steps": ["warm up"]}},
    ]
    outcomes = race(*(partial(goals.change_task, db, ada, goal.id, task.id, **changes) for changes in wanted))
    assert not errors_in(outcomes)
    result = goals.my_task(db, ada, goal.id, task.id)
    assert (result.title, result.done, result.due_at) == ("train harder", True, due_at)
    assert result.nlp_plan == {"steps": ["warm up"]}
    assert db.all(TasksByDueDate(user_id="ada")) == [result]
    assert_consistent(db)


def test_concurrent_due_dates_leave_one_copy(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train")
    dates = [db.now() + timedelta(days=number) for number in range(MANY - 1)]
    race(*(partial(goals.change_task, db, ada, goal.id, task.id, due_at=date) for date in [*dates, None]))
    assert db.all(TasksByDueDate(user_id="ada")) == [goals.my_task(db, ada, goal.id, task.id)]
    assert_consistent(db)


def test_deleted_goal_leaves_nothing(db: Repository, ada: Caller) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        goal = goals.create_goal(db, ada, title="run", tags=["sport"], visibility=Visibility.PUBLIC)
        for number in range(5):
            goals.create_task(db, ada, goal.id, title=f"task {number}", due_at=db.now())
        outcomes = race(
            partial(goals.delete_goal, db, ada, goal.id),
            partial(goals.delete_goal, db, ada, goal.id),
            *(partial(goals.create_task, db, ada, goal.id, title="late") for _ in range(3)),
            partial(goals.create_milestone, db, ada, goal.id, name="half", percentage=Decimal(50)),
            partial(goals.change_goal, db, ada, goal.id, tags=["other"]),
        )
        assert outcomes[0] is None or outcomes[1] is None
        assert not of(assert_consistent(db), Task)
        assert not db.run(EntitiesByTag(tag="sport"))
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[2:])


def test_deleted_account_leaves_nothing(db: Repository, bob: Caller) -> None:
    room = rooms.create_room(db, bob, name="runners", visibility=Visibility.PUBLIC)
    seen: set[bool] = set()
    for attempt in repeat_until(lambda: seen == {True, False}):
        ada = new_user(db, f"ada{attempt}")
        thread = assistance.open_thread(db, ada, title="help")
        outcomes = race(
            partial(accounts.delete_account, db, ada),
            *(partial(goals.create_goal, db, ada, title="late") for _ in range(3)),
            partial(rooms.join, db, ada, room.id),
            partial(assistance.open_thread, db, ada, title="late"),
            partial(assistance.say, db, ada, thread.id, "late"),
        )
        if ada.user_id in [
            user.id for user in of(assert_consistent(db), User)
        ]:  # interrupted: a second call continues
            accounts.delete_account(db, ada)
        assert [user.id for user in of(assert_consistent(db), User)] == ["bob"]
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[1:])


def test_milestone_is_achieved_once(db: Repository, clock: Clock, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    half = goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50))

    def achieve_later() -> Milestone:
        clock.advance(1)
        return goals.achieve(db, ada, goal.id, half.id)

    outcomes = race(*[achieve_later] * MANY)
    assert not errors_in(outcomes)
    assert len({outcome.achieved_at for outcome in outcomes}) == 1


def test_concurrent_workers_send_each_reminder_once(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    start = db.now() + timedelta(days=1)
    for minute in range(6):
        goals.create_task(db, ada, goal.id, title="train", due_at=start + timedelta(minutes=minute))
    outcomes = race(*[partial(reminders.remind, db, WORKER, start, start + timedelta(hours=1))] * 4)
    assert sum(outcomes) == 6
    assert len(of(assert_consistent(db), Reminder)) == 6


def test_reminder_follows_a_moved_due_date(db: Repository, ada: Caller) -> None:
    seen: set[int] = set()
    for _ in repeat_until(lambda: seen == {0, 1}):
        goal = goals.create_goal(db, ada, title="run")
        start = db.now() + timedelta(days=1)
        task = goals.create_task(db, ada, goal.id, title="train", due_at=start)
        later = start + timedelta(days=1)
        sent, _ = race(
            partial(reminders.remind, db, WORKER, start, later),
            partial(goals.change_task, db, ada, goal.id, task.id, due_at=later),
        )
        stored = db.run(TaskById(goal_id=goal.id, task_id=task.id))
        assert stored is not None
        assert stored.due_at == later
        assert stored.reminded_at is None
        assert reminders.remind(db, WORKER, later, later + timedelta(days=1)) == 1
        assert_consistent(db)
        goals.delete_goal(db, ada, goal.id)
        seen.add(sent)


def test_repeated_message_is_posted_once(db: Repository, ada: Caller) -> None:
    room = rooms.create_room(db, ada, name="runners")
    outcomes = race(*[partial(rooms.post, db, ada, room.id, "hello", client_id="m1")] * MANY)
    assert len({outcome.id for outcome in outcomes}) == 1
    result = assert_consistent(db)
    assert (len(of(result, Message)), len(of(result, Receipt))) == (1, 1)


def test_removed_member_cannot_post(db: Repository, ada: Caller, bob: Caller) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        room = rooms.create_room(db, ada, name="runners")
        rooms.add_member(db, ada, room.id, "bob")
        outcomes = race(
            partial(rooms.remove_member, db, ada, room.id, "bob"),
            *[partial(rooms.post, db, bob, room.id, "hello")] * 3,
        )
        with pytest.raises(Forbidden):
            rooms.post(db, bob, room.id, "still here")
        assert_consistent(db)
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[1:])


def test_concurrent_logins_are_counted_before_they_are_checked(db: Repository, ada: Caller) -> None:
    logins.set_password(db, ada, "correct horse")
    outcomes = race(*[partial(logins.log_in, db, "ada@example.org", "wrong horse", "10.0.0.1")] * 12)
    kinds = [type(outcome) for outcome in outcomes]
    assert kinds.count(Unauthenticated) == MAX_FAILURES
    assert kinds.count(TooManyRequests) == 12 - MAX_FAILURES
    assert logins.attempts(db, Subject.EMAIL, "ada@example.org", "10.0.0.1") == MAX_FAILURES
    assert logins.attempts(db, Subject.IP, "10.0.0.1") == MAX_FAILURES


def test_token_is_redeemed_once(db: Repository, ada: Caller) -> None:
    token = logins.issue(db, users.my_profile(db, ada), Purpose.SIGN_IN)
    outcomes = race(*[partial(logins.redeem, db, token, Purpose.SIGN_IN)] * MANY)
    assert sum(isinstance(outcome, User) for outcome in outcomes) == 1
    assert sum(isinstance(outcome, Gone) for outcome in outcomes) == MANY - 1


@pytest.mark.parametrize("has_password", [True, False])
def test_of_concurrent_reset_tokens_one_succeeds(db: Repository, ada: Caller, has_password: bool) -> None:
    if has_password:
        logins.set_password(db, ada, "correct horse")
    user = users.my_profile(db, ada)
    issued = [logins.issue(db, user, Purpose.RESET_PASSWORD) for _ in range(4)]
    outcomes = race(
        *(
            partial(logins.reset_password, db, token, f"new password {number}")
            for number, token in enumerate(issued)
        )
    )
    assert Counter(map(type, outcomes)) == {type(None): 1, Gone: 3}
    winner = outcomes.index(None)
    assert logins.log_in(db, user.email, f"new password {winner}", "10.0.0.1")


def test_reset_does_not_survive_a_change_of_address(db: Repository, ada: Caller) -> None:
    seen: set[type] = set()
    for attempt in repeat_until(lambda: seen == {type(None), Gone}):
        token = logins.issue(db, users.my_profile(db, ada), Purpose.RESET_PASSWORD)
        reset, changed = race(
            partial(logins.reset_password, db, token, f"new password {attempt}"),
            partial(users.adopt_email, db, token_holder("ada", f"ada{attempt}@example.org")),
        )
        assert isinstance(changed, User)
        seen.add(type(reset))


def test_password_set_during_a_deletion_is_not_left(db: Repository) -> None:
    seen: set[type] = set()
    for attempt in repeat_until(lambda: seen == {type(None), Forbidden}):
        ada = new_user(db, f"ada{attempt}")
        token = logins.issue(db, users.my_profile(db, ada), Purpose.RESET_PASSWORD)
        deleted, *outcomes = race(
            partial(accounts.delete_account, db, ada),
            partial(logins.set_password, db, ada, "correct horse"),
            partial(logins.reset_password, db, token, "correct horse"),
        )
        assert deleted is None
        assert db.run(CredentialOf(user_id=ada.user_id)) is None
        assert of(assert_consistent(db), Credential) == []
        new_user(db, f"ada{attempt}")
        with pytest.raises(Unauthenticated):
            logins.log_in(db, f"ada{attempt}@example.org", "correct horse", "10.0.0.1")
        accounts.delete_account(db, ada)
        seen.update(type(outcome) for outcome in outcomes[:1])


def test_deletion_of_an_account_leaves_no_room_without_owner(db: Repository) -> None:
    seen: set[str] = set()
    for attempt in repeat_until(lambda: seen >= {"first", "second"}):
        ada, bob = new_user(db, f"ada{attempt}"), new_user(db, f"bob{attempt}")
        room = rooms.create_room(db, ada, name="runners", visibility=Visibility.PUBLIC)
        rooms.add_member(db, ada, room.id, bob.user_id)
        first, second = race(
            partial(accounts.delete_account, db, ada), partial(rooms.transfer, db, ada, room.id, bob.user_id)
        )
        assert first is None
        seen.add("first" if isinstance(second, Forbidden) else "second")
        owners = [member for member in of(assert_consistent(db), Member) if member.role is Role.OWNER]
        assert [owner.user_id for owner in owners] == [bob.user_id]
        accounts.delete_account(db, bob)
        assert of(assert_consistent(db), Room) == []


def test_both_users_of_a_room_are_deleted_at_once(db: Repository) -> None:
    for attempt in range(6):
        ada, bob = new_user(db, f"ada{attempt}"), new_user(db, f"bob{attempt}")
        room = rooms.create_room(db, ada, name="runners")
        rooms.add_member(db, ada, room.id, bob.user_id)
        rooms.post(db, bob, room.id, "hello")
        race(partial(accounts.delete_account, db, ada), partial(accounts.delete_account, db, bob))
        for caller in (ada, bob):
            with suppress(NotFound):
                accounts.delete_account(db, caller)
        assert [item for item in assert_consistent(db) if isinstance(item, Room | Member | User)] == []


def test_offers_of_a_deleted_account_are_deleted(db: Repository) -> None:
    seen: set[bool] = set()
    for attempt in repeat_until(lambda: seen == {True, False}):
        ada = new_user(db, f"ada{attempt}")
        company = offers.create_company(db, ada, name="Shoes")
        offer = offers.create_offer(db, ada, company.id, title="shoes", tags=["sport"])
        deleted, *outcomes = race(
            partial(accounts.delete_account, db, ada),
            partial(offers.change_offer, db, ada, offer.id, status=OfferStatus.OPEN),
            partial(offers.create_offer, db, ada, company.id, title="late"),
            partial(offers.create_company, db, ada, name="Late"),
        )
        assert deleted is None
        assert assert_consistent(db) == []
        seen.update(isinstance(outcome, Exception) for outcome in outcomes)


def test_deleted_room_leaves_nothing(db: Repository, ada: Caller, bob: Caller) -> None:
    seen: set[bool] = set()
    for _ in repeat_until(lambda: seen == {True, False}):
        room = rooms.create_room(db, ada, name="runners", visibility=Visibility.PUBLIC)
        outcomes = race(
            partial(rooms.delete_room, db, ada, room.id),
            partial(rooms.join, db, bob, room.id),
            partial(rooms.post, db, ada, room.id, "late", client_id="m1"),
        )
        result = assert_consistent(db)
        assert [item for item in result if isinstance(item, Room | Member | Message | Receipt)] == []
        seen.update(isinstance(outcome, Exception) for outcome in outcomes[1:])


def test_concurrent_changes_of_tags_and_visibility_agree(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run", tags=["sport"])
    wanted: list[dict[str, Any]] = [
        {"tags": ["sport", "health"]},
        {"visibility": Visibility.PUBLIC},
        {"tags": []},
        {"title": "run far"},
        {"visibility": Visibility.PRIVATE},
        {"tags": ["health"]},
    ]
    assert not errors_in(
        race(*(partial(goals.change_goal, db, ada, goal.id, **changes) for changes in wanted))
    )
    assert_consistent(db)
    result = goals.change_goal(db, ada, goal.id, visibility=Visibility.PUBLIC)
    for tag in ("sport", "health"):
        assert bool(db.run(EntitiesByTag(tag=tag))) == (tag in result.tags)


def test_concurrent_stream_consumers_count_each_event_once(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    made = [goals.create_task(db, ada, goal.id, title=f"task {number}") for number in range(6)]
    for task in made[:3]:
        goals.change_task(db, ada, goal.id, task.id, done=True)
    goals.delete_task(db, ada, goal.id, made[0].id)
    outcomes = race(
        *(partial(progress_stream.update_progress, db, WORKER, f"consumer {number}") for number in range(3))
    )
    assert not errors_in(outcomes)
    count = goals.progress(db, ada, goal.id)
    assert (count.tasks, count.done) == (5, 2)


def test_stream_consumer_does_not_restore_a_deleted_goal(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    goals.create_task(db, ada, goal.id, title="train")
    race(partial(goals.delete_goal, db, ada, goal.id), partial(progress_stream.update_progress, db, WORKER))
    progress_stream.update_progress(db, WORKER)
    with pytest.raises(NotFound):
        goals.progress(db, ada, goal.id)
    assert_consistent(db)
