"""The flows of GoalsGuild, by their numbers in REQUIREMENTS.md."""

from datetime import timedelta
from decimal import Decimal
from typing import Any

from tablewright import Query, errors
from tablewright_systems.goalsguild.design.goals import (
    GoalById,
    GoalsOfUser,
    GoalStatus,
    RemindersOfUser,
    TasksByDueDate,
    TasksOfGoal,
    Timeline,
)
from tablewright_systems.goalsguild.design.offers import CompaniesOfUser, OffersOfCompany, OfferStatus
from tablewright_systems.goalsguild.design.rooms import (
    ChatHistory,
    Role,
    RoomsOfUser,
    ThreadHistory,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.design.tables import Visibility, core
from tablewright_systems.goalsguild.design.users import (
    CredentialOf,
    EmailOwner,
    NicknameOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Tier,
)
from tablewright_systems.goalsguild.proofs.fixtures import (
    TICK,
    goal_of,
    member,
    room_of,
    task_of,
)
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
    Conflict,
    Forbidden,
    Gone,
    Invalid,
    NotFound,
    Paging,
    Unauthenticated,
    call_raw,
)
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("goalsguild")


@PROOFS("F1")
def registration(context: ProofContext) -> None:
    """Register: profile and both locks in one transaction."""
    name = context.unique_id("Ada").replace("-", ".")
    ada = context.caller(email=f"{name}@Example.org")
    eve = context.caller(email=f"eve.{name}@example.org")
    thief = context.caller(eve.user_id, email=f"{name}@example.ORG".upper())
    with context.measured():
        user = users.register(context.db, ada, nickname=name, full_name="Ada Lovelace")
    assert context.db.run(ProfileById(user_id=user.id)) == user
    with expect_error(Conflict, field="email"):
        users.register(context.db, thief, nickname="eve.1", full_name="Eve")
    with expect_error(Conflict, field="nickname"):
        users.register(context.db, eve, nickname=name.upper(), full_name="Eve")
    assert context.db.run(ProfileById(user_id=eve.user_id)) is None
    assert users.is_free(context.db, "email", f"eve.{name}@example.org")


@PROOFS("F2")
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
    bob = member(context)
    expect_error(Conflict, lambda: users.change_nickname(context.db, bob, new.upper()), "nickname")
    unverified = context.caller(bob.user_id, email=f"bob.{new}@example.org", email_verified=False)
    expect_error(Invalid, lambda: users.adopt_email(context.db, unverified), "email")
    expect_error(Forbidden, lambda: users.profile_by_email(context.db, bob, user.email))
    expect_error(Forbidden, lambda: users.change_tier(context.db, bob, bob.user_id, Tier.PRO))
    expect_error(Forbidden, lambda: users.suspend(context.db, bob, ada.user_id))


@PROOFS("F3")
def deletion_of_account(context: ProofContext) -> None:
    """Delete an account with goals, threads, password, rooms and offers; release its names."""
    ada, bob = member(context), member(context)
    db, user = context.db, users.my_profile(context.db, ada)
    logins.set_password(db, ada, "correct horse")
    goal = goal_of(context, ada, tags=["running"])
    task_of(context, goal, due_at=db.now() + timedelta(days=1))
    thread = assistance.open_thread(db, ada, title="help")
    assistance.say(db, ada, thread.id, "?")
    alone, shared = room_of(context, ada), room_of(context, ada, bob)
    rooms.post(db, ada, alone.id, "hello, wall")
    company = offers.create_company(db, ada, name="Shoes")
    offer = offers.create_offer(db, ada, company.id, title="shoes")
    offers.change_offer(db, ada, offer.id, status=OfferStatus.OPEN)
    with context.measured():
        accounts.delete_account(db, ada)
    assert db.run(ProfileById(user_id=ada.user_id)) is None
    assert db.run(CredentialOf(user_id=ada.user_id)) is None
    remains: list[Query[Any]] = [
        GoalsOfUser(user_id=ada.user_id),
        TasksOfGoal(goal_id=goal.id),
        TasksByDueDate(user_id=ada.user_id),
        ThreadsOfUser(user_id=ada.user_id),
        ThreadHistory(thread_id=thread.id),
        RoomsOfUser(user_id=ada.user_id),
        ChatHistory(room_id=alone.id),
        CompaniesOfUser(user_id=ada.user_id),
        OffersOfCompany(company_id=company.id),
    ]
    assert not [pattern for pattern in remains if db.all(pattern)]
    assert [seat.role for seat in rooms.members(db, bob, shared.id)] == [Role.OWNER]
    expect_error(NotFound, lambda: rooms.room_of(db, bob, alone.id))
    expect_error(NotFound, lambda: offers.offer_of(db, bob, offer.id))
    expect_error(Forbidden, lambda: logins.set_password(db, ada, "battery staple"))
    expect_error(Unauthenticated, lambda: logins.log_in(db, user.email, "correct horse", "any"))
    again = users.register(db, context.caller(email=user.email), nickname=user.nickname, full_name="Ada")
    assert again.id != user.id


@PROOFS("F4")
def goals_with_their_parts(context: ProofContext) -> None:
    """Create goals, tasks and milestones; complete a task, achieve a milestone."""
    ada = member(context)
    goal = goal_of(context, ada, description="42 km", tags=["Running"])
    with context.measured():
        task = task_of(context, goal, "buy shoes")
        task = goals.change_task(context.db, ada, goal.id, task.id, done=True, title="bought shoes")
        half = goals.create_milestone(context.db, ada, goal.id, name="half", percentage=Decimal(50))
        half = goals.achieve(context.db, ada, goal.id, half.id)
        goal = goals.change_goal(context.db, ada, goal.id, status=GoalStatus.COMPLETED)
    assert (task.done, task.title) == (True, "bought shoes")
    assert half.achieved_at == context.db.now()
    context.clock.advance(TICK)
    assert goals.achieve(context.db, ada, goal.id, half.id) == half
    assert goals.reopen(context.db, ada, goal.id, half.id).achieved_at is None
    goals.delete_goal(context.db, ada, goal.id)
    assert context.db.run(GoalById(user_id=ada.user_id, goal_id=goal.id)) is None
    expect_error(NotFound, lambda: goals.my_milestone(context.db, ada, goal.id, half.id))
    expect_error(NotFound, lambda: goals.create_task(context.db, ada, goal.id, title="too late"))
    lasting = goal_of(context, ada)
    task = task_of(context, lasting)
    bob, admin = member(context), context.caller(roles=["admin"])
    expect_error(NotFound, lambda: goals.my_task(context.db, bob, lasting.id, task.id))
    expect_error(NotFound, lambda: goals.change_task(context.db, bob, lasting.id, task.id, done=True))
    expect_error(NotFound, lambda: goals.delete_task(context.db, bob, lasting.id, task.id))
    expect_error(NotFound, lambda: goals.create_task(context.db, bob, lasting.id, title="mine"))
    with expect_error(Invalid, field="status"):
        goals.change_goal(context.db, ada, lasting.id, status=GoalStatus.DELETING)
    users.suspend(context.db, admin, ada.user_id)
    expect_error(NotFound, lambda: users.profile_of(context.db, ada.user_id))
    expect_error(Forbidden, lambda: goals.change_goal(context.db, ada, lasting.id, title="publish"))
    expect_error(Forbidden, lambda: goals.create_task(context.db, ada, lasting.id, title="publish"))
    expect_error(Forbidden, lambda: accounts.delete_account(context.db, ada))


@PROOFS("F5")
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
            task = goals.change_task(context.db, ada, goal.id, task.id, **change)
        assert copies() == [task]
    with context.measured():
        goals.delete_task(context.db, ada, goal.id, task.id)
    assert copies() == []
    expect_error(NotFound, lambda: goals.change_task(context.db, ada, goal.id, task.id, done=True))


@PROOFS("F6")
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
        return [reminder.task_id for reminder in context.db.run(RemindersOfUser(user_id=ada.user_id))]

    with context.measured():
        context.eventually(lambda: reminders.remind(context.db, worker, start, end) or reminded())
    assert reminders.remind(context.db, worker, start, end) == 0
    assert reminded() == [task.id]
    expect_error(Forbidden, lambda: reminders.remind(context.db, ada, start, end))
    expect_error(Forbidden, lambda: reminders.due_tasks(context.db, ada, start, end))


@PROOFS("F7")
def discovery(context: ProofContext) -> None:
    """Discover public goals by tag, and none that became private."""
    ada, bob = member(context), member(context)
    tag = context.unique_id("tag")
    goal = goal_of(context, ada, tags=[tag], visibility=Visibility.PUBLIC)
    with context.measured():
        context.eventually(lambda: list(offers.discover(context.db, bob, tag.upper())) == [goal])
    assert goals.goal_of(context.db, bob, ada.user_id, goal.id) == goal
    goals.change_goal(context.db, ada, goal.id, visibility=Visibility.PRIVATE)
    assert list(offers.discover(context.db, bob, tag)) == []
    expect_error(NotFound, lambda: goals.goal_of(context.db, bob, ada.user_id, goal.id))


@PROOFS("F8")
def offers_of_companies(context: ProofContext) -> None:
    """Create, rename and delete a company with its offers; only its owner changes it and lists all offers."""
    ada, bob = member(context), member(context)
    company = offers.create_company(context.db, ada, name="Shoes")
    offer = offers.create_offer(context.db, ada, company.id, title="shoes", tags=["running"])
    expect_error(NotFound, lambda: offers.offer_of(context.db, bob, offer.id))
    with context.measured():
        offer = offers.change_offer(context.db, ada, offer.id, status=OfferStatus.OPEN)
    assert offers.offer_of(context.db, bob, offer.id) == offer
    context.eventually(lambda: list(offers.offers_of_company(context.db, bob, company.id)) == [offer])
    context.eventually(lambda: list(offers.company_listings(context.db, ada, company.id)) == [company, offer])
    expect_error(Forbidden, lambda: offers.company_listings(context.db, bob, company.id))
    expect_error(Forbidden, lambda: offers.delete_offer(context.db, bob, offer.id))
    expect_error(Forbidden, lambda: offers.change_company(context.db, bob, company.id, name="Mine"))
    expect_error(Forbidden, lambda: offers.delete_company(context.db, bob, company.id))
    renamed = offers.change_company(context.db, ada, company.id, name="Boots")
    assert offers.company_of(context.db, company.id) == renamed
    offers.delete_company(context.db, ada, company.id)
    expect_error(NotFound, lambda: offers.company_of(context.db, company.id))
    expect_error(NotFound, lambda: offers.offer_of(context.db, ada, offer.id))


@PROOFS("F9")
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
    for rejected in (
        lambda: rooms.history(context.db, eve, room.id),
        lambda: rooms.post(context.db, eve, room.id, "me too"),
        lambda: rooms.add_member(context.db, bob, room.id, eve.user_id),
        lambda: rooms.remove_member(context.db, bob, room.id, ada.user_id),
        lambda: rooms.delete_room(context.db, bob, room.id),
        lambda: rooms.edit(context.db, bob, room.id, first.id, "not my words"),
        lambda: rooms.members(context.db, eve, room.id),
        lambda: rooms.withdraw(context.db, eve, room.id, first.id),
    ):
        expect_error(Forbidden, rejected)
    expect_error(NotFound, lambda: rooms.room_of(context.db, eve, room.id))
    expect_error(NotFound, lambda: rooms.join(context.db, eve, room.id))
    context.clock.advance(timedelta(minutes=2))
    assert list(rooms.history(context.db, bob, room.id)) == [first]
    edited = rooms.edit(context.db, ada, room.id, first.id, "hello, all")
    assert list(rooms.history(context.db, bob, room.id)) == [edited]
    rooms.withdraw(context.db, ada, room.id, first.id)
    assert list(rooms.history(context.db, bob, room.id)) == []


@PROOFS("F10")
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
    expect_error(Forbidden, lambda: assistance.answer(context.db, bob, thread.id, "I am the assistant."))
    expect_error(NotFound, lambda: assistance.close_thread(context.db, bob, thread.id))
    assistance.close_thread(context.db, ada, thread.id)
    expect_error(Gone, lambda: assistance.answer(context.db, assistant, thread.id, "And then?"))


@PROOFS("F13")
def consumer_of_changes(context: ProofContext) -> None:
    """Follow the stream: a repeated event is counted once."""
    goal = goal_of(context, member(context))
    ada = context.caller(goal.user_id)
    task = task_of(context, goal)
    goals.change_task(context.db, ada, goal.id, task.id, done=True)
    worker = context.caller(roles=["worker"])
    with context.measured():
        progress_stream.update_progress(context.db, worker, create=True)
        progress_stream.update_progress(context.db, worker, context.unique_id("again"), create=True)
    count = goals.progress(context.db, ada, goal.id)
    assert (count.tasks, count.done) == (1, 1)
    expect_error(Forbidden, lambda: progress_stream.update_progress(context.db, ada))


@PROOFS("F15")
def names_that_resolvers_expect(context: ProofContext) -> None:
    """Keep the names that other programs use: gg_core, PK, SK, GSI1 to GSI3 and their keys."""
    ada = member(context)
    request = {
        "TableName": context.db.context.table_name(core),
        "Key": {"PK": {"S": f"USER#{ada.user_id}"}, "SK": {"S": f"PROFILE#{ada.user_id}"}},
        "ConsistentRead": True,
    }
    with context.measured():
        item = call_raw(context.db, "GetItem", request)["Item"]
    assert core.name == "gg_core"
    assert item["type"] == {"S": "User"}
    assert {f"GSI{number}{part}" for number in (1, 2, 3) for part in ("PK", "SK")} < item.keys()
    assert item["GSI1PK"] == {"S": f"USER#{ada.user_id}"}
    assert item["GSI2SK"] == item["GSI3SK"] == {"S": f"PROFILE#{ada.user_id}"}
    assert item["GSI3PK"]["S"].startswith("EMAIL#ada")
    context.eventually(
        lambda: [entry.id for entry in context.db.run(Timeline(user_id=ada.user_id))] == [ada.user_id]
    )
    first = goal_of(context, ada)
    task = task_of(context, first)
    second = goal_of(context, ada)
    context.eventually(lambda: list(goals.my_timeline(context.db, ada)) == [second, task, first])
    unused = {"ConditionExpression": "attribute_not_exists(PK)"}
    again = {"TableName": request["TableName"], "Item": item, **unused}
    expect_error(errors.ConditionalCheckFailed, lambda: call_raw(context.db, "PutItem", again))
