"""Tasks of goals, each with a copy in the partition of its user, by due date."""

from functools import partial
from typing import Any

from tablewright import errors, reads, writes
from tablewright_systems.goalsguild.design.goals import (
    FAR_OFF,
    Plan,
    Task,
    TaskById,
    TasksByDueDate,
    TasksOfGoal,
)
from tablewright_systems.goalsguild.design.tables import Title
from tablewright_systems.goalsguild.service import goals, older_dependents
from tablewright_systems.goalsguild.service.permissions import Id, require_changes, update_as, write_as
from tablewright_systems.service import FIRST_PAGE, NotFound
from tablewright_systems.service.schemas import Time
from tablewright_systems.web import Body, CurrentCaller, Db, PageRequest, Router, omittable

router = Router("Goals")


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
def my_tasks(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Task]:
    """List all your tasks by due date; tasks without a due date come last."""
    return paging.run(db, TasksByDueDate(user_id=caller.user_id))
