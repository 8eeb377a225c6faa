"""Goals, stored in the partition of their user, so that a request cannot reach the goal of another user."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tablewright import Repository, errors, writes
from tablewright_systems.goalsguild.design.goals import (
    Goal,
    GoalById,
    GoalStatus,
    MilestonesOfGoal,
    Progress,
    ProgressOfGoal,
    TasksOfGoal,
    Visibility,
)
from tablewright_systems.goalsguild.service import older_dependents
from tablewright_systems.goalsguild.service.permissions import require_changes, update_as, write_as
from tablewright_systems.service import Caller, Invalid, NotFound, erase_all, require_found


def create_goal(db: Repository, caller: Caller, *, title: str, **details: Any) -> Goal:
    """Create a goal."""
    goal = Goal(user_id=caller.user_id, title=title, **details)
    created, *_ = write_as(db, caller, writes.Create(goal), writes.Create(Progress(goal_id=goal.id)))
    return created


def my_goal(db: Repository, caller: Caller, goal_id: str) -> Goal:
    """Return a goal of the caller."""
    return require_found(db.run(GoalById(user_id=caller.user_id, goal_id=goal_id)), f"goal {goal_id}")


def goal_of(db: Repository, caller: Caller, user_id: str, goal_id: str) -> Goal:
    """Return a goal of a user: the caller's own, or a public one."""
    goal = my_goal(db, Caller(user_id), goal_id)
    if user_id != caller.user_id and not is_public(goal):
        raise NotFound(f"goal {goal_id}")
    return goal


def is_public(goal: Goal) -> bool:
    """Whether other users can see a goal."""
    return goal.visibility is Visibility.PUBLIC and goal.status != GoalStatus.DELETING


def change_goal(db: Repository, caller: Caller, goal_id: str, changes: Mapping[str, Any]) -> Goal:
    """Update a goal of the caller, with its copies by tag."""
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


def progress(db: Repository, caller: Caller, goal_id: str) -> Progress:
    """Return the number of tasks and completed tasks of a goal, as counted from the stream."""
    my_goal(db, caller, goal_id)
    return db.run(ProgressOfGoal(goal_id=goal_id)) or Progress(goal_id=goal_id)


def delete_goal(db: Repository, caller: Caller, goal_id: str) -> None:
    """Delete a goal of the caller with its tasks and milestones; after an interruption, call again to continue.

    The goal is marked first, which blocks additions.
    """
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
