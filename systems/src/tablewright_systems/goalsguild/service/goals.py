"""Goals, stored in the partition of their user, so that a request cannot reach the goal of another user.

A task has a copy in the partition of its user, by due date. The time of the first achievement of a milestone is kept.

Timelines: what a user created, by time. GSI1 has each kind in the order of time, and the kinds one behind the other. So
each kind is read as a list, and the lists are merged by what follows the kind in the sort key: the time and the ID.
"""

from contextlib import suppress
from decimal import Decimal
from functools import partial
from typing import Annotated, Any

from fastapi import Query
from pydantic import Field

from tablewright import Repository, errors, reads, writes
from tablewright_systems.goalsguild.design.goals import (
    FAR_OFF,
    Entry,
    Goal,
    GoalById,
    GoalsOfUser,
    GoalStatus,
    Kind,
    MessagesTimeline,
    Milestone,
    MilestoneById,
    MilestonesOfGoal,
    MilestonesTimeline,
    Plan,
    Progress,
    ProgressOfGoal,
    Task,
    TaskById,
    TasksByDueDate,
    TasksOfGoal,
    Timeline,
    TimelineOfKind,
)
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.tables import Prose, Tags, Title, Visibility
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.goalsguild.service import goals, older_dependents
from tablewright_systems.goalsguild.service.permissions import Id, require_changes, update_as, write_as
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Invalid,
    NotFound,
    erase_all,
    require_found,
)
from tablewright_systems.service.schemas import JSON_NUMBER, Time
from tablewright_systems.web import (
    Body,
    CurrentCaller,
    Db,
    MixedEntries,
    PageRequest,
    Router,
    omittable,
    problems,
)

router = Router("Goals", "Goals, tasks, milestones and reminders.")


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


@router.post("/goals", body=NewGoal, status_code=201)
def create_goal(db: Db, caller: CurrentCaller, *, title: str, **details: Any) -> Goal:
    """Create a goal."""
    goal = Goal(user_id=caller.user_id, title=title, **details)
    created, *_ = write_as(db, caller, writes.Create(goal), writes.Create(Progress(goal_id=goal.id)))
    return created


@router.get("/goals/{goal_id}")
def my_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> Goal:
    """Get one of your goals."""
    return require_found(db.run(GoalById(user_id=caller.user_id, goal_id=goal_id)), f"goal {goal_id}")


@router.get("/users/{user_id}/goals/{goal_id}")
def goal_of(db: Db, caller: CurrentCaller, user_id: Id, goal_id: Id) -> Goal:
    """Get a public goal of another user."""
    goal = my_goal(db, Caller(user_id), goal_id)
    if user_id != caller.user_id and not is_public(goal):
        raise NotFound(f"goal {goal_id}")
    return goal


def is_public(goal: Goal) -> bool:
    """Whether other users can see a goal."""
    return goal.visibility is Visibility.PUBLIC and goal.status != GoalStatus.DELETING


@router.patch("/goals/{goal_id}", body=GoalChanges)
def change_goal(db: Db, caller: CurrentCaller, goal_id: Id, **changes: Any) -> Goal:
    """Update one of your goals.

    Omitted fields are unchanged; null removes a field.
    """
    if changes.get("status") == GoalStatus.DELETING:
        raise Invalid("to delete a goal, use DELETE", "status")
    return update_as(
        db,
        caller,
        GoalById(user_id=caller.user_id, goal_id=goal_id),
        changes=require_changes(changes),
        when=Goal.status != GoalStatus.DELETING,
        otherwise=NotFound(f"goal {goal_id}"),
    )


@router.get("/goals/{goal_id}/progress")
def progress(db: Db, caller: CurrentCaller, goal_id: Id) -> Progress:
    """Get the number of tasks and completed tasks of one of your goals.

    A background job counts the tasks every few seconds: a change of a task appears here after its next run.
    `GET /goals/{goalId}/tasks` is always current.
    """
    my_goal(db, caller, goal_id)
    return db.run(ProgressOfGoal(goal_id=goal_id)) or Progress(goal_id=goal_id)


@router.delete("/goals/{goal_id}", status_code=204)
def delete_goal(db: Db, caller: CurrentCaller, goal_id: Id) -> None:
    """Delete one of your goals with its tasks and milestones.

    If the deletion is interrupted, send the request again to continue it.
    """
    # After an interruption, call again to continue.
    # The goal is marked first, which blocks additions.
    target = GoalById(user_id=caller.user_id, goal_id=goal_id)
    deleting = {"status": GoalStatus.DELETING}
    _delete_parts(db, update_as(db, caller, target, changes=deleting, otherwise=NotFound(f"goal {goal_id}")))


def erase(db: Repository, goal: Goal) -> None:
    """Delete a goal of an account that is being deleted."""
    with suppress(errors.DoesNotExist):
        db.update(goal, set={"status": GoalStatus.DELETING})
    _delete_parts(db, goal)


def lasting(user_id: str, goal_id: str) -> writes.Check[Goal]:
    """Check that a user has a goal that is not being deleted."""
    return writes.Check(
        GoalById(user_id=user_id, goal_id=goal_id),
        Goal.status != GoalStatus.DELETING,
        otherwise=NotFound(f"goal {goal_id}"),
    )


def _delete_parts(db: Repository, goal: Goal) -> None:
    """Delete tasks, milestones and progress of a goal; the goal itself last, so that it can be found again."""
    for task in db.iterate(TasksOfGoal(goal_id=goal.id), unknown="skip"):
        if task.user_id == goal.user_id:
            older_dependents.delete_copy(db, task)
            db.delete(task)
    erase_all(db, MilestonesOfGoal(user_id=goal.user_id, goal_id=goal.id))
    db.delete(ProgressOfGoal(goal_id=goal.id))
    db.delete(goal)


@router.get("/goals")
def my_goals(db: Db, caller: CurrentCaller) -> GoalsOfUser:
    """List your goals, oldest first."""
    return GoalsOfUser(user_id=caller.user_id)


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


@router.post("/goals/{goal_id}/tasks", body=NewTask, status_code=201)
def create_task(db: Db, caller: CurrentCaller, goal_id: Id, *, title: str, **details: Any) -> Task:
    """Add a task to one of your goals."""
    task = Task(goal_id=goal_id, user_id=caller.user_id, title=title, **details)
    created, *_ = write_as(db, caller, writes.Create(task), goals.lasting(caller.user_id, goal_id))
    return created


@router.get("/goals/{goal_id}/tasks/{task_id}")
def my_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> Task:
    """Get one of your tasks."""
    task = db.run(TaskById(goal_id=goal_id, task_id=task_id))
    if task is None or task.user_id != caller.user_id:
        raise NotFound(f"task {task_id}")
    return task


@router.get("/goals/{goal_id}/tasks")
def tasks_of_goal(
    db: Db, caller: CurrentCaller, goal_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Task]:
    """List the tasks of one of your goals, oldest first."""
    goals.my_goal(db, caller, goal_id)
    return paging.run(db, TasksOfGoal(goal_id=goal_id))


@router.patch("/goals/{goal_id}/tasks/{task_id}", body=TaskChanges)
def change_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id, **changes: Any) -> Task:
    """Update one of your tasks.

    Omitted fields are unchanged; null removes a field.
    """
    # A new due date moves its copy and resets its reminder.
    values = require_changes(changes)
    if "due_at" in values:
        values |= {"listed_at": values["due_at"] or FAR_OFF, "reminded_at": None}
    update = partial(
        update_as,
        db,
        caller,
        TaskById(goal_id=goal_id, task_id=task_id),
        changes=values,
        when=Task.user_id == caller.user_id,
        otherwise=_missing(task_id),
    )
    try:
        return update()
    except errors.CopyBlocked:
        older_dependents.delete_copy(db, my_task(db, caller, goal_id, task_id))
        return update()


@router.delete("/goals/{goal_id}/tasks/{task_id}", status_code=204)
def delete_task(db: Db, caller: CurrentCaller, goal_id: Id, task_id: Id) -> None:
    """Delete one of your tasks."""
    task = my_task(db, caller, goal_id, task_id)
    is_mine = Task.user_id == caller.user_id
    target = TaskById(goal_id=goal_id, task_id=task_id)
    older_dependents.delete_copy(db, task)
    write_as(db, caller, writes.Delete(target, when=is_mine, otherwise=_missing(task_id)))


def _missing(task_id: str) -> writes.Otherwise:
    missing = NotFound(f"task {task_id}")
    return {errors.DoesNotExist: missing, errors.ConditionNotMet: missing}


@router.get("/tasks")
def my_tasks(db: Db, caller: CurrentCaller) -> TasksByDueDate:
    """List all your tasks by due date; tasks without a due date come last."""
    return TasksByDueDate(user_id=caller.user_id)


Percentage = Annotated[Decimal, Field(ge=0, le=100, decimal_places=2), *JSON_NUMBER]


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


@router.post("/goals/{goal_id}/milestones", body=NewMilestone, status_code=201)
def create_milestone(
    db: Db, caller: CurrentCaller, goal_id: Id, *, name: str, percentage: Decimal, **details: Any
) -> Milestone:
    """Add a milestone to one of your goals."""
    milestone = Milestone(
        goal_id=goal_id, user_id=caller.user_id, name=name, percentage=percentage, **details
    )
    created, *_ = write_as(db, caller, writes.Create(milestone), goals.lasting(caller.user_id, goal_id))
    return created


@router.get("/goals/{goal_id}/milestones/{milestone_id}")
def my_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Get one of your milestones."""
    return require_found(db.run(_by_id(caller, goal_id, milestone_id)), f"milestone {milestone_id}")


@router.patch("/goals/{goal_id}/milestones/{milestone_id}", body=MilestoneChanges)
def change_milestone(
    db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id, **changes: Any
) -> Milestone:
    """Update one of your milestones.

    Omitted fields are unchanged; null removes a field.
    """
    return _update(db, caller, goal_id, milestone_id, require_changes(changes))


@router.put("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def achieve(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Mark a milestone as achieved; repeating the request keeps the first time."""
    # Repeating it keeps the first time.
    achieved = {"achieved": True, "achieved_at": db.now()}
    is_open = Milestone.achieved == False  # noqa: E712
    try:
        return _update(db, caller, goal_id, milestone_id, achieved, is_open)
    except Conflict:
        return my_milestone(db, caller, goal_id, milestone_id)


@router.delete("/goals/{goal_id}/milestones/{milestone_id}/achievement")
def reopen(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> Milestone:
    """Mark a milestone as not achieved."""
    return _update(db, caller, goal_id, milestone_id, {"achieved": False, "achieved_at": None})


@router.delete("/goals/{goal_id}/milestones/{milestone_id}", status_code=204)
def delete_milestone(db: Db, caller: CurrentCaller, goal_id: Id, milestone_id: Id) -> None:
    """Delete one of your milestones."""
    missing = NotFound(f"milestone {milestone_id}")
    exists = Milestone.user_id == caller.user_id
    write_as(db, caller, writes.Delete(_by_id(caller, goal_id, milestone_id), when=exists, otherwise=missing))


def _update(
    db: Repository,
    caller: Caller,
    goal_id: str,
    milestone_id: str,
    changes: dict[str, Any],
    when: writes.When = None,
) -> Milestone:
    otherwise = {
        errors.DoesNotExist: NotFound(f"milestone {milestone_id}"),
        errors.ConditionNotMet: Conflict("this milestone is achieved already"),
    }
    target = _by_id(caller, goal_id, milestone_id)
    return update_as(db, caller, target, changes=changes, when=when, otherwise=otherwise)


def _by_id(caller: Caller, goal_id: str, milestone_id: str) -> MilestoneById:
    return MilestoneById(user_id=caller.user_id, goal_id=goal_id, milestone_id=milestone_id)


@router.get("/goals/{goal_id}/milestones", responses=problems())
def milestones_of_goal(
    db: Db, caller: CurrentCaller, goal_id: Id, paging: PageRequest
) -> reads.Page[Milestone]:
    """List the milestones of one of your goals."""
    return paging.run(db, MilestonesOfGoal(user_id=caller.user_id, goal_id=goal_id))


@router.get("/milestones")
def my_milestones(db: Db, caller: CurrentCaller) -> MilestonesTimeline:
    """List all your milestones, oldest first."""
    return MilestonesTimeline(user_id=caller.user_id)


TIMELINE = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task)

ENTITIES = MixedEntries(Goal=Goal, Message=Message, Milestone=Milestone, Task=Task, User=User)


@router.get("/timeline", reply=TIMELINE)
def my_timeline(
    db: Db,
    caller: CurrentCaller,
    paging: PageRequest = FIRST_PAGE,
    kinds: Annotated[list[Kind] | None, Query(alias="kind")] = None,
) -> reads.Page[Entry]:
    """List what you created, newest first, optionally of some kinds only."""
    lists = [TimelineOfKind(user_id=caller.user_id, entity=kind) for kind in dict.fromkeys(kinds or Kind)]
    return paging.run(db, reads.Merged(lists, ignore_prefix=True))


@router.get("/timeline/by-kind", reply=ENTITIES)
def my_entities(db: Db, caller: CurrentCaller) -> Timeline:
    """List your profile and what you created, by kind, and each kind oldest first."""
    return Timeline(user_id=caller.user_id)


@router.get("/timeline/messages")
def my_messages(db: Db, caller: CurrentCaller) -> MessagesTimeline:
    """List the messages on your timeline, oldest first."""
    return MessagesTimeline(user_id=caller.user_id)
