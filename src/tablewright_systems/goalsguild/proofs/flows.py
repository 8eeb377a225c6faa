"""The flows of document 003, by the numbers of the inventory."""

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
from tablewright_systems.goalsguild.proofs.fixtures import TICK, goal_of, member, room_of, task_of
from tablewright_systems.goalsguild.service import (
    accounts,
    assistance,
    goals,
    index_backfill,
    logins,
    milestones,
    offers,
    progress_stream,
    reminders,
    rooms,
    tasks,
    timelines,
    users,
)
from tablewright_systems.service.errors import (
    ApiError,
    Conflict,
    Gone,
    NotFound,
    TooManyRequests,
    Unauthenticated,
)
from tablewright_systems.service.paging import Paging
from tablewright_systems.verification.proofs import ProofContext, Proofs
from tablewright_systems.verification.rejections import expect_error

PROOFS = Proofs("goalsguild")


@PROOFS("F1", "003:40-42")
def registration(context: ProofContext) -> None:
    """Register: profile and both locks in one transaction."""
    name = context.unique_id("Ada").replace("-", ".")
    ada = context.caller(email=f"{name}@Example.org")
    eve = context.caller(email=f"eve.{name}@example.org")
    thief = context.caller(eve.user_id, email=f"{name}@example.ORG".upper())
    with context.measured():
        user = users.register(context.db, ada, nickname=name, full_name="Ada Lovelace")
    assert context.db.run(ProfileById(user_id=user.id)) == user
    problem = expect_error(
        Conflict,
        lambda: users.register(context.db, thief, nickname="eve.1", full_name="Eve"),
    )
    assert problem.field == "email"
    problem = expect_error(
        Conflict,
        lambda: users.register(context.db, eve, nickname=name.upper(), full_name="Eve"),
    )
    assert problem.field == "nickname"
    assert context.db.run(ProfileById(user_id=eve.user_id)) is None
    assert users.is_free(context.db, eve, "email", f"eve.{name}@example.org")


@PROOFS("F2", "003:35-36")
def change_of_names(context: ProofContext) -> None:
    """Change e-mail address and nickname; the old ones are released."""
    ada = member(context)
    old = users.my_profile(context.db, ada)
    new = context.unique_id("Countess").replace("-", ".")
    with context.measured():
        users.adopt_email(context.db, context.caller(ada.user_id, email=f"{new}@example.org"))
        user = users.change_nickname(context.db, ada, new)
    context.eventually(lambda: context.db.run(ProfileByEmail(email=f"{new}@example.org")) == user)
    context.eventually(lambda: context.db.run(ProfileByNickname(nickname=new)) == user)
    context.eventually(lambda: context.db.run(ProfileByEmail(email=old.email)) is None)
    assert context.db.run(EmailOwner(email=old.email)) is None
    assert context.db.run(NicknameOwner(nickname=old.nickname)) is None


@PROOFS("F3", "003:40")
def deletion_of_account(context: ProofContext) -> None:
    """Delete an account with all its data, and release its names."""
    ada = member(context)
    user = users.my_profile(context.db, ada)
    goal = goal_of(context, ada, tags=["running"])
    task_of(context, goal, due_at=context.db.now() + timedelta(days=1))
    assistance.say(context.db, ada, assistance.open_thread(context.db, ada, title="help").id, "?")
    room_of(context, ada)
    with context.measured():
        accounts.delete_account(context.db, ada)
    assert context.db.run(ProfileById(user_id=ada.user_id)) is None
    assert not context.db.all(TasksOfGoal(goal_id=goal.id))
    assert not context.db.all(TasksByDueDate(user_id=ada.user_id))
    again = users.register(
        context.db, context.caller(email=user.email), nickname=user.nickname, full_name="Ada"
    )
    assert again.id != user.id


@PROOFS("F4", "003:45-58")
def goals_with_their_parts(context: ProofContext) -> None:
    """Create goals, tasks and milestones; complete a task, achieve a milestone."""
    ada = member(context)
    goal = goal_of(context, ada, description="42 km", tags=["Running"])
    with context.measured():
        task = task_of(context, goal, "buy shoes")
        task = tasks.change_task(context.db, ada, goal.id, task.id, {"done": True, "title": "bought shoes"})
        half = milestones.create_milestone(context.db, ada, goal.id, name="half", percentage=Decimal(50))
        half = milestones.achieve(context.db, ada, goal.id, half.id)
        goal = goals.change_goal(context.db, ada, goal.id, {"status": GoalStatus.COMPLETED})
    assert (task.done, task.title) == (True, "bought shoes")
    assert half.achieved_at == context.db.now()
    context.clock.advance(TICK)
    assert milestones.achieve(context.db, ada, goal.id, half.id) == half
    assert milestones.reopen(context.db, ada, goal.id, half.id).achieved_at is None
    goals.delete_goal(context.db, ada, goal.id)
    assert context.db.run(GoalById(user_id=ada.user_id, goal_id=goal.id)) is None
    expect_error(NotFound, lambda: milestones.my_milestone(context.db, ada, goal.id, half.id))
    expect_error(NotFound, lambda: tasks.create_task(context.db, ada, goal.id, title="too late"))


@PROOFS("F5", "003:52")
def copies_of_tasks(context: ProofContext) -> None:
    """Keep the copy of a task equal: new title, new date, no date, deleted."""
    ada = member(context)
    goal = goal_of(context, ada)
    soon = context.db.now() + timedelta(days=1)
    task = task_of(context, goal, due_at=soon)

    def copies() -> list[object]:
        return list(context.db.run(TasksByDueDate(user_id=ada.user_id)))

    for change in ({"title": "run", "done": True}, {"due_at": soon + timedelta(days=7)}, {"due_at": None}):
        with context.measured():
            task = tasks.change_task(context.db, ada, goal.id, task.id, change)
        assert copies() == [task]
    with context.measured():
        tasks.delete_task(context.db, ada, goal.id, task.id)
    assert copies() == []


@PROOFS("F6", "003:100")
def reminders_sent_once(context: ProofContext) -> None:
    """Send one reminder for each task due on a day, however often the worker runs."""
    ada = member(context)
    goal = goal_of(context, ada)
    day = (context.db.now() + timedelta(days=500)).date()
    start, end = reminders.day_in("Pacific/Auckland", day)
    task = task_of(context, goal, "early in Auckland", start)
    task_of(context, goal, "the day after", end)
    worker = context.caller(roles=["worker"])

    def reminded() -> list[str]:
        return [each.task_id for each in reminders.my_reminders(context.db, ada)]

    with context.measured():
        context.eventually(lambda: reminders.remind(context.db, worker, start, end) or reminded())
    assert reminders.remind(context.db, worker, start, end) == 0
    assert reminded() == [task.id]


@PROOFS("F7", "003:101")
def discovery(context: ProofContext) -> None:
    """Discover public goals by tag, and none that became private."""
    ada, bob = member(context), member(context)
    tag = context.unique_id("tag")
    goal = goal_of(context, ada, tags=[tag], visibility=Visibility.PUBLIC)
    with context.measured():
        context.eventually(lambda: list(offers.discover(context.db, bob, tag.upper())) == [goal])
    assert goals.goal_of(context.db, bob, ada.user_id, goal.id) == goal
    goals.change_goal(context.db, ada, goal.id, {"visibility": Visibility.PRIVATE})
    assert list(offers.discover(context.db, bob, tag)) == []
    expect_error(NotFound, lambda: goals.goal_of(context.db, bob, ada.user_id, goal.id))


@PROOFS("F8", "003:69, 102")
def offers_of_companies(context: ProofContext) -> None:
    """Create, open and close offers of a company; only its owner lists all of them."""
    ada, bob = member(context), member(context)
    company = offers.create_company(context.db, ada, name="Shoes")
    offer = offers.create_offer(context.db, ada, company.id, title="shoes", tags=["running"])
    expect_error(NotFound, lambda: offers.offer_of(context.db, bob, offer.id))
    with context.measured():
        offer = offers.change_offer(context.db, ada, offer.id, {"status": OfferStatus.OPEN})
    assert offers.offer_of(context.db, bob, offer.id) == offer
    context.eventually(lambda: list(offers.offers_of_company(context.db, bob, company.id)) == [offer])
    context.eventually(lambda: list(offers.company_listings(context.db, ada, company.id)) == [company, offer])
    expect_error(ApiError, lambda: offers.company_listings(context.db, bob, company.id))
    expect_error(ApiError, lambda: offers.delete_offer(context.db, bob, offer.id))


@PROOFS("F9", "003:81, 93")
def chat(context: ProofContext) -> None:
    """Chat: a repeated message is posted once, history is paged, messages expire."""
    ada, bob, eve = member(context), member(context), member(context)
    room = room_of(context, ada, bob)
    with context.measured():
        first = rooms.post(context.db, ada, room.id, "hello", client_id="m1")
        again = rooms.post(context.db, ada, room.id, "hello", client_id="m1")
        brief = rooms.post(context.db, bob, room.id, "psst", lifetime=timedelta(minutes=1))
    assert again == first
    page = rooms.history(context.db, bob, room.id, paging=Paging(1))
    assert list(page) == [brief]
    assert list(rooms.history(context.db, bob, room.id, paging=Paging(5, page.cursor))) == [first]
    expect_error(ApiError, lambda: rooms.history(context.db, eve, room.id))
    expect_error(ApiError, lambda: rooms.post(context.db, eve, room.id, "me too"))
    context.clock.advance(timedelta(minutes=2))
    assert list(rooms.history(context.db, bob, room.id)) == [first]
    edited = rooms.edit(context.db, ada, room.id, first.id, "hello, all")
    assert list(rooms.history(context.db, bob, room.id)) == [edited]
    rooms.withdraw(context.db, ada, room.id, first.id)
    assert list(rooms.history(context.db, bob, room.id)) == []


@PROOFS("F10", "003:65-67")
def assistance_threads(context: ProofContext) -> None:
    """Chat with the assistant in a private thread."""
    ada, bob = member(context), member(context)
    assistant = context.caller(roles=["assistant"])
    with context.measured():
        thread = assistance.open_thread(context.db, ada, title="how to begin")
        asked = assistance.say(context.db, ada, thread.id, "How do I begin?")
        reply = assistance.answer(context.db, assistant, thread.id, "With one step.")
    assert list(assistance.history(context.db, ada, thread.id)) == [asked, reply]
    expect_error(NotFound, lambda: assistance.history(context.db, bob, thread.id))
    expect_error(NotFound, lambda: assistance.say(context.db, bob, thread.id, "me too"))
    assistance.close_thread(context.db, ada, thread.id)
    expect_error(Gone, lambda: assistance.answer(context.db, assistant, thread.id, "And then?"))


@PROOFS("F11", "003:93")
def tokens_that_work_once(context: ProofContext) -> None:
    """Use a token once, before it expires."""
    ada = member(context)
    email = users.my_profile(context.db, ada).email
    worker, address = context.caller(roles=["worker"]), context.unique_id("ip")
    with context.measured():
        token = logins.request_reset(context.db, worker, email, address)
        assert token is not None
        logins.reset_password(context.db, token, "correct horse")
    expect_error(Gone, lambda: logins.reset_password(context.db, token, "battery staple"))
    late = logins.request_reset(context.db, worker, email, address)
    assert late is not None
    context.clock.advance(timedelta(hours=1))
    expect_error(Gone, lambda: logins.reset_password(context.db, late, "battery staple"))
    issuer = context.caller(roles=["issuer"])
    signed = logins.sign_in(context.db, issuer, logins.log_in(context.db, email, "correct horse", address))
    assert signed.id == ada.user_id


@PROOFS("F12", "003:96")
def login_rate_limit(context: ProofContext) -> None:
    """Reject the sixth login attempt in a quarter of an hour; a success resets the count."""
    ada = member(context)
    email = users.my_profile(context.db, ada).email
    logins.set_password(context.db, ada, "correct horse")
    address = context.unique_id("ip")

    def wrong() -> object:
        return logins.log_in(context.db, email, "wrong horse", address)

    with context.measured():
        for _ in range(4):
            expect_error(Unauthenticated, wrong)
        logins.log_in(context.db, email, "correct horse", address)
        for _ in range(5):
            expect_error(Unauthenticated, wrong)
        expect_error(TooManyRequests, wrong)
    expect_error(
        TooManyRequests,
        lambda: logins.log_in(context.db, email.upper(), "correct horse", context.unique_id("ip")),
    )
    assert logins.attempts(context.db, Subject.IP, address) == 9
    context.clock.advance(logins.WINDOW)
    logins.log_in(context.db, email, "correct horse", address)


@PROOFS("F13", "003:9")
def consumer_of_changes(context: ProofContext) -> None:
    """Follow the stream: a repeated event is counted once."""
    goal = goal_of(context, member(context))
    ada = context.caller(goal.user_id)
    task = task_of(context, goal)
    tasks.change_task(context.db, ada, goal.id, task.id, {"done": True})
    worker = context.caller(roles=["worker"])
    with context.measured():
        progress_stream.update_progress(context.db, worker, create=True)
        progress_stream.update_progress(context.db, worker, context.unique_id("again"), create=True)
    count = goals.progress(context.db, ada, goal.id)
    assert (count.tasks, count.done) == (1, 1)


@PROOFS("F14", "003:104-106")
def definition_and_later_indexes(context: ProofContext) -> None:
    """Add missing indexes to the table, and backfill older items."""
    ada = member(context)
    goal = goal_of(context, ada)
    due_at = context.db.now() + timedelta(days=600)
    task = task_of(context, goal, due_at=due_at)
    _make_old(context, goal.id, task.id, ada.user_id)
    context.clock.advance(TICK)
    with context.measured():
        assert index_backfill.missing_indexes(context.db) == []
        assert index_backfill.list_tasks(context.db) >= 1
    worker = context.caller(roles=["worker"])
    context.eventually(
        lambda: (
            task.id in {each.id for each in reminders.due_tasks(context.db, worker, due_at, due_at + TICK)}
        )
    )
    assert [each.id for each in context.db.run(TasksByDueDate(user_id=ada.user_id))] == [task.id]


def _make_old(context: ProofContext, goal_id: str, task_id: str, user_id: str) -> None:
    """Remove from a task what it would lack if written before GSI4 and the copies existed."""
    table = context.db.context.table_name(core)
    key = {"PK": {"S": f"GOAL#{goal_id}"}, "SK": {"S": f"TASK#{task_id}"}}
    _call(
        context,
        "UpdateItem",
        {"TableName": table, "Key": key, "UpdateExpression": "REMOVE GSI4PK, GSI4SK, listedAt"},
    )
    task = context.db.run(TaskById(goal_id=goal_id, task_id=task_id))
    assert task is not None
    copy = {"PK": f"USER#{user_id}", "SK": f"TASK#{task.model_dump(mode='json')['listed_at']}#{task_id}"}
    _call(
        context, "DeleteItem", {"TableName": table, "Key": {name: {"S": text} for name, text in copy.items()}}
    )


def _call(context: ProofContext, operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Call the store directly, with retries: only the repository retries by itself."""
    for _ in range(20):
        with suppress(errors.ProvisionedThroughputExceeded, errors.TransactionConflict):
            return context.db.connection.call(operation, request)
    raise AssertionError("the store stays busy")


@PROOFS("F15", "003:97, 89")
def names_that_resolvers_expect(context: ProofContext) -> None:
    """Keep the names that other programs use: gg_core, PK, SK, GSI1 to GSI3 and their keys."""
    ada = member(context)
    request = {
        "TableName": context.db.context.table_name(core),
        "Key": {"PK": {"S": f"USER#{ada.user_id}"}, "SK": {"S": f"PROFILE#{ada.user_id}"}},
        "ConsistentRead": True,
    }
    with context.measured():
        item = _call(context, "GetItem", request)["Item"]
    assert core.name == "gg_core"
    assert item["type"] == {"S": "User"}
    assert {f"GSI{number}{part}" for number in (1, 2, 3) for part in ("PK", "SK")} < item.keys()
    assert item["GSI1PK"] == {"S": f"USER#{ada.user_id}"}
    assert item["GSI2SK"] == item["GSI3SK"] == {"S": f"PROFILE#{ada.user_id}"}
    assert item["GSI3PK"]["S"].startswith("EMAIL#ada")
    context.eventually(
        lambda: [each.id for each in context.db.run(Timeline(user_id=ada.user_id))] == [ada.user_id]
    )
    first = goal_of(context, ada)
    task = task_of(context, first)
    second = goal_of(context, ada)
    context.eventually(lambda: list(timelines.my_timeline(context.db, ada)) == [second, task, first])
