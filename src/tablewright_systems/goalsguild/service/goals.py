"""Goals: they lie with their user, so that nobody else's can be named by mistake."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from tablewright import Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Invalid, NotFound
from tablewright_systems.authentication import Caller
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
from tablewright_systems.goalsguild.service.deeds import Feed, Step, active, changed, create, read


def create_goal(db: Repository, caller: Caller, *, title: str, **details: Any) -> Goal:
    """Set a goal."""
    goal = Goal(user_id=caller.user_id, title=title, **details)
    count = writes.Create(Progress(goal_id=goal.id)), Conflict("this goal is counted already")
    return create(db, goal, active(caller.user_id), count)


def my_goal(db: Repository, caller: Caller, goal_id: str) -> Goal:
    """A goal of the caller."""
    return goal_of(db, caller, caller.user_id, goal_id)


def goal_of(db: Repository, caller: Caller, user_id: str, goal_id: str) -> Goal:
    """A goal of a user: one's own, or one that is public."""
    goal = db.run(GoalById(user_id=user_id, goal_id=goal_id))
    if goal is None or (user_id != caller.user_id and goal.visibility is not Visibility.PUBLIC):
        raise NotFound(f"goal {goal_id}")
    return goal


def my_goals(db: Repository, caller: Caller, *, limit: int = 20, cursor: str | None = None) -> Feed[Goal]:
    """The goals of the caller, in the order in which they were set."""
    return read(db, GoalsOfUser(user_id=caller.user_id), limit, cursor)


def change_goal(db: Repository, caller: Caller, goal_id: str, changes: Mapping[str, Any]) -> Goal:
    """Change a goal of the caller; tags, and who may see them, follow."""
    if changes.get("status") is GoalStatus.DELETING:
        raise Invalid("a goal is deleted by deleting it", "status")
    target = GoalById(user_id=caller.user_id, goal_id=goal_id)
    return db.update(target, set=changed(changes), when=Goal.status != GoalStatus.DELETING)


def progress(db: Repository, caller: Caller, goal_id: str) -> Progress:
    """How many tasks a goal of the caller has, and how many are done: as the stream told by now."""
    my_goal(db, caller, goal_id)
    return db.run(ProgressOfGoal(goal_id=goal_id)) or Progress(goal_id=goal_id)


def delete_goal(db: Repository, caller: Caller, goal_id: str) -> None:
    """Remove a goal of the caller with its tasks and milestones; who is interrupted calls again, and it goes on."""
    erase(db, my_goal(db, caller, goal_id))


def erase(db: Repository, goal: Goal) -> None:
    """Remove a goal: marked first, so that nothing comes to it any more, and itself last, so that it can be found."""
    with suppress(errors.DoesNotExist):  # somebody else is erasing it, and is further
        db.update(goal, set={"status": GoalStatus.DELETING})
    for task in db.iterate(TasksOfGoal(goal_id=goal.id)):
        db.delete(task)
    milestones = MilestonesOfGoal(user_id=goal.user_id, goal_id=goal.id)
    db.batch(writes.Delete(milestone) for milestone in db.iterate(milestones))
    db.delete(ProgressOfGoal(goal_id=goal.id))
    db.delete(goal)


def lasting(user_id: str, goal_id: str) -> Step:
    """That a user has a goal, and that it is not about to go."""
    check = writes.Check(GoalById(user_id=user_id, goal_id=goal_id), Goal.status != GoalStatus.DELETING)
    return check, NotFound(f"goal {goal_id}")
