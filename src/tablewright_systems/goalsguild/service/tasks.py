"""Tasks, stored in the partition of their goal, with a copy in the partition of their user."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from tablewright import Repository, reads
from tablewright_systems.goalsguild.design.goals import FAR_OFF, Task, TaskById, TasksByDueDate, TasksOfGoal
from tablewright_systems.goalsguild.service import goals
from tablewright_systems.goalsguild.service.transactions import (
    account_is_active,
    create,
    require_changes,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def create_task(
    db: Repository,
    caller: Caller,
    goal_id: str,
    *,
    title: str,
    due_at: datetime | None = None,
    nlp_plan: dict[str, Any] | None = None,
) -> Task:
    """Add a task to a goal of the caller."""
    task = Task(goal_id=goal_id, user_id=caller.user_id, title=title, due_at=due_at, nlp_plan=nlp_plan)
    return create(db, task, goals.lasting(caller.user_id, goal_id), account_is_active(caller.user_id))


def my_task(db: Repository, caller: Caller, goal_id: str, task_id: str) -> Task:
    """Return a task of the caller."""
    task = db.run(TaskById(goal_id=goal_id, task_id=task_id))
    if task is None or task.user_id != caller.user_id:
        raise NotFound(f"task {task_id}")
    return task


def tasks_of_goal(
    db: Repository, caller: Caller, goal_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Task]:
    """Return the tasks of a goal of the caller, oldest first."""
    goals.my_goal(db, caller, goal_id)
    return paging.run(db, TasksOfGoal(goal_id=goal_id))


def my_tasks(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Task]:
    """Return all tasks of the caller by due date; tasks without a due date come last."""
    return paging.run(db, TasksByDueDate(user_id=caller.user_id))


def change_task(
    db: Repository, caller: Caller, goal_id: str, task_id: str, changes: Mapping[str, Any]
) -> Task:
    """Update a task of the caller; a new due date moves its copy and resets its reminder."""
    values = require_changes(changes)
    if "due_at" in values:
        values |= {"listed_at": values["due_at"] or FAR_OFF, "reminded_at": None}
    return db.update(my_task(db, caller, goal_id, task_id), set=values)


def delete_task(db: Repository, caller: Caller, goal_id: str, task_id: str) -> None:
    """Delete a task of the caller, and its copy."""
    db.delete(my_task(db, caller, goal_id, task_id))
