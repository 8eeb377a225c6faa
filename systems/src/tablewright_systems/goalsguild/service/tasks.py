"""Tasks of goals, each with a copy in the partition of its user, by due date."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from tablewright import Repository, errors, reads, writes
from tablewright_systems.goalsguild.design.goals import FAR_OFF, Task, TaskById, TasksOfGoal
from tablewright_systems.goalsguild.service import goals, older_dependents
from tablewright_systems.goalsguild.service.permissions import require_changes, update_as, write_as
from tablewright_systems.service import FIRST_PAGE, Caller, NotFound, Paging


def create_task(db: Repository, caller: Caller, goal_id: str, *, title: str, **details: Any) -> Task:
    """Add a task to a goal of the caller."""
    task = Task(goal_id=goal_id, user_id=caller.user_id, title=title, **details)
    created, *_ = write_as(db, caller, writes.Create(task), goals.lasting(caller.user_id, goal_id))
    return created


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


def change_task(
    db: Repository, caller: Caller, goal_id: str, task_id: str, changes: Mapping[str, Any]
) -> Task:
    """Update a task of the caller; a new due date moves its copy and resets its reminder."""
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


def delete_task(db: Repository, caller: Caller, goal_id: str, task_id: str) -> None:
    """Delete a task of the caller, and its copy."""
    task = my_task(db, caller, goal_id, task_id)
    is_mine = Task.user_id == caller.user_id
    target = TaskById(goal_id=goal_id, task_id=task_id)
    older_dependents.delete_copy(db, task)
    write_as(db, caller, writes.Delete(target, when=is_mine, otherwise=_missing(task_id)))


def _missing(task_id: str) -> writes.Otherwise:
    missing = NotFound(f"task {task_id}")
    return {errors.DoesNotExist: missing, errors.ConditionNotMet: missing}
