"""Goals over HTTP, with tasks, milestones, reminders and the timeline."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from tablewright import fields
from tablewright_systems.goalsguild.api.bodies import Body, Id, Kinded, kinded, left_out
from tablewright_systems.goalsguild.design.goals import (
    Goal,
    GoalStatus,
    Milestone,
    Plan,
    Progress,
    Reminder,
    Task,
    Visibility,
)
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.tables import Prose, Tags, Title
from tablewright_systems.goalsguild.design.timelines import Entry, Kind
from tablewright_systems.goalsguild.service import changes, goals, milestones, reminders, tasks, timelines
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()

_HIDDEN = {"listed_at"}
_HIDDEN_IN_PAGES: dict[str, Any] = {"items": {"__all__": _HIDDEN}}

Percentage = Annotated[Decimal, Field(ge=0, le=100, decimal_places=2)]


class NewGoal(Body):
    """A goal to be set."""

    title: Title
    description: Prose | None = None
    tags: Tags = left_out()
    visibility: Visibility = Visibility.PRIVATE


class GoalChanges(Body):
    """What becomes otherwise of a goal."""

    title: Title = left_out()
    description: Prose | None = None
    tags: Tags = left_out()
    visibility: Visibility = left_out()
    status: GoalStatus = left_out()


class NewTask(Body):
    """A task to be added."""

    title: Title
    due_at: fields.Timestamp | None = None
    nlp_plan: Plan | None = None


class TaskChanges(Body):
    """What becomes otherwise of a task."""

    title: Title = left_out()
    due_at: fields.Timestamp | None = None
    nlp_plan: Plan | None = None
    done: bool = left_out()


class NewMilestone(Body):
    """A milestone to be set."""

    name: Title
    percentage: Percentage
    description: Prose | None = None


class MilestoneChanges(Body):
    """What becomes otherwise of a milestone."""

    name: Title = left_out()
    percentage: Percentage = left_out()
    description: Prose | None = None


class Day(Body):
    """A day of people in a zone."""

    day: date
    zone: str = "UTC"


class Sent(BaseModel):
    """How many were told."""

    count: int


@router.post("/goals", status_code=201)
def create_goal(db: Db, caller: CurrentCaller, body: NewGoal) -> Goal:
    """Set a goal."""
    return goals.create_goal(db, caller, **body.given())


@router.get("/goals")
def my_goals(db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None) -> PageReply[Goal]:
    """Your goals, in the order in which you set them."""
    return PageReply.of(goals.my_goals(db, caller, limit=limit, cursor=cursor))


@router.get("/goals/{goal_id}")
def my_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> Goal:
    """A goal of yours."""
    return goals.my_goal(db, caller, goal_id)


@router.patch("/goals/{goal_id}")
def change_goal(db: Db, caller: CurrentCaller, goal_id: Id, body: GoalChanges) -> Goal:
    """Change a goal of yours: what you leave out stays, what is null goes."""
    return goals.change_goal(db, caller, goal_id, body.given())


@router.delete("/goals/{goal_id}", status_code=204)
def delete_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> None:
    """Delete a goal of yours with its tasks and milestones. If it is interrupted, ask again: it goes on."""
    goals.delete_goal(db, caller, goal_id)


@router.get("/goals/{goal_id}/progress")
def progress(db: Db, caller: CurrentCaller, goal_id: Id) -> Progress:
    """How many tasks a goal of yours has, and how many are done."""
    return goals.progress(db, caller, goal_id)


@router.get("/users/{user_id}/goals/{goal_id}")
def goal_of(db: Db, caller: CurrentCaller, user_id: Id, goal_id: Id) -> Goal:
    """A goal of somebody, if it is public."""
    return goals.goal_of(db, caller, user_id, goal_id)


@router.post("/goals/{goal_id}/tasks", status_code=201, response_model_exclude=_HIDDEN)
def create_task(db: Db, caller: CurrentCaller, goal_id: Id, body: NewTask) -> Task:
    """Add a task to a goal of yours."""
    return tasks.create_task(db, caller, goal_id, **body.given())


@router.get("/goals/{goal_id}/tasks", response_model_exclude=_HIDDEN_IN_PAGES)
def tasks_of_goal(
    db: Db, caller: CurrentCaller, goal_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Task]:
    """The tasks of a goal of yours, in the order in which you added them."""
    return PageReply.of(tasks.tasks_of_goal(db, caller, goal_id, limit=limit, cursor=cursor))


@router.get("/tasks", response_model_exclude=_HIDDEN_IN_PAGES)
def my_tasks(db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None) -> PageReply[Task]:
    """All your tasks by due date, those without one at the end."""
    return PageReply.of(tasks.my_tasks(db, caller, limit=limit, cursor=cursor))


@router.get("/goals/{goal_id}/tasks/{task_id}", response_model_exclude=_HIDDEN)
def my_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> Task:
    """A task of yours."""
    return tasks.my_task(db, caller, goal_id, task_id)


@router.patch("/goals/{goal_id}/tasks/{task_id}", response_model_exclude=_HIDDEN)
def change_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id, body: TaskChanges) -> Task:
    """Change a task of yours: what you leave out stays, what is null goes."""
    return tasks.change_task(db, caller, goal_id, task_id, body.given())


@router.delete("/goals/{goal_id}/tasks/{task_id}", status_code=204)
def delete_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> None:
    """Delete a task of yours."""
    tasks.delete_task(db, caller, goal_id, task_id)


@router.post("/goals/{goal_id}/milestones", status_code=201)
def create_milestone(db: Db, caller: CurrentCaller, goal_id: Id, body: NewMilestone) -> Milestone:
    """Set a milestone on the way to a goal of yours."""
    return milestones.create_milestone(db, caller, goal_id, **body.given())


@router.get("/goals/{goal_id}/milestones")
def milestones_of_goal(
    db: Db, caller: CurrentCaller, goal_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Milestone]:
    """The milestones of a goal of yours."""
    return PageReply.of(milestones.milestones_of_goal(db, caller, goal_id, limit=limit, cursor=cursor))


@router.get("/milestones")
def my_milestones(
    db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Milestone]:
    """All your milestones, in the order of time."""
    return PageReply.of(milestones.my_milestones(db, caller, limit=limit, cursor=cursor))


@router.get("/goals/{goal_id}/milestones/{milestone_id}")
def my_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """A milestone of yours."""
    return milestones.my_milestone(db, caller, goal_id, milestone_id)


@router.patch("/goals/{goal_id}/milestones/{milestone_id}")
def change_milestone(
    db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id, body: MilestoneChanges
) -> Milestone:
    """Change a milestone of yours: what you leave out stays, what is null goes."""
    return milestones.change_milestone(db, caller, goal_id, milestone_id, body.given())


@router.put("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def achieve(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Say that a milestone is achieved; the first time counts."""
    return milestones.achieve(db, caller, goal_id, milestone_id)


@router.delete("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def reopen(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Say that a milestone is not achieved after all."""
    return milestones.reopen(db, caller, goal_id, milestone_id)


@router.delete("/goals/{goal_id}/milestones/{milestone_id}", status_code=204)
def delete_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> None:
    """Delete a milestone of yours."""
    milestones.delete_milestone(db, caller, goal_id, milestone_id)


@router.get("/timeline", response_model_exclude={"items": {"__all__": {"entry": _HIDDEN}}})
def my_timeline(
    db: Db,
    caller: CurrentCaller,
    kinds: Annotated[list[Kind] | None, Query(alias="kind")] = None,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> PageReply[Kinded[Entry]]:
    """What you made, the newest first: everything, or some kinds of it."""
    page = timelines.my_timeline(db, caller, kinds=kinds or tuple(Kind), limit=limit, cursor=cursor)
    return PageReply.map(page, kinded)


@router.get("/timeline/messages")
def my_messages(
    db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Message]:
    """The messages that you put on your timeline."""
    return PageReply.of(timelines.my_messages(db, caller, limit=limit, cursor=cursor))


@router.get("/reminders")
def my_reminders(
    db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Reminder]:
    """What you were reminded of, the latest due date first."""
    return PageReply.of(reminders.my_reminders(db, caller, limit=limit, cursor=cursor))


@router.get("/due-tasks", response_model_exclude={"__all__": _HIDDEN})
def due_tasks(db: Db, caller: CurrentCaller, day: date, zone: str = "UTC") -> list[Task]:
    """The open tasks of everybody that are due on a day. For workers and administrators."""
    return reminders.due_tasks(db, caller, *reminders.day_in(zone, day))


@router.post("/jobs/reminders")
def remind(db: Db, caller: CurrentCaller, body: Day) -> Sent:
    """Remind of what is due on a day; each due date is told once. For workers."""
    return Sent(count=reminders.remind(db, caller, *reminders.day_in(body.zone, body.day)))


@router.post("/jobs/progress")
def follow_progress(db: Db, caller: CurrentCaller) -> Sent:
    """Bring the progress of all goals up to date with the stream. For workers."""
    return Sent(count=changes.follow_progress(db, caller))
