"""The flows of document 003, by the numbers of the inventory."""

from collections.abc import Callable
from contextlib import suppress
from datetime import timedelta
from decimal import Decimal
from typing import Any

from tablewright import errors
from tablewright_systems.goalsguild.design.goals import (
    GoalById,
    GoalStatus,
    TaskById,
    TasksByDueDate,
    TasksOfGoal,
    Visibility,
)
from tablewright_systems.goalsguild.design.logins import Subject
from tablewright_systems.goalsguild.design.offers import OfferStatus
from tablewright_systems.goalsguild.design.tables import core
from tablewright_systems.goalsguild.design.timelines import Timeline
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
)
from tablewright_systems.goalsguild.proofs.cast import MOMENT, goal_of, member, room_of, task_of
from tablewright_systems.goalsguild.service import (
    accounts,
    assistance,
    changes,
    goals,
    logins,
    milestones,
    offers,
    reminders,
    rooms,
    tasks,
    timelines,
    upgrades,
    users,
)
from tablewright_systems.problems import Conflict, Gone, NotFound, Problem, TooMany, Unauthenticated
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("goalsguild")


def refused(kind: type[Problem], deed: Callable[[], object]) -> Problem:
    """The problem that a deed meets."""
    try:
        deed()
    except kind as problem:
        return problem
    raise AssertionError(f"it was done, and should have met {kind.__name__}")


@PROOFS("F1", "003:40-42")
def registration(stage: Stage) -> None:
    """Register: profile and both locks, or nothing."""
    name = stage.fresh("Ada").replace("-", ".")
    ada = stage.caller(email=f"{name}@Example.org")
    eve = stage.caller(email=f"eve.{name}@example.org")
    thief = stage.caller(eve.user_id, email=f"{name}@example.ORG".upper())
    with stage.measured():
        user = users.register(stage.db, ada, nickname=name, full_name="Ada Lovelace")
    assert stage.db.run(ProfileById(user_id=user.id)) == user
    problem = refused(
        Conflict,
        lambda: users.register(stage.db, thief, nickname="eve.1", full_name="Eve"),
    )
    assert problem.field == "email"
    problem = refused(
        Conflict,
        lambda: users.register(stage.db, eve, nickname=name.upper(), full_name="Eve"),
    )
    assert problem.field == "nickname"
    assert stage.db.run(ProfileById(user_id=eve.user_id)) is None
    assert users.is_free(stage.db, eve, "email", f"eve.{name}@example.org")


@PROOFS("F2", "003:35-36")
def change_of_names(stage: Stage) -> None:
    """Change e-mail address and nickname; the old ones are free, and lead nowhere."""
    ada = member(stage)
    old = users.my_profile(stage.db, ada)
    new = stage.fresh("Countess").replace("-", ".")
    with stage.measured():
        users.adopt_email(stage.db, stage.caller(ada.user_id, email=f"{new}@example.org"))
        user = users.change_nickname(stage.db, ada, new)
    stage.eventually(lambda: stage.db.run(ProfileByEmail(email=f"{new}@example.org")) == user)
    stage.eventually(lambda: stage.db.run(ProfileByNickname(nickname=new)) == user)
    stage.eventually(lambda: stage.db.run(ProfileByEmail(email=old.email)) is None)
    assert stage.db.run(EmailOwner(email=old.email)) is None
    assert stage.db.run(NicknameOwner(nickname=old.nickname)) is None


@PROOFS("F3", "003:40")
def deletion_of_account(stage: Stage) -> None:
    """Delete an account with all that is its own, and let go of its names."""
    ada = member(stage)
    user = users.my_profile(stage.db, ada)
    goal = goal_of(stage, ada, tags=["running"])
    task_of(stage, goal, due_at=stage.db.now() + timedelta(days=1))
    assistance.say(stage.db, ada, assistance.open_thread(stage.db, ada, title="help").id, "?")
    room_of(stage, ada)
    with stage.measured():
        accounts.delete_account(stage.db, ada)
    assert stage.db.run(ProfileById(user_id=ada.user_id)) is None
    assert not stage.db.all(TasksOfGoal(goal_id=goal.id))
    assert not stage.db.all(TasksByDueDate(user_id=ada.user_id))
    again = users.register(stage.db, stage.caller(email=user.email), nickname=user.nickname, full_name="Ada")
    assert again.id != user.id


@PROOFS("F4", "003:45-58")
def goals_with_their_parts(stage: Stage) -> None:
    """Keep goals, tasks and milestones; a task is done, a milestone achieved at a moment."""
    ada = member(stage)
    goal = goal_of(stage, ada, description="42 km", tags=["Running"])
    with stage.measured():
        task = task_of(stage, goal, "buy shoes")
        task = tasks.change_task(stage.db, ada, goal.id, task.id, {"done": True, "title": "bought shoes"})
        half = milestones.create_milestone(stage.db, ada, goal.id, name="half", percentage=Decimal(50))
        half = milestones.achieve(stage.db, ada, goal.id, half.id)
        goal = goals.change_goal(stage.db, ada, goal.id, {"status": GoalStatus.COMPLETED})
    assert (task.done, task.title) == (True, "bought shoes")
    assert half.achieved_at == stage.db.now()
    stage.clock.advance(MOMENT)
    assert milestones.achieve(stage.db, ada, goal.id, half.id) == half
    assert milestones.reopen(stage.db, ada, goal.id, half.id).achieved_at is None
    goals.delete_goal(stage.db, ada, goal.id)
    assert stage.db.run(GoalById(user_id=ada.user_id, goal_id=goal.id)) is None
    refused(NotFound, lambda: milestones.my_milestone(stage.db, ada, goal.id, half.id))
    refused(NotFound, lambda: tasks.create_task(stage.db, ada, goal.id, title="too late"))


@PROOFS("F5", "003:52")
def copies_of_tasks(stage: Stage) -> None:
    """Keep the copy of a task in step: other words, another date, no date, none at all."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    soon = stage.db.now() + timedelta(days=1)
    task = task_of(stage, goal, due_at=soon)

    def copies() -> list[object]:
        return list(stage.db.run(TasksByDueDate(user_id=ada.user_id)))

    for change in ({"title": "run", "done": True}, {"due_at": soon + timedelta(days=7)}, {"due_at": None}):
        with stage.measured():
            task = tasks.change_task(stage.db, ada, goal.id, task.id, change)
        assert copies() == [task]
    with stage.measured():
        tasks.delete_task(stage.db, ada, goal.id, task.id)
    assert copies() == []


@PROOFS("F6", "003:100")
def reminders_sent_once(stage: Stage) -> None:
    """Remind of what is due on a day, each once, however often the worker runs."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    day = (stage.db.now() + timedelta(days=500)).date()
    start, end = reminders.day_in("Pacific/Auckland", day)
    task = task_of(stage, goal, "early in Auckland", start)
    task_of(stage, goal, "the day after", end)
    worker = stage.caller(roles=["worker"])

    def reminded() -> list[str]:
        return [each.task_id for each in reminders.my_reminders(stage.db, ada)]

    with stage.measured():
        stage.eventually(lambda: reminders.remind(stage.db, worker, start, end) or reminded())
    assert reminders.remind(stage.db, worker, start, end) == 0
    assert reminded() == [task.id]


@PROOFS("F7", "003:101")
def discovery(stage: Stage) -> None:
    """Discover by tag what is public, and nothing that has become private."""
    ada, bob = member(stage), member(stage)
    tag = stage.fresh("tag")
    goal = goal_of(stage, ada, tags=[tag], visibility=Visibility.PUBLIC)
    with stage.measured():
        stage.eventually(lambda: list(offers.discover(stage.db, bob, tag.upper())) == [goal])
    assert goals.goal_of(stage.db, bob, ada.user_id, goal.id) == goal
    goals.change_goal(stage.db, ada, goal.id, {"visibility": Visibility.PRIVATE})
    assert list(offers.discover(stage.db, bob, tag)) == []
    refused(NotFound, lambda: goals.goal_of(stage.db, bob, ada.user_id, goal.id))


@PROOFS("F8", "003:69, 102")
def offers_of_companies(stage: Stage) -> None:
    """Draft, open and close offers of a company; its listings are for its owner."""
    ada, bob = member(stage), member(stage)
    company = offers.create_company(stage.db, ada, name="Shoes")
    offer = offers.create_offer(stage.db, ada, company.id, title="shoes", tags=["running"])
    refused(NotFound, lambda: offers.offer_of(stage.db, bob, offer.id))
    with stage.measured():
        offer = offers.change_offer(stage.db, ada, offer.id, {"status": OfferStatus.OPEN})
    assert offers.offer_of(stage.db, bob, offer.id) == offer
    stage.eventually(lambda: list(offers.offers_of_company(stage.db, bob, company.id)) == [offer])
    stage.eventually(lambda: list(offers.company_listings(stage.db, ada, company.id)) == [company, offer])
    refused(Problem, lambda: offers.company_listings(stage.db, bob, company.id))
    refused(Problem, lambda: offers.delete_offer(stage.db, bob, offer.id))


@PROOFS("F9", "003:81, 93")
def chat(stage: Stage) -> None:
    """Chat: say it once though it is sent twice, read it page by page, let it vanish."""
    ada, bob, eve = member(stage), member(stage), member(stage)
    room = room_of(stage, ada, bob)
    with stage.measured():
        first = rooms.post(stage.db, ada, room.id, "hello", client_id="m1")
        again = rooms.post(stage.db, ada, room.id, "hello", client_id="m1")
        brief = rooms.post(stage.db, bob, room.id, "psst", lifetime=timedelta(minutes=1))
    assert again == first
    page = rooms.history(stage.db, bob, room.id, limit=1)
    assert list(page) == [brief]
    assert list(rooms.history(stage.db, bob, room.id, limit=5, cursor=page.cursor)) == [first]
    refused(Problem, lambda: rooms.history(stage.db, eve, room.id))
    refused(Problem, lambda: rooms.post(stage.db, eve, room.id, "me too"))
    stage.clock.advance(timedelta(minutes=2))
    assert list(rooms.history(stage.db, bob, room.id)) == [first]
    edited = rooms.edit(stage.db, ada, room.id, first.id, "hello, all")
    assert list(rooms.history(stage.db, bob, room.id)) == [edited]
    rooms.withdraw(stage.db, ada, room.id, first.id)
    assert list(rooms.history(stage.db, bob, room.id)) == []


@PROOFS("F10", "003:65-67")
def assistance_threads(stage: Stage) -> None:
    """Talk with the assistant in a thread that is one's own."""
    ada, bob = member(stage), member(stage)
    assistant = stage.caller(roles=["assistant"])
    with stage.measured():
        thread = assistance.open_thread(stage.db, ada, title="how to begin")
        asked = assistance.say(stage.db, ada, thread.id, "How do I begin?")
        told = assistance.answer(stage.db, assistant, thread.id, "With one step.")
    assert list(assistance.history(stage.db, ada, thread.id)) == [asked, told]
    refused(NotFound, lambda: assistance.history(stage.db, bob, thread.id))
    refused(NotFound, lambda: assistance.say(stage.db, bob, thread.id, "me too"))
    assistance.close_thread(stage.db, ada, thread.id)
    refused(Gone, lambda: assistance.answer(stage.db, assistant, thread.id, "And then?"))


@PROOFS("F11", "003:93")
def tokens_that_work_once(stage: Stage) -> None:
    """Use a token once, before it ends; then never again."""
    ada = member(stage)
    email = users.my_profile(stage.db, ada).email
    worker, address = stage.caller(roles=["worker"]), stage.fresh("ip")
    with stage.measured():
        token = logins.ask_for_reset(stage.db, worker, email, address)
        assert token is not None
        logins.reset_password(stage.db, token, "correct horse")
    refused(Gone, lambda: logins.reset_password(stage.db, token, "battery staple"))
    late = logins.ask_for_reset(stage.db, worker, email, address)
    assert late is not None
    stage.clock.advance(timedelta(hours=1))
    refused(Gone, lambda: logins.reset_password(stage.db, late, "battery staple"))
    issuer = stage.caller(roles=["issuer"])
    signed = logins.sign_in(stage.db, issuer, logins.log_in(stage.db, email, "correct horse", address))
    assert signed.id == ada.user_id


@PROOFS("F12", "003:96")
def login_rate_limit(stage: Stage) -> None:
    """Refuse the sixth attempt in a quarter of an hour; let a success forget the others."""
    ada = member(stage)
    email = users.my_profile(stage.db, ada).email
    logins.set_password(stage.db, ada, "correct horse")
    address = stage.fresh("ip")

    def wrong() -> object:
        return logins.log_in(stage.db, email, "wrong horse", address)

    with stage.measured():
        for _ in range(4):
            refused(Unauthenticated, wrong)
        logins.log_in(stage.db, email, "correct horse", address)
        for _ in range(5):
            refused(Unauthenticated, wrong)
        refused(TooMany, wrong)
    refused(TooMany, lambda: logins.log_in(stage.db, email.upper(), "correct horse", stage.fresh("ip")))
    assert logins.attempts(stage.db, Subject.IP, address) == 9
    stage.clock.advance(logins.WINDOW)
    logins.log_in(stage.db, email, "correct horse", address)


@PROOFS("F13", "003:9")
def consumer_of_changes(stage: Stage) -> None:
    """Follow the stream: told again, nothing is counted again."""
    goal = goal_of(stage, member(stage))
    ada = stage.caller(goal.user_id)
    task = task_of(stage, goal)
    tasks.change_task(stage.db, ada, goal.id, task.id, {"done": True})
    worker = stage.caller(roles=["worker"])
    with stage.measured():
        changes.follow_progress(stage.db, worker, create=True)
        changes.follow_progress(stage.db, worker, stage.fresh("again"), create=True)
    count = goals.progress(stage.db, ada, goal.id)
    assert (count.tasks, count.done) == (1, 1)


@PROOFS("F14", "003:104-106")
def definition_and_later_indexes(stage: Stage) -> None:
    """Have the table as it is defined; bring items from before an index into it."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    due_at = stage.db.now() + timedelta(days=600)
    task = task_of(stage, goal, due_at=due_at)
    _make_old(stage, goal.id, task.id, ada.user_id)
    stage.clock.advance(MOMENT)
    with stage.measured():
        assert upgrades.missing_indexes(stage.db) == []
        assert upgrades.list_tasks(stage.db) >= 1
    worker = stage.caller(roles=["worker"])
    stage.eventually(
        lambda: (
            task.id in {each.id for each in reminders.due_tasks(stage.db, worker, due_at, due_at + MOMENT)}
        )
    )
    assert [each.id for each in stage.db.run(TasksByDueDate(user_id=ada.user_id))] == [task.id]


def _make_old(stage: Stage, goal_id: str, task_id: str, user_id: str) -> None:
    """Take from a task what it would not have if it had been written before GSI4 and the copies."""
    table = stage.db.context.table_name(core)
    key = {"PK": {"S": f"GOAL#{goal_id}"}, "SK": {"S": f"TASK#{task_id}"}}
    _call(
        stage,
        "UpdateItem",
        {"TableName": table, "Key": key, "UpdateExpression": "REMOVE GSI4PK, GSI4SK, listedAt"},
    )
    task = stage.db.run(TaskById(goal_id=goal_id, task_id=task_id))
    assert task is not None
    copy = {"PK": f"USER#{user_id}", "SK": f"TASK#{task.model_dump(mode='json')['listed_at']}#{task_id}"}
    _call(
        stage, "DeleteItem", {"TableName": table, "Key": {name: {"S": text} for name, text in copy.items()}}
    )


def _call(stage: Stage, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """A call past the repository, which would ask again when the store is busy; a connection does not."""
    for _ in range(20):
        with suppress(errors.ProvisionedThroughputExceeded, errors.TransactionConflict):
            return stage.db.connection.call(operation, request)
    raise AssertionError("the store stays busy")


@PROOFS("F15", "003:97, 89")
def names_that_resolvers_expect(stage: Stage) -> None:
    """Keep the names that others rely on: gg_core, PK, SK, GSI1 to GSI3 and their keys."""
    ada = member(stage)
    request = {
        "TableName": stage.db.context.table_name(core),
        "Key": {"PK": {"S": f"USER#{ada.user_id}"}, "SK": {"S": f"PROFILE#{ada.user_id}"}},
        "ConsistentRead": True,
    }
    with stage.measured():
        item = _call(stage, "GetItem", request)["Item"]
    assert core.name == "gg_core"
    assert item["type"] == {"S": "User"}
    assert {f"GSI{number}{part}" for number in (1, 2, 3) for part in ("PK", "SK")} < item.keys()
    assert item["GSI1PK"] == {"S": f"USER#{ada.user_id}"}
    assert item["GSI2SK"] == item["GSI3SK"] == {"S": f"PROFILE#{ada.user_id}"}
    assert item["GSI3PK"]["S"].startswith("EMAIL#ada")
    stage.eventually(
        lambda: [each.id for each in stage.db.run(Timeline(user_id=ada.user_id))] == [ada.user_id]
    )
    first = goal_of(stage, ada)
    task = task_of(stage, first)
    second = goal_of(stage, ada)
    stage.eventually(lambda: list(timelines.my_timeline(stage.db, ada)) == [second, task, first])
