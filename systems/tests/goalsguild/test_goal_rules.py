"""The rules of GoalsGuild about goals, their parts, timelines, reminders and tags."""

import json
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest
from pydantic import ValidationError
from tablewright_systems.goalsguild.design.goals import (
    FAR_OFF,
    MAX_PLAN_SIZE,
    SHARDS,
    GoalsOfUser,
    GoalStatus,
    Kind,
    MilestonesOfGoal,
    RemindersOfUser,
    Task,
    TasksByDueDate,
    Timeline,
)
from tablewright_systems.goalsguild.design.offers import CompanyListings, OfferStatus
from tablewright_systems.goalsguild.design.tables import Visibility
from tablewright_systems.goalsguild.service import goals, offers, reminders, users
from tablewright_systems.goalsguild.service.goals import MilestoneChanges, NewGoal, NewMilestone, NewTask
from tablewright_systems.service import Caller, Forbidden, Invalid, NotFound, Paging

from systems.tests.goalsguild.fixtures import (
    ADMIN,
    WORKER,
    assert_consistent,
    items,
    of,
    raw,
    token_holder,
)
from tablewright import Clock, Repository, errors


def test_r6_r28_timeline_is_ordered_by_time(db: Repository, clock: Clock, ada: Caller) -> None:
    made: list[Any] = []
    goal = goals.create_goal(db, ada, title="first")
    made.append(goal)
    for number in range(5):
        clock.advance(1)
        made.append(goals.create_task(db, ada, goal.id, title=f"task {number}", due_at=db.now()))
        clock.advance(1)
        made.append(goals.create_goal(db, ada, title=f"goal {number}"))
        clock.advance(1)
        made.append(goals.create_milestone(db, ada, goal.id, name="part", percentage=Decimal(number)))
    collected: list[Any] = []
    page = goals.my_timeline(db, ada, paging=Paging(3))
    collected += page
    while page.cursor:
        page = goals.my_timeline(db, ada, paging=Paging(3, page.cursor))
        collected += page
    assert collected == made[::-1]
    as_written = [type(item).__name__ for item in db.all(Timeline(user_id="ada"))]
    assert as_written == sorted(as_written)
    assert as_written[-1] == "User"


def test_r6_timeline_of_some_kinds(db: Repository, clock: Clock, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    clock.advance(1)
    task = goals.create_task(db, ada, goal.id, title="train")
    assert list(goals.my_timeline(db, ada, kinds=[Kind.TASK])) == [task]
    assert list(goals.my_timeline(db, ada, kinds=[Kind.MESSAGE, Kind.GOAL])) == [goal]


@pytest.mark.parametrize("cursor", ["x", "eA==", "MjAyNS0wMS0wMSBpZA==", "MjAyNS0wMS0wMVQwMDowMCswMDowMCA="])
def test_r6_invalid_cursor_is_rejected(db: Repository, ada: Caller, cursor: str) -> None:
    with pytest.raises(errors.BadCursor):
        goals.my_timeline(db, ada, paging=Paging(cursor=cursor))


def test_r7_entries_of_equal_time_are_paged_once(db: Repository, ada: Caller) -> None:
    made = [goals.create_goal(db, ada, title=f"goal {number}") for number in range(7)]
    collected: list[Any] = []
    cursor = None
    while True:
        page = goals.my_timeline(db, ada, paging=Paging(2, cursor))
        collected += page
        cursor = page.cursor
        if cursor is None:
            break
    assert collected == made[::-1]


def test_r8_timeline_orders_tasks_by_creation(db: Repository, clock: Clock, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    clock.advance(1)
    goals.create_task(db, ada, goal.id, title="next year", due_at=db.now() + timedelta(days=365))
    clock.advance(1)
    newest = goals.create_goal(db, ada, title="swim")
    assert goals.my_timeline(db, ada).items[0] == newest


def test_r9_task_without_a_date_is_listed_last(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    never = goals.create_task(db, ada, goal.id, title="some day")
    soon = goals.create_task(db, ada, goal.id, title="soon", due_at=db.now())
    assert (never.due_at, never.listed_at) == (None, FAR_OFF)
    assert list(db.run(TasksByDueDate(user_id="ada"))) == [soon, never]
    assert "dueAt" not in raw(db, f"GOAL#{goal.id}", f"TASK#{never.id}")
    assert sum(item.id == never.id for item in goals.my_timeline(db, ada)) == 1


def test_r9_listed_at_must_follow_due_at(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train")
    with pytest.raises(errors.InvalidWrite, match="listed_at follows due_at"):
        db.update(task, set={"due_at": db.now()})
    assert_consistent(db)


def test_r10_data_of_another_user_is_not_found(db: Repository, ada: Caller, bob: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train")
    half = goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50))
    for action in (
        lambda: goals.my_goal(db, bob, goal.id),
        lambda: goals.goal_of(db, bob, "ada", goal.id),
        lambda: goals.change_goal(db, bob, goal.id, title="mine"),
        lambda: goals.delete_goal(db, bob, goal.id),
        lambda: goals.progress(db, bob, goal.id),
        lambda: goals.tasks_of_goal(db, bob, goal.id),
        lambda: goals.my_task(db, bob, goal.id, task.id),
        lambda: goals.create_task(db, bob, goal.id, title="mine"),
        lambda: goals.change_task(db, bob, goal.id, task.id, done=True),
        lambda: goals.delete_task(db, bob, goal.id, task.id),
        lambda: goals.create_milestone(db, bob, goal.id, name="mine", percentage=Decimal(1)),
        lambda: goals.my_milestone(db, bob, goal.id, half.id),
        lambda: goals.achieve(db, bob, goal.id, half.id),
        lambda: goals.reopen(db, bob, goal.id, half.id),
        lambda: goals.delete_milestone(db, bob, goal.id, half.id),
    ):
        with pytest.raises(NotFound):
            action()
    assert list(db.run(MilestonesOfGoal(user_id="bob", goal_id=goal.id))) == []


def test_r10_large_goal_is_deleted(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run", tags=["sport"])
    for number in range(120):
        goals.create_task(db, ada, goal.id, title=f"task {number}", due_at=db.now())
    for number in range(30):
        goals.create_milestone(db, ada, goal.id, name=f"part {number}", percentage=Decimal(number))
    goals.delete_goal(db, ada, goal.id)
    assert {item.layout.type_name for item in assert_consistent(db)} == {"User"}


def test_r10_interrupted_deletion_blocks_additions_and_continues(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    goals.create_task(db, ada, goal.id, title="train")
    db.update(goal, set={"status": GoalStatus.DELETING})
    with pytest.raises(NotFound):
        goals.create_task(db, ada, goal.id, title="late")
    with pytest.raises(NotFound):
        goals.change_goal(db, ada, goal.id, status=GoalStatus.ACTIVE)
    goals.delete_goal(db, ada, goal.id)
    assert not of(assert_consistent(db), Task)


def test_r11_lists_are_ordered_by_creation(db: Repository, ada: Caller) -> None:
    made = [goals.create_goal(db, ada, title=f"goal {number}") for number in range(20)]
    assert list(db.run(GoalsOfUser(user_id="ada"))) == made
    added = [goals.create_task(db, ada, made[0].id, title=f"task {number}") for number in range(20)]
    assert list(goals.tasks_of_goal(db, ada, made[0].id)) == added


def due(db: Repository, start: datetime, end: datetime) -> list[Task]:
    return list(reminders.due_tasks(db, WORKER, start, end, Paging(100)))


def test_r19_day_is_sharded_and_has_only_open_tasks(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    made = [goals.create_task(db, ada, goal.id, title="t", due_at=db.now()) for _ in range(60)]
    buckets = {item["GSI4PK"]["S"] for item in items(db) if "GSI4PK" in item}
    assert len(buckets) > SHARDS // 2
    assert buckets <= {f"DUE#20250615#{shard:02}" for shard in range(SHARDS)}
    goals.change_task(db, ada, goal.id, made[0].id, done=True)
    goals.change_task(db, ada, goal.id, made[1].id, due_at=None)
    goals.change_task(db, ada, goal.id, made[2].id, due_at=db.now() + timedelta(days=1))
    goals.delete_task(db, ada, goal.id, made[3].id)
    result = due(db, db.now(), db.now() + timedelta(seconds=1))
    assert {item.id for item in result} == {item.id for item in made[4:]}
    goals.change_task(db, ada, goal.id, made[0].id, done=False)
    assert len(due(db, db.now(), db.now() + timedelta(seconds=1))) == 57


def test_r19_day_of_a_time_zone_differs_from_utc(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    eastern = timezone(timedelta(hours=12))
    due_at = datetime(2025, 7, 2, 8, tzinfo=eastern)
    task = goals.create_task(db, ada, goal.id, title="train", due_at=due_at)
    assert raw(db, f"GOAL#{goal.id}", f"TASK#{task.id}")["GSI4PK"]["S"].startswith("DUE#20250701#")
    today = reminders.day_in("Pacific/Auckland", date(2025, 7, 2))
    assert due(db, *today) == [task]
    assert due(db, *reminders.day_in("UTC", date(2025, 7, 2))) == []


def test_r19_end_of_a_range_is_excluded(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    start = datetime(2025, 7, 1, tzinfo=UTC)
    end = start + timedelta(days=1)
    first, last = (goals.create_task(db, ada, goal.id, title="t", due_at=item) for item in (start, end))
    assert due(db, start, end) == [first]
    assert due(db, end, end + timedelta(days=1)) == [last]


def test_r19_new_date_gets_a_new_reminder(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    start = db.now()
    week = start + timedelta(days=7)
    task = goals.create_task(db, ada, goal.id, title="train", due_at=start)
    assert reminders.remind(db, WORKER, start, week) == 1
    goals.change_task(db, ada, goal.id, task.id, title="train more")
    assert reminders.remind(db, WORKER, start, week) == 0
    goals.change_task(db, ada, goal.id, task.id, due_at=start + timedelta(days=1))
    assert reminders.remind(db, WORKER, start, week) == 1
    assert len(db.run(RemindersOfUser(user_id="ada"))) == 2


def test_r19_only_workers_send_reminders(db: Repository, ada: Caller) -> None:
    with pytest.raises(Forbidden):
        reminders.remind(db, ada, db.now(), db.now())


def test_r20_every_tag_finds_a_public_goal(db: Repository, ada: Caller, bob: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run", tags=["Sport", "sport", "HEALTH"])
    assert goal.tags == ["sport", "health"]
    assert list(offers.discover(db, bob, "sport")) == []
    goal = goals.change_goal(db, ada, goal.id, visibility=Visibility.PUBLIC)
    for tag in ("Sport", "health"):
        assert list(offers.discover(db, bob, tag)) == [goal]
    goal = goals.change_goal(db, ada, goal.id, tags=["health", "city"])
    assert [list(offers.discover(db, bob, tag)) for tag in ("sport", "health", "city")] == [
        [],
        [goal],
        [goal],
    ]
    goals.change_goal(db, ada, goal.id, visibility=Visibility.PRIVATE)
    assert [list(offers.discover(db, bob, tag)) for tag in ("health", "city")] == [[], []]
    assert_consistent(db)


def test_r20_users_are_not_discovered_by_tag(db: Repository) -> None:
    users.register(db, token_holder("u"), nickname="uu", full_name="U", tags=["sport"])
    assert list(offers.discover(db, Caller("u"), "sport")) == []


@pytest.mark.parametrize("tags", [["a#b"], [""], [" "], ["x" * 31], [f"t{number}" for number in range(11)]])
def test_r20_invalid_tags_are_rejected(tags: list[str]) -> None:
    with pytest.raises(ValidationError):
        NewGoal(title="run", tags=tags)


def test_r21_r22_offers_are_ordered_by_time(db: Repository, ada: Caller, bob: Caller) -> None:
    company = offers.create_company(db, ada, name="Shoes")
    made = [offers.create_offer(db, ada, company.id, title=f"offer {number}") for number in range(6)]
    assert list(db.run(CompanyListings(company_id=company.id))) == [company, *made]
    assert list(offers.offers_of_company(db, ada, company.id)) == made[::-1]
    assert list(offers.offers_of_company(db, bob, company.id)) == []
    with pytest.raises(Forbidden):
        offers.create_offer(db, bob, company.id, title="mine")
    assert len(offers.company_listings(db, ADMIN, company.id).items) == 7


def test_r20_closed_offer_is_not_discovered(db: Repository, ada: Caller, bob: Caller) -> None:
    company = offers.create_company(db, ada, name="Shoes")
    offer = offers.create_offer(db, ada, company.id, title="shoes", tags=["sport"])
    assert list(offers.discover(db, bob, "sport")) == []
    offer = offers.change_offer(db, ada, offer.id, status=OfferStatus.OPEN)
    assert list(offers.discover(db, bob, "sport")) == [offer]
    offers.change_offer(db, ada, offer.id, status=OfferStatus.CLOSED)
    assert list(offers.discover(db, bob, "sport")) == []
    offers.delete_offer(db, ada, offer.id)
    assert_consistent(db)


@pytest.mark.parametrize("percentage", ["-1", "100.01", "NaN", "Infinity", "33.333"])
def test_r29_percentages_have_a_range(percentage: str) -> None:
    with pytest.raises(ValidationError):
        NewMilestone(name="half", percentage=Decimal(percentage))


def test_r29_achieved_at_follows_achieved(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    half = goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal("50.5"))
    assert (half.achieved, half.achieved_at) == (False, None)
    half = goals.achieve(db, ada, goal.id, half.id)
    assert (half.achieved, half.achieved_at) == (True, db.now())
    half = goals.reopen(db, ada, goal.id, half.id)
    assert (half.achieved, half.achieved_at) == (False, None)
    assert "achieved_at" not in MilestoneChanges.model_fields
    with pytest.raises(NotFound):
        goals.create_milestone(db, ada, "none", name="half", percentage=Decimal(50))


def test_r31_r33_milestones_are_found_by_user_and_goal(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    goals.create_milestone(db, ada, goal.id, name="half", percentage=Decimal(50))
    assert not db.run(MilestonesOfGoal(user_id="ada", goal_id=goal.id[:-1]))
    assert list(MilestonesOfGoal.model_fields) == ["user_id", "goal_id"]
    with pytest.raises(errors.KeyValueError):
        goals.my_milestone(db, ada, "a#b", "c")


def test_r35_plan_is_a_limited_map_and_birth_date_a_date(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    plan = {"steps": [{"name": "warm up", "minutes": 10, "km": 2.5}], "sure": True}
    task = goals.create_task(db, ada, goal.id, title="train", nlp_plan=plan)
    result = goals.my_task(db, ada, goal.id, task.id)
    assert json.loads(result.model_dump_json())["nlp_plan"] == plan
    for wrong in ({"text": "x" * MAX_PLAN_SIZE}, ["warm up"], "warm up"):
        with pytest.raises(ValidationError):
            NewTask.model_validate({"title": "train", "nlpPlan": wrong})
    users.change_profile(db, ada, birth_date=date(1815, 12, 10))
    assert raw(db, "USER#ada", "PROFILE#ada")["birthDate"] == {"S": "1815-12-10"}


@pytest.mark.parametrize(
    "due_at", ["2025-07-01T10:00:00Z", "2025-07-01T12:00:00+02:00", "2025-07-01T10:00:00.0004Z"]
)
def test_x1_timestamps_have_one_format(db: Repository, ada: Caller, due_at: str) -> None:
    goal = goals.create_goal(db, ada, title="run")
    task = goals.create_task(db, ada, goal.id, title="train", due_at=datetime.fromisoformat(due_at))
    assert raw(db, f"GOAL#{goal.id}", f"TASK#{task.id}")["dueAt"] == {"S": "2025-07-01T10:00:00.000Z"}


def test_empty_changes_are_rejected(db: Repository, ada: Caller) -> None:
    goal = goals.create_goal(db, ada, title="run")
    with pytest.raises(Invalid):
        goals.change_goal(db, ada, goal.id)
    with pytest.raises(Invalid):
        goals.change_goal(db, ada, goal.id, status=GoalStatus.DELETING)
