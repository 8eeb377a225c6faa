"""The access patterns of document 003, by the numbers of the inventory."""

from datetime import timedelta
from decimal import Decimal

from tablewright_systems.goalsguild.design.goals import (
    SHARDS,
    DueTasks,
    GoalById,
    GoalsOfUser,
    MilestoneById,
    MilestonesOfGoal,
    TaskById,
    TasksByDueDate,
    TasksOfGoal,
    Visibility,
)
from tablewright_systems.goalsguild.design.logins import AttemptsInWindow, Subject
from tablewright_systems.goalsguild.design.offers import (
    CompanyListings,
    EntitiesByTag,
    OfferById,
    OfferStatus,
)
from tablewright_systems.goalsguild.design.rooms import ChatHistory, ThreadHistory
from tablewright_systems.goalsguild.design.timelines import (
    Kind,
    MessagesTimeline,
    MilestonesTimeline,
    Timeline,
    TimelineOfKind,
)
from tablewright_systems.goalsguild.design.users import (
    EmailOwner,
    ProfileByEmail,
    ProfileById,
    ProfileByNickname,
)
from tablewright_systems.goalsguild.proofs.cast import MOMENT, goal_of, member, room_of, task_of
from tablewright_systems.goalsguild.service import (
    assistance,
    changes,
    goals,
    logins,
    milestones,
    offers,
    rooms,
    tasks,
    users,
)
from tablewright_systems.problems import Unauthenticated
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("goalsguild")


@PROOFS("A1", "003:75")
def profile_by_id(stage: Stage) -> None:
    """Get profile by userId."""
    ada = member(stage)
    with stage.measured():
        found = stage.db.run(ProfileById(user_id=ada.user_id))
    assert found == users.my_profile(stage.db, ada)


@PROOFS("A2", "003:76")
def profile_by_email(stage: Stage) -> None:
    """Get profile by email, however it is typed."""
    ada = users.my_profile(stage.db, member(stage))
    with stage.measured():
        stage.eventually(lambda: stage.db.run(ProfileByEmail(email=ada.email.upper())) == ada)


@PROOFS("A3", "003:77")
def profile_by_nickname(stage: Stage) -> None:
    """Get profile by nickname, however it is typed."""
    ada = users.my_profile(stage.db, member(stage))
    with stage.measured():
        stage.eventually(lambda: stage.db.run(ProfileByNickname(nickname=ada.nickname.upper())) == ada)


@PROOFS("A4", "003:78")
def goals_of_user(stage: Stage) -> None:
    """List user goals, in the order in which they were set."""
    ada = member(stage)
    mine = [goal_of(stage, ada, title) for title in ("run", "swim", "bike")]
    with stage.measured():
        found = stage.db.run(GoalsOfUser(user_id=ada.user_id))
    assert list(found) == mine


@PROOFS("A5", "003:79")
def tasks_of_goal(stage: Stage) -> None:
    """List tasks in a goal."""
    goal, other = (goal_of(stage, member(stage)) for _ in range(2))
    mine = [task_of(stage, goal, title) for title in ("shoes", "plan", "train")]
    task_of(stage, other)
    with stage.measured():
        found = stage.db.run(TasksOfGoal(goal_id=goal.id))
    assert list(found) == mine


@PROOFS("A6", "003:80")
def timeline_by_kind(stage: Stage) -> None:
    """List user entities timeline, ordered by GSI1SK."""
    ada = member(stage)
    first, second = goal_of(stage, ada), goal_of(stage, ada)
    task = task_of(stage, first)
    with stage.measured():
        expected = [first.id, second.id, task.id, ada.user_id]
        stage.eventually(
            lambda: [each.id for each in stage.db.run(Timeline(user_id=ada.user_id))] == expected
        )


@PROOFS("A7", "003:81")
def chat_history(stage: Stage) -> None:
    """Chat history, page by page."""
    ada = member(stage)
    room = room_of(stage, ada)
    said = [rooms.post(stage.db, ada, room.id, f"word {number}") for number in range(5)]
    with stage.measured():
        first = stage.db.run(ChatHistory(room_id=room.id), limit=3)
        rest = stage.db.run(ChatHistory(room_id=room.id), limit=3, cursor=first.cursor)
    assert [*first, *rest] == said
    assert rest.cursor is None


@PROOFS("A8", "003:84")
def milestones_of_goal(stage: Stage) -> None:
    """List goal milestones."""
    ada = member(stage)
    goal, other = goal_of(stage, ada), goal_of(stage, ada)
    mine = [
        milestones.create_milestone(stage.db, ada, goal.id, name=f"{share} %", percentage=Decimal(share))
        for share in (25, 50)
    ]
    milestones.create_milestone(stage.db, ada, other.id, name="half", percentage=Decimal(50))
    with stage.measured():
        found = stage.db.run(MilestonesOfGoal(user_id=ada.user_id, goal_id=goal.id))
    assert list(found) == mine


@PROOFS("A9", "003:85")
def milestones_timeline(stage: Stage) -> None:
    """List user milestones timeline."""
    ada = member(stage)
    mine = []
    for goal in (goal_of(stage, ada), goal_of(stage, ada)):
        stage.clock.advance(MOMENT)
        mine.append(milestones.create_milestone(stage.db, ada, goal.id, name="half", percentage=Decimal(50)))
    with stage.measured():
        stage.eventually(lambda: list(stage.db.run(MilestonesTimeline(user_id=ada.user_id))) == mine)


@PROOFS("A10", "003:86")
def milestone_by_id(stage: Stage) -> None:
    """Get specific milestone."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    half = milestones.create_milestone(stage.db, ada, goal.id, name="half", percentage=Decimal(50))
    with stage.measured():
        found = stage.db.run(MilestoneById(user_id=ada.user_id, goal_id=goal.id, milestone_id=half.id))
    assert found == half


@PROOFS("A11", "003:100")
def due_tasks(stage: Stage) -> None:
    """List the open tasks that are due on a day, over all shards."""
    due_at = stage.db.now() + timedelta(days=400)
    goal = goal_of(stage, member(stage))
    mine = {task_of(stage, goal, due_at=due_at).id for _ in range(4)}
    done = task_of(stage, goal, due_at=due_at)
    tasks.change_task(stage.db, stage.caller(goal.user_id), goal.id, done.id, {"done": True})
    end = due_at + MOMENT
    asked = [DueTasks(day=due_at.date(), shard=each, start=due_at, end=end) for each in range(SHARDS)]
    with stage.measured():
        stage.eventually(
            lambda: (
                {task.id for each in asked for task in stage.db.run(each) if task.goal_id == goal.id} == mine
            )
        )


@PROOFS("A12", "003:101")
def entities_by_tag(stage: Stage) -> None:
    """Find public goals and open offers by tag."""
    ada = member(stage)
    tag = stage.fresh("Tag")
    public = goal_of(stage, ada, tags=[tag, "sport"], visibility=Visibility.PUBLIC)
    goal_of(stage, ada, tags=[tag])
    company = offers.create_company(stage.db, ada, name="Shoes")
    offer = offers.create_offer(stage.db, ada, company.id, title="shoes", tags=[tag])
    offers.change_offer(stage.db, ada, offer.id, {"status": OfferStatus.OPEN})
    with stage.measured():
        stage.eventually(
            lambda: [each.id for each in stage.db.run(EntitiesByTag(tag=tag))] == [public.id, offer.id]
        )


@PROOFS("A13", "003:102")
def company_listings(stage: Stage) -> None:
    """List what belongs to a company."""
    ada = member(stage)
    company = offers.create_company(stage.db, ada, name="Shoes")
    made = [offers.create_offer(stage.db, ada, company.id, title=title) for title in ("shoes", "socks")]
    with stage.measured():
        stage.eventually(
            lambda: list(stage.db.run(CompanyListings(company_id=company.id))) == [company, *made]
        )


@PROOFS("A14", "003:52")
def tasks_by_due_date(stage: Stage) -> None:
    """List a user's tasks by due date, those without one at the end."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    now = stage.db.now()
    never = task_of(stage, goal, "some day")
    late = task_of(stage, goal, "late", now + timedelta(days=9))
    soon = task_of(stage, goal, "soon", now + timedelta(days=1))
    with stage.measured():
        found = stage.db.run(TasksByDueDate(user_id=ada.user_id))
    assert list(found) == [soon, late, never]


@PROOFS("A15", "003:62")
def messages_timeline(stage: Stage) -> None:
    """List the messages that a user put on the timeline."""
    ada = member(stage)
    room = room_of(stage, ada)
    rooms.post(stage.db, ada, room.id, "just here")
    shown = rooms.post(stage.db, ada, room.id, "for ever", on_timeline=True)
    with stage.measured():
        stage.eventually(lambda: list(stage.db.run(MessagesTimeline(user_id=ada.user_id))) == [shown])


@PROOFS("A16", "003:66")
def thread_history(stage: Stage) -> None:
    """List what was said in a thread of assistance."""
    ada = member(stage)
    thread = assistance.open_thread(stage.db, ada, title="how to begin")
    asked = assistance.say(stage.db, ada, thread.id, "How do I begin?")
    told = assistance.answer(stage.db, stage.caller(roles=["assistant"]), thread.id, "With one step.")
    with stage.measured():
        found = stage.db.run(ThreadHistory(thread_id=thread.id))
    assert list(found) == [asked, told]


@PROOFS("A17", "003:46")
def goal_by_id(stage: Stage) -> None:
    """Get a goal of a user."""
    ada = member(stage)
    goal = goal_of(stage, ada)
    with stage.measured():
        found = stage.db.run(GoalById(user_id=ada.user_id, goal_id=goal.id))
    assert found == goal


@PROOFS("A18", "003:51")
def task_by_id(stage: Stage) -> None:
    """Get a task of a goal."""
    goal = goal_of(stage, member(stage))
    task = task_of(stage, goal)
    with stage.measured():
        found = stage.db.run(TaskById(goal_id=goal.id, task_id=task.id))
    assert found == task


@PROOFS("A19", "003:70")
def offer_by_id(stage: Stage) -> None:
    """Get an offer."""
    ada = member(stage)
    company = offers.create_company(stage.db, ada, name="Shoes")
    offer = offers.create_offer(stage.db, ada, company.id, title="shoes")
    with stage.measured():
        found = stage.db.run(OfferById(offer_id=offer.id))
    assert found == offer


@PROOFS("A20", "003:41")
def owner_of_email(stage: Stage) -> None:
    """Tell whether an address is free, and whose it is, by its lock."""
    ada = member(stage)
    email = users.my_profile(stage.db, ada).email
    with stage.measured():
        lock = stage.db.run(EmailOwner(email=email))
        nobody = stage.db.run(EmailOwner(email=stage.fresh("nobody") + "@example.org"))
    assert lock is not None
    assert lock.user_id == ada.user_id
    assert nobody is None


@PROOFS("A21", "003:97")
def timeline_of_one_kind(stage: Stage) -> None:
    """List what a user owns of one kind, the newest first."""
    ada = member(stage)
    first, second = goal_of(stage, ada), goal_of(stage, ada)
    task_of(stage, first)
    with stage.measured():
        asked = TimelineOfKind(user_id=ada.user_id, entity=Kind.GOAL)
        stage.eventually(lambda: list(stage.db.run(asked)) == [second, first])


@PROOFS("A22", "003:96")
def attempts_in_window(stage: Stage) -> None:
    """Count the login attempts of an address in the window that is now."""
    email, address = f"{stage.fresh()}@example.org", stage.fresh("ip")
    window = logins.window_of(stage.db.now())
    for _ in range(2):
        try:
            logins.log_in(stage.db, email, "wrong password", address)
        except Unauthenticated:
            continue
    with stage.measured():
        found = [
            stage.db.run(AttemptsInWindow(subject=subject, identifier=identifier, window=window))
            for subject, identifier in ((Subject.EMAIL, email), (Subject.IP, address))
        ]
    assert [each and each.attempts for each in found] == [2, 2]


@PROOFS("A23", "003:9")
def change_feed(stage: Stage) -> None:
    """Hear of every change by the stream, and count what is done of a goal."""
    goal = goal_of(stage, member(stage))
    ada = stage.caller(goal.user_id)
    made = [task_of(stage, goal) for _ in range(3)]
    tasks.change_task(stage.db, ada, goal.id, made[0].id, {"done": True})
    tasks.delete_task(stage.db, ada, goal.id, made[1].id)
    with stage.measured():
        told = changes.follow_progress(stage.db, stage.caller(roles=["worker"]), create=True)
    assert told >= 5
    count = goals.progress(stage.db, ada, goal.id)
    assert (count.tasks, count.done) == (2, 1)
