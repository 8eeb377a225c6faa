"""Goals, stored in the partition of their user, so that a request cannot reach the goal of another user."""

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
from tablewright_systems.goalsguild.design.tables import Prose, Tags, Title
from tablewright_systems.goalsguild.service import older_dependents
from tablewright_systems.goalsguild.service.permissions import Id, require_changes, update_as, write_as
from tablewright_systems.service import Caller, Invalid, NotFound, erase_all, require_found
from tablewright_systems.web import Body, CurrentCaller, Db, PageRequest, Router, omittable

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
def my_goals(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Goal]:
    """List your goals, oldest first."""
    return paging.run(db, GoalsOfUser(user_id=caller.user_id))
