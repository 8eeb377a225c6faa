"""The access patterns of GoalsGuild, by their numbers in REQUIREMENTS.md."""

from datetime import timedelta
from decimal import Decimal

from tablewright_systems.goalsguild.design.goals import (
    SHARDS,
    DueTasks,
    GoalById,
    GoalsOfUser,
    Kind,
    MessagesTimeline,
    MilestoneById,
    MilestonesOfGoal,
    MilestonesTimeline,
    TaskById,
    TasksByDueDate,
    TasksOfGoal,
    Timeline,
    TimelineOfKind,
)
from tablewright_systems.goalsguild.design.offers import (
    CompanyListings,
    EntitiesByTag,
    OfferById,
    OfferStatus,
)
from tablewright_systems.goalsguild.design.rooms import ChatHistory, ThreadHistory
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.design.users import (
    AttemptsInWindow,
    EmailOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
    Subject,
)
from tablewright_systems.goalsguild.proofs.fixtures import TICK, goal_of, member, room_of, task_of
from tablewright_systems.goalsguild.service import (
    assistance,
    goals,
    logins,
    offers,
    progress_stream,
    rooms,
    users,
)
from tablewright_systems.service import Unauthenticated
from tablewright_systems.verification import ProofContext, Proofs

PROOFS = Proofs("goalsguild")


@PROOFS("A1")
def profile_by_id(context: ProofContext) -> None:
    """Get profile by userId."""
    ada = member(context)
    with context.measured():
        profile = context.db.run(ProfileById(user_id=ada.user_id))
    assert profile == users.my_profile(context.db, ada)


@PROOFS("A2")
def profile_by_email(context: ProofContext) -> None:
    """Get profile by email, ignoring case and form."""
    ada = users.my_profile(context.db, member(context))
    with context.measured():
        context.eventually(lambda: context.db.run(ProfileByEmail(email=ada.email.upper())) == ada)


@PROOFS("A3")
def profile_by_nickname(context: ProofContext) -> None:
    """Get profile by nickname, ignoring case and form."""
    ada = users.my_profile(context.db, member(context))
    with context.measured():
        context.eventually(lambda: context.db.run(ProfileByNickname(nickname=ada.nickname.upper())) == ada)


@PROOFS("A4")
def goals_of_user(context: ProofContext) -> None:
    """List user goals, oldest first."""
    ada = member(context)
    mine = [goal_of(context, ada, title) for title in ("run", "swim", "bike")]
    with context.measured():
        goals_found = context.db.run(GoalsOfUser(user_id=ada.user_id))
    assert list(goals_found) == mine


@PROOFS("A5")
def tasks_of_goal(context: ProofContext) -> None:
    """List tasks in a goal."""
    goal, other = (goal_of(context, member(context)) for _ in range(2))
    mine = [task_of(context, goal, title) for title in ("shoes", "plan", "train")]
    task_of(context, other)
    with context.measured():
        page = context.db.run(TasksOfGoal(goal_id=goal.id))
    assert list(page) == mine


@PROOFS("A6")
def timeline_by_kind(context: ProofContext) -> None:
    """List user entities timeline, ordered by GSI1SK."""
    ada = member(context)
    first, second = goal_of(context, ada), goal_of(context, ada)
    task = task_of(context, first)
    with context.measured():
        expected = [first.id, second.id, task.id, ada.user_id]
        context.eventually(
            lambda: [entry.id for entry in context.db.run(Timeline(user_id=ada.user_id))] == expected
        )


@PROOFS("A7")
def chat_history(context: ProofContext) -> None:
    """Chat history, page by page."""
    ada = member(context)
    room = room_of(context, ada)
    posted = [rooms.post(context.db, ada, room.id, f"word {number}") for number in range(5)]
    with context.measured():
        first = context.db.run(ChatHistory(room_id=room.id), limit=3)
        rest = context.db.run(ChatHistory(room_id=room.id), limit=3, cursor=first.cursor)
    assert [*first, *rest] == posted
    assert rest.cursor is None


@PROOFS("A8")
def milestones_of_goal(context: ProofContext) -> None:
    """List goal milestones."""
    ada = member(context)
    goal, other = goal_of(context, ada), goal_of(context, ada)
    mine = [
        goals.create_milestone(context.db, ada, goal.id, name=f"{share} %", percentage=Decimal(share))
        for share in (25, 50)
    ]
    goals.create_milestone(context.db, ada, other.id, name="half", percentage=Decimal(50))
    with context.measured():
        page = context.db.run(MilestonesOfGoal(user_id=ada.user_id, goal_id=goal.id))
    assert list(page) == mine


@PROOFS("A9")
def milestones_timeline(context: ProofContext) -> None:
    """List user milestones timeline."""
    ada = member(context)
    mine = []
    for goal in (goal_of(context, ada), goal_of(context, ada)):
        context.clock.advance(TICK)
        mine.append(goals.create_milestone(context.db, ada, goal.id, name="half", percentage=Decimal(50)))
    with context.measured():
        context.eventually(lambda: list(context.db.run(MilestonesTimeline(user_id=ada.user_id))) == mine)


@PROOFS("A10")
def milestone_by_id(context: ProofContext) -> None:
    """Get specific milestone."""
    ada = member(context)
    goal = goal_of(context, ada)
    half = goals.create_milestone(context.db, ada, goal.id, name="half", percentage=Decimal(50))
    with context.measured():
        stored = context.db.run(MilestoneById(user_id=ada.user_id, goal_id=goal.id, milestone_id=half.id))
    assert stored == half


@PROOFS("A11")
def due_tasks(context: ProofContext) -> None:
    """List the open tasks that are due on a day, over all shards."""
    due_at = context.db.now() + timedelta(days=400)
    goal = goal_of(context, member(context))
    mine = {task_of(context, goal, due_at=due_at).id for _ in range(4)}
    done = task_of(context, goal, due_at=due_at)
    goals.change_task(context.db, context.caller(goal.user_id), goal.id, done.id, done=True)
    end = due_at + TICK
    asked = [DueTasks(day=due_at.date(), shard=number, start=due_at, end=end) for number in range(SHARDS)]
    with context.measured():
        context.eventually(
            lambda: (
                {task.id for pattern in asked for task in context.db.run(pattern) if task.goal_id == goal.id}
                == mine
            )
        )


@PROOFS("A12")
def entities_by_tag(context: ProofContext) -> None:
    """Find public goals and open offers by tag."""
    ada = member(context)
    tag = context.unique_id("Tag")
    public = goal_of(context, ada, tags=[tag, "sport"], visibility=Visibility.PUBLIC)
    goal_of(context, ada, tags=[tag])
    company = offers.create_company(context.db, ada, name="Shoes")
    offer = offers.create_offer(context.db, ada, company.id, title="shoes", tags=[tag])
    offers.change_offer(context.db, ada, offer.id, status=OfferStatus.OPEN)
    with context.measured():
        context.eventually(
            lambda: [entity.id for entity in context.db.run(EntitiesByTag(tag=tag))] == [public.id, offer.id]
        )


@PROOFS("A13")
def company_listings(context: ProofContext) -> None:
    """List a company and its offers."""
    ada = member(context)
    company = offers.create_company(context.db, ada, name="Shoes")
    made = [offers.create_offer(context.db, ada, company.id, title=title) for title in ("shoes", "socks")]
    with context.measured():
        context.eventually(
            lambda: list(context.db.run(CompanyListings(company_id=company.id))) == [company, *made]
        )


@PROOFS("A14")
def tasks_by_due_date(context: ProofContext) -> None:
    """List a user's tasks by due date; tasks without a due date come last."""
    ada = member(context)
    goal = goal_of(context, ada)
    now = context.db.now()
    never = task_of(context, goal, "some day")
    late = task_of(context, goal, "late", now + timedelta(days=9))
    soon = task_of(context, goal, "soon", now + timedelta(days=1))
    with context.measured():
        page = context.db.run(TasksByDueDate(user_id=ada.user_id))
    assert list(page) == [soon, late, never]


@PROOFS("A15")
def messages_timeline(context: ProofContext) -> None:
    """List the messages on the timeline of a user."""
    ada = member(context)
    room = room_of(context, ada)
    rooms.post(context.db, ada, room.id, "just here")
    shown = rooms.post(context.db, ada, room.id, "for ever", on_timeline=True)
    with context.measured():
        context.eventually(lambda: list(context.db.run(MessagesTimeline(user_id=ada.user_id))) == [shown])


@PROOFS("A16")
def thread_history(context: ProofContext) -> None:
    """List the messages of an assistant thread."""
    ada = member(context)
    thread = assistance.open_thread(context.db, ada, title="how to begin")
    asked = assistance.say(context.db, ada, thread.id, "How do I begin?")
    reply = assistance.answer(context.db, context.caller(roles=["assistant"]), thread.id, "With one step.")
    with context.measured():
        page = context.db.run(ThreadHistory(thread_id=thread.id))
    assert list(page) == [asked, reply]


@PROOFS("A17")
def goal_by_id(context: ProofContext) -> None:
    """Get a goal of a user."""
    ada = member(context)
    goal = goal_of(context, ada)
    with context.measured():
        stored = context.db.run(GoalById(user_id=ada.user_id, goal_id=goal.id))
    assert stored == goal


@PROOFS("A18")
def task_by_id(context: ProofContext) -> None:
    """Get a task of a goal."""
    goal = goal_of(context, member(context))
    task = task_of(context, goal)
    with context.measured():
        stored = context.db.run(TaskById(goal_id=goal.id, task_id=task.id))
    assert stored == task


@PROOFS("A19")
def offer_by_id(context: ProofContext) -> None:
    """Get an offer."""
    ada = member(context)
    company = offers.create_company(context.db, ada, name="Shoes")
    offer = offers.create_offer(context.db, ada, company.id, title="shoes")
    with context.measured():
        stored = context.db.run(OfferById(offer_id=offer.id))
    assert stored == offer


@PROOFS("A20")
def owner_of_email(context: ProofContext) -> None:
    """Find the owner of an e-mail address by its lock."""
    ada = member(context)
    email = users.my_profile(context.db, ada).email
    with context.measured():
        owner = context.db.run(EmailOwner(email=email))
        missing = context.db.run(EmailOwner(email=context.unique_id("unknown") + "@example.org"))
    assert owner is not None
    assert owner.id == ada.user_id
    assert missing is None


@PROOFS("A21")
def timeline_of_one_kind(context: ProofContext) -> None:
    """List the entities of one kind of a user, newest first."""
    ada = member(context)
    first, second = goal_of(context, ada), goal_of(context, ada)
    task_of(context, first)
    with context.measured():
        asked = TimelineOfKind(user_id=ada.user_id, entity=Kind.GOAL)
        context.eventually(lambda: list(context.db.run(asked)) == [second, first])


@PROOFS("A22")
def attempts_in_window(context: ProofContext) -> None:
    """Count the login attempts of an address in the current window."""
    email, address = f"{context.unique_id()}@example.org", context.unique_id("ip")
    window = logins.LIMITS[Subject.EMAIL].window_of(context.db.now())
    for _ in range(2):
        try:
            logins.log_in(context.db, email, "wrong password", address)
        except Unauthenticated:
            continue
    with context.measured():
        counts = [
            context.db.run(
                AttemptsInWindow(subject=subject, identifier=identifier, window=window, network=network)
            )
            for subject, identifier, network in (
                (Subject.EMAIL, email, address),
                (Subject.IP, address, "any"),
            )
        ]
    assert [attempts and attempts.attempts for attempts in counts] == [2, 2]


@PROOFS("A23")
def change_feed(context: ProofContext) -> None:
    """Follow changes in the stream, and count the completed tasks of a goal."""
    goal = goal_of(context, member(context))
    ada = context.caller(goal.user_id)
    made = [task_of(context, goal) for _ in range(3)]
    goals.change_task(context.db, ada, goal.id, made[0].id, done=True)
    goals.delete_task(context.db, ada, goal.id, made[1].id)
    with context.measured():
        reply = progress_stream.update_progress(context.db, context.caller(roles=["worker"]), create=True)
    assert reply >= 5
    count = goals.progress(context.db, ada, goal.id)
    assert (count.tasks, count.done) == (2, 1)
