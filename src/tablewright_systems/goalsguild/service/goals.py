"""Goals, stored in the partition of their user, so that a request cannot reach the goal of another user."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tablewright import Repository, errors, reads, writes
from tablewright_systems.goalsguild.design.goals import (
    Goal,
    GoalById,
    GoalsOfUser,
    GoalStatus,
    MilestonesOfGoal,
    Progress,
    ProgressOfGoal,
    TasksOfGoal,
    Visibility,
)
from tablewright_systems.goalsguild.service.transactions import (
    Action,
    account_is_active,
    create,
    require_changes,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def create_goal(db: Repository, caller: Caller, *, title: str, **details: Any) -> Goal:
    """Create a goal."""
    goal = Goal(user_id=caller.user_id, title=title, **details)
    count = writes.Create(Progress(goal_id=goal.id)), Conflict("the progress of this goal already exists")
    return create(db, goal, account_is_active(caller.user_id), count)


def my_goal(db: Repository, caller: Caller, goal_id: str) -> Goal:
    """Return a goal of the caller."""
    return goal_of(db, caller, caller.user_id, goal_id)


def goal_of(db: Repository, caller: Caller, user_id: str, goal_id: str) -> Goal:
    """Return a goal of a user: the caller's own, or a public one."""
    goal = db.run(GoalById(user_id=user_id, goal_id=goal_id))
    if goal is None or (user_id != caller.user_id and goal.visibility is not Visibility.PUBLIC):
        raise NotFound(f"goal {goal_id}")
    return goal


def my_goals(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Goal]:
    """Return the goals of the caller, oldest first."""
    return paging.run(db, GoalsOfUser(user_id=caller.user_id))


def change_goal(db: Repository, caller: Caller, goal_id: str, changes: Mapping[str, Any]) -> Goal:
    """Update a goal of the caller, with its copies by tag."""
    if changes.get("status") is GoalStatus.DELETING:
        raise Invalid("to delete a goal, use DELETE", "status")
    target = GoalById(user_id=caller.user_id, goal_id=goal_id)
    return db.update(target, set=require_changes(changes), when=Goal.status != GoalStatus.DELETING)


def progress(db: Repository, caller: Caller, goal_id: str) -> Progress:
    """Return the number of tasks and completed tasks of a goal, as counted from the stream."""
    my_goal(db, caller, goal_id)
    return db.run(ProgressOfGoal(goal_id=goal_id)) or Progress(goal_id=goal_id)


def delete_goal(db: Repository, caller: Caller, goal_id: str) -> None:
    """Delete a goal of the caller with its tasks and milestones; after an interruption, call again to continue."""
    erase(db, my_goal(db, caller, goal_id))


def erase(db: Repository, goal: Goal) -> None:
    """Delete a goal: mark it first, which blocks additions; delete the goal itself last, so it can be found."""
    with suppress(errors.DoesNotExist):  # another request is deleting it, and is ahead
        db.update(goal, set={"status": GoalStatus.DELETING})
    for task in db.iterate(TasksOfGoal(goal_id=goal.id)):
        db.delete(task)
    milestones = MilestonesOfGoal(user_id=goal.user_id, goal_id=goal.id)
    db.batch(writes.Delete(milestone) for milestone in db.iterate(milestones))
    db.delete(ProgressOfGoal(goal_id=goal.id))
    db.delete(goal)


def lasting(user_id: str, goal_id: str) -> Action:
    """Check that a user has a goal that is not being deleted."""
    check = writes.Check(GoalById(user_id=user_id, goal_id=goal_id), Goal.status != GoalStatus.DELETING)
    return check, NotFound(f"goal {goal_id}")
