"""The flows on a faulty store: they succeed or raise a clear error, and never leave wrong data."""

import random
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from functools import partial
from typing import Any

import pytest
from tablewright_systems.goalsguild.design.goals import (
    GoalsOfUser,
    Reminder,
    RemindersOfUser,
    Task,
    TasksByDueDate,
)
from tablewright_systems.goalsguild.design.offers import EntitiesByTag
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.design.users import ProfileByEmail, Subject, User
from tablewright_systems.goalsguild.proofs import PROOFS
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
from tablewright_systems.registry import System, find
from tablewright_systems.service import ApiError, Caller, Paging, TooManyRequests
from tablewright_systems.verification.proof_runner import proof_context

from systems.tests.goalsguild.fixtures import (
    ISSUER,
    WORKER,
    assert_consistent,
    clock_of,
    errors_in,
    guild,
    new_user,
    of,
    retry,
    token_holder,
)
from systems.tests.races import race
from tablewright import Faults, Repository, errors

BUSY = Faults(seed=3, throttling=0.08, conflicts=0.08, unprocessed=0.3)
BROKEN = Faults(seed=5, throttling=0.05, conflicts=0.05, internal_errors=0.08, short_pages=0.5)
LAGGING = Faults(index_lag=30.0)


def test_all_proofs_pass_on_a_busy_store() -> None:
    system = find("goalsguild")
    assert isinstance(system, System)
    with proof_context(system, faults=BUSY) as context:
        for proof in PROOFS:
            with context.new_measurement():
                proof.run(context)


def test_races_on_a_busy_store() -> None:
    with guild(BUSY) as db:
        ada = retry(lambda: new_user(db, "ada"))
        goal = retry(lambda: goals.create_goal(db, ada, title="run", tags=["sport"]))
        task = retry(lambda: goals.create_task(db, ada, goal.id, title="train", due_at=db.now()))
        wanted: list[dict[str, Any]] = [{"title": "x"}, {"done": True}, {"due_at": None}]
        outcomes = race(
            *(partial(goals.change_task, db, ada, goal.id, task.id, **changes) for changes in wanted),
            *(
                partial(users.register, db, token_holder(f"u{n}"), nickname="same", full_name="U")
                for n in range(4)
            ),
        )
        assert len(errors_in(outcomes)) == 3
        result = assert_consistent(db)
        assert len(of(result, User)) == 2
        assert [(task.title, task.done, task.due_at) for task in of(result, Task)] == [("x", True, None)]


@pytest.mark.parametrize("seed", range(4))
def test_failing_store_leaves_consistent_data(seed: int) -> None:
    faults = Faults(seed=seed, throttling=0.05, conflicts=0.05, internal_errors=0.1, short_pages=0.5)
    with guild(faults) as db:
        rng = random.Random(seed)
        callers = [Caller(f"u{number}") for number in range(3)]
        for _ in range(60):
            _attempt(partial(_something, db, rng.choice(callers), rng))
            clock_of(db).advance(1)
        assert_consistent(db)


def _attempt(action: Callable[[], Any]) -> None:
    try:
        action()
    except (ApiError, errors.TablewrightError):
        return


def _something(db: Repository, caller: Caller, rng: random.Random) -> None:
    """Run a random flow on the existing data."""
    name = f"{caller.user_id}.{rng.randrange(3)}"
    mine = list(db.run(GoalsOfUser(user_id=caller.user_id)))
    goal = rng.choice(mine).id if mine else "none"
    listed = list(db.run(TasksByDueDate(user_id=caller.user_id)))
    actions: list[Callable[[], Any]] = [
        lambda: users.register(
            db, token_holder(caller.user_id, f"{name}@x.org"), nickname=name, full_name="U"
        ),
        lambda: users.change_nickname(db, caller, name),
        lambda: goals.create_goal(db, caller, title="goal", tags=["a", "b"], visibility=Visibility.PUBLIC),
        lambda: goals.change_goal(db, caller, goal, tags=rng.sample("abcd", 2)),
        lambda: goals.create_task(db, caller, goal, title="task", due_at=db.now()),
        lambda: goals.create_milestone(db, caller, goal, name="half", percentage=Decimal(50)),
        lambda: assistance.open_thread(db, caller, title="help"),
        lambda: rooms.create_room(db, caller, name="room"),
    ]
    if listed:
        task = rng.choice(listed)
        changed = {"due_at": task.listed_at if task.due_at is None else None, "done": not task.done}
        actions.append(lambda: goals.change_task(db, caller, task.goal_id, task.id, **changed))
        actions.append(lambda: goals.delete_task(db, caller, task.goal_id, task.id))
    if rng.random() < 0.1:
        actions = [lambda: goals.delete_goal(db, caller, goal), lambda: accounts.delete_account(db, caller)]
    rng.choice(actions)()


def test_interrupted_deletion_continues() -> None:
    with guild(BROKEN) as db:
        ada = retry(lambda: new_user(db, "ada"))
        goal = retry(lambda: goals.create_goal(db, ada, title="run"))
        for number in range(12):
            retry(partial(goals.create_task, db, ada, goal.id, title=f"task {number}", due_at=db.now()))
        retry(lambda: accounts.delete_account(db, ada))
        assert assert_consistent(db) == []


def test_message_is_posted_once_on_a_failing_store() -> None:
    with guild(Faults(seed=2, internal_errors=0.3)) as db:
        ada = retry(lambda: new_user(db, "ada"))
        room = retry(lambda: rooms.create_room(db, ada, name="runners"))
        for number in range(10):
            retry(partial(rooms.post, db, ada, room.id, "hello", client_id=f"m{number}"))
        assert len(of(assert_consistent(db), Message)) == 10


def test_reminders_are_sent_once_by_a_failing_worker() -> None:
    with guild(BROKEN) as db:
        ada = retry(lambda: new_user(db, "ada"))
        goal = retry(lambda: goals.create_goal(db, ada, title="run"))
        start = db.now() + timedelta(days=1)
        made = [
            retry(partial(goals.create_task, db, ada, goal.id, title="t", due_at=start)) for _ in range(8)
        ]
        for _ in range(3):
            retry(lambda: reminders.remind(db, WORKER, start, start + timedelta(hours=1)))
        result = assert_consistent(db)
        assert {reminder.task_id for reminder in of(result, Reminder)} == {
            task.id for task in of(result, Task) if task.reminded_at
        }
        assert len(of(result, Reminder)) == len(of(result, Task)) >= len(made)


def test_attempts_are_counted_before_the_check_on_a_failing_store() -> None:
    with guild(Faults(seed=1, throttling=0.1, conflicts=0.1)) as db:
        ada = retry(lambda: new_user(db, "ada"))
        retry(lambda: logins.set_password(db, ada, "correct horse"))
        limit = logins.LIMITS[Subject.EMAIL].most
        outcomes = race(*[partial(logins.log_in, db, "ada@example.org", "wrong horse", "ip")] * (limit + 3))
        assert sum(isinstance(outcome, TooManyRequests) for outcome in outcomes) >= 3
        assert retry(lambda: logins.attempts(db, Subject.EMAIL, "ada@example.org", "ip")) == limit


def test_stream_is_counted_exactly_on_a_failing_store() -> None:
    with guild(Faults(seed=4, throttling=0.05, internal_errors=0.1)) as db:
        ada = retry(lambda: new_user(db, "ada"))
        goal = retry(lambda: goals.create_goal(db, ada, title="run"))
        for number in range(10):
            retry(partial(goals.create_task, db, ada, goal.id, title=f"task {number}"))
        for _ in range(3):
            retry(lambda: progress_stream.update_progress(db, WORKER))
        there = len(of(assert_consistent(db), Task))
        assert retry(lambda: goals.progress(db, ada, goal.id)).tasks == there


def test_login_does_not_depend_on_an_index() -> None:
    with guild(LAGGING) as db:
        ada = new_user(db, "ada")
        logins.set_password(db, ada, "correct horse")
        assert db.run(ProfileByEmail(email="ada@example.org")) is None
        token = logins.log_in(db, "ada@example.org", "correct horse", "10.0.0.1")
        assert logins.sign_in(db, ISSUER, token).id == "ada"
        clock_of(db).advance(60)
        assert db.run(ProfileByEmail(email="ada@example.org")) is not None


def test_lagging_index_shows_nothing_private() -> None:
    with guild(LAGGING) as db:
        ada, bob = new_user(db, "ada"), new_user(db, "bob")
        goal = goals.create_goal(db, ada, title="run", tags=["sport"], visibility=Visibility.PUBLIC)
        clock_of(db).advance(60)
        assert list(offers.discover(db, bob, "sport")) == [goal]
        goals.change_goal(db, ada, goal.id, visibility=Visibility.PRIVATE)
        assert len(db.run(EntitiesByTag(tag="sport"))) == 1
        assert list(offers.discover(db, bob, "sport")) == []
        other = goals.create_goal(db, ada, title="swim", tags=["water"], visibility=Visibility.PUBLIC)
        clock_of(db).advance(60)
        goals.delete_goal(db, ada, other.id)
        assert list(offers.discover(db, bob, "water")) == []


def test_lagging_index_reminds_of_no_completed_task() -> None:
    with guild(LAGGING) as db:
        ada = new_user(db, "ada")
        goal = goals.create_goal(db, ada, title="run")
        start = db.now() + timedelta(days=1)
        span = start, start + timedelta(days=2)
        done, moved, due = (
            goals.create_task(db, ada, goal.id, title=title, due_at=start)
            for title in ("done", "moved", "due")
        )
        clock_of(db).advance(60)
        goals.change_task(db, ada, goal.id, done.id, done=True)
        goals.change_task(db, ada, goal.id, moved.id, due_at=start + timedelta(days=1))
        assert len(reminders.due_tasks(db, WORKER, *span)) == 3
        assert reminders.remind(db, WORKER, *span) == 1
        assert [reminder.task_id for reminder in db.run(RemindersOfUser(user_id="ada"))] == [due.id]
        clock_of(db).advance(60)
        assert reminders.remind(db, WORKER, *span) == 1
        assert_consistent(db)


def test_short_pages_lose_nothing() -> None:
    with guild(Faults(seed=1, short_pages=0.7)) as db:
        ada = new_user(db, "ada")
        made = []
        for number in range(12):
            clock_of(db).advance(1)
            goal = goals.create_goal(db, ada, title=f"goal {number}")
            clock_of(db).advance(1)
            made += [goal, goals.create_task(db, ada, goal.id, title="task")]
        collected: list[Any] = []
        cursor = None
        while True:
            page = goals.my_timeline(db, ada, paging=Paging(5, cursor))
            collected += page
            cursor = page.cursor
            if cursor is None:
                break
        assert collected == made[::-1]
