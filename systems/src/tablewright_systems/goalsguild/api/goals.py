"""HTTP endpoints for goals, tasks, milestones, reminders and timelines."""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from tablewright_systems.goalsguild.api.bodies import Id
from tablewright_systems.goalsguild.design.goals import (
    Goal,
    GoalsOfUser,
    GoalStatus,
    Milestone,
    MilestonesOfGoal,
    Plan,
    Progress,
    Reminder,
    RemindersOfUser,
    Task,
    TasksByDueDate,
    Visibility,
)
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.tables import Prose, Tags, Title
from tablewright_systems.goalsguild.design.timelines import (
    Kind,
    MessagesTimeline,
    MilestonesTimeline,
    Timeline,
)
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.goalsguild.service import (
    goals,
    milestones,
    reminders,
    tasks,
    timelines,
)
from tablewright_systems.service.schemas import JSON_NUMBER, Time
from tablewright_systems.web import (
    Body,
    CurrentCaller,
    Db,
    MixedEntries,
    PageReply,
    PageRequest,
    Router,
    omittable,
    problems,
)

router = Router("Goals", "Goals, tasks, milestones and reminders.")

TIMELINE = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task)
ENTITIES = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task, User=User)

Percentage = Annotated[Decimal, Field(ge=0, le=100, decimal_places=2), *JSON_NUMBER]


class NewGoal(Body):
    """A new goal."""

    title: Title
    description: Prose | None = None
    tags: Tags = omittable()
    visibility: Visibility = Visibility.PRIVATE


class GoalChanges(Body):
    """Changes to a goal."""

    title: Title = omittable()
    description: Prose | None = None
    tags: Tags = omittable()
    visibility: Visibility = omittable()
    status: GoalStatus = omittable()


class NewTask(Body):
    """A new task."""

    title: Title
    due_at: Time | None = None
    nlp_plan: Plan | None = None


class TaskChanges(Body):
    """Changes to a task."""

    title: Title = omittable()
    due_at: Time | None = None
    nlp_plan: Plan | None = None
    done: bool = omittable()


class NewMilestone(Body):
    """A new milestone."""

    name: Title
    percentage: Percentage
    description: Prose | None = None


class MilestoneChanges(Body):
    """Changes to a milestone."""

    name: Title = omittable()
    percentage: Percentage = omittable()
    description: Prose | None = None


@router.post("/goals", status_code=201)
def create_goal(db: Db, caller: CurrentCaller, body: NewGoal) -> Goal:
    """Create a goal."""
    return goals.create_goal(db, caller, **body.given())


@router.get("/goals")
def my_goals(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Goal]:
    """List your goals, oldest first."""
    return PageReply.of(paging.run(db, GoalsOfUser(user_id=caller.user_id)))


@router.get("/goals/{goal_id}")
def my_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> Goal:
    """Get one of your goals."""
    return goals.my_goal(db, caller, goal_id)


@router.patch("/goals/{goal_id}")
def change_goal(db: Db, caller: CurrentCaller, goal_id: Id, body: GoalChanges) -> Goal:
    """Update one of your goals.

    Omitted fields are unchanged; null removes a field.
    """
    return goals.change_goal(db, caller, goal_id, body.given())


@router.delete("/goals/{goal_id}", status_code=204)
def delete_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> None:
    """Delete one of your goals with its tasks and milestones.

    If the deletion is interrupted, send the request again to continue it.
    """
    goals.delete_goal(db, caller, goal_id)


@router.get("/goals/{goal_id}/progress")
def progress(db: Db, caller: CurrentCaller, goal_id: Id) -> Progress:
    """Get the number of tasks and completed tasks of one of your goals.

    A background job counts the tasks every few seconds: a change of a task appears here after its next run.
    `GET /goals/{goalId}/tasks` is always current.
    """
    return goals.progress(db, caller, goal_id)


@router.get("/users/{user_id}/goals/{goal_id}")
def goal_of(db: Db, caller: CurrentCaller, user_id: Id, goal_id: Id) -> Goal:
    """Get a public goal of another user."""
    return goals.goal_of(db, caller, user_id, goal_id)


@router.post("/goals/{goal_id}/tasks", status_code=201)
def create_task(db: Db, caller: CurrentCaller, goal_id: Id, body: NewTask) -> Task:
    """Add a task to one of your goals."""
    return tasks.create_task(db, caller, goal_id, **body.given())


@router.get("/goals/{goal_id}/tasks")
def tasks_of_goal(db: Db, caller: CurrentCaller, goal_id: Id, paging: PageRequest) -> PageReply[Task]:
    """List the tasks of one of your goals, oldest first."""
    return PageReply.of(tasks.tasks_of_goal(db, caller, goal_id, paging))


@router.get("/tasks")
def my_tasks(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Task]:
    """List all your tasks by due date; tasks without a due date come last."""
    return PageReply.of(paging.run(db, TasksByDueDate(user_id=caller.user_id)))


@router.get("/goals/{goal_id}/tasks/{task_id}")
def my_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> Task:
    """Get one of your tasks."""
    return tasks.my_task(db, caller, goal_id, task_id)


@router.patch("/goals/{goal_id}/tasks/{task_id}")
def change_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id, body: TaskChanges) -> Task:
    """Update one of your tasks.

    Omitted fields are unchanged; null removes a field.
    """
    return tasks.change_task(db, caller, goal_id, task_id, body.given())


@router.delete("/goals/{goal_id}/tasks/{task_id}", status_code=204)
def delete_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> None:
    """Delete one of your tasks."""
    tasks.delete_task(db, caller, goal_id, task_id)


@router.post("/goals/{goal_id}/milestones", status_code=201)
def create_milestone(db: Db, caller: CurrentCaller, goal_id: Id, body: NewMilestone) -> Milestone:
    """Add a milestone to one of your goals."""
    return milestones.create_milestone(db, caller, goal_id, **body.given())


@router.get("/goals/{goal_id}/milestones", responses=problems())
def milestones_of_goal(
    db: Db, caller: CurrentCaller, goal_id: Id, paging: PageRequest
) -> PageReply[Milestone]:
    """List the milestones of one of your goals."""
    return PageReply.of(paging.run(db, MilestonesOfGoal(user_id=caller.user_id, goal_id=goal_id)))


@router.get("/milestones")
def my_milestones(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Milestone]:
    """List all your milestones, oldest first."""
    return PageReply.of(paging.run(db, MilestonesTimeline(user_id=caller.user_id)))


@router.get("/goals/{goal_id}/milestones/{milestone_id}")
def my_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Get one of your milestones."""
    return milestones.my_milestone(db, caller, goal_id, milestone_id)


@router.patch("/goals/{goal_id}/milestones/{milestone_id}")
def change_milestone(
    db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id, body: MilestoneChanges
) -> Milestone:
    """Update one of your milestones.

    Omitted fields are unchanged; null removes a field.
    """
    return milestones.change_milestone(db, caller, goal_id, milestone_id, body.given())


@router.put("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def achieve(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Mark a milestone as achieved; repeating the request keeps the first time."""
    return milestones.achieve(db, caller, goal_id, milestone_id)


@router.delete("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def reopen(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Mark a milestone as not achieved."""
    return milestones.reopen(db, caller, goal_id, milestone_id)


@router.delete("/goals/{goal_id}/milestones/{milestone_id}", status_code=204)
def delete_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> None:
    """Delete one of your milestones."""
    milestones.delete_milestone(db, caller, goal_id, milestone_id)


@router.get("/timeline", response_model=TIMELINE.page)
def my_timeline(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest,
    kinds: Annotated[list[Kind] | None, Query(alias="kind")] = None,
) -> PageReply[Any]:
    """List what you created, newest first, optionally of some kinds only."""
    return PageReply.map(timelines.my_timeline(db, caller, paging, kinds or tuple(Kind)), TIMELINE.entry)


@router.get("/timeline/by-kind", response_model=ENTITIES.page)
def my_entities(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Any]:
    """List your profile and what you created, by kind, and each kind oldest first."""
    return PageReply.map(paging.run(db, Timeline(user_id=caller.user_id)), ENTITIES.entry)


@router.get("/timeline/messages")
def my_messages(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Message]:
    """List the messages on your timeline, oldest first."""
    return PageReply.of(paging.run(db, MessagesTimeline(user_id=caller.user_id)))


@router.get("/reminders")
def my_reminders(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Reminder]:
    """List your reminders, latest due date first."""
    return PageReply.of(paging.run(db, RemindersOfUser(user_id=caller.user_id)))


@router.get("/due-tasks", responses=problems(403))
def due_tasks(
    db: Db, caller: CurrentCaller, paging: PageRequest, day: date, zone: str = "UTC"
) -> PageReply[Task]:
    """List the open tasks of all users that are due on a day, by due date (workers, administrators)."""
    return PageReply.of(reminders.due_tasks(db, caller, *reminders.day_in(zone, day), paging))
