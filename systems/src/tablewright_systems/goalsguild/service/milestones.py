"""Milestones of goals; the time of the first achievement is kept."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright import Repository, errors, writes
from tablewright_systems.goalsguild.design.goals import Milestone, MilestoneById
from tablewright_systems.goalsguild.service import goals
from tablewright_systems.goalsguild.service.permissions import require_changes, update_as, write_as
from tablewright_systems.service import Caller, Conflict, NotFound, require_found


def create_milestone(
    db: Repository, caller: Caller, goal_id: str, *, name: str, percentage: Decimal, **details: Any
) -> Milestone:
    """Add a milestone to a goal of the caller."""
    milestone = Milestone(
        goal_id=goal_id, user_id=caller.user_id, name=name, percentage=percentage, **details
    )
    created, *_ = write_as(db, caller, writes.Create(milestone), goals.lasting(caller.user_id, goal_id))
    return created


def my_milestone(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Return a milestone of the caller."""
    return require_found(db.run(_by_id(caller, goal_id, milestone_id)), f"milestone {milestone_id}")


def change_milestone(
    db: Repository, caller: Caller, goal_id: str, milestone_id: str, changes: Mapping[str, Any]
) -> Milestone:
    """Update a milestone of the caller."""
    return _update(db, caller, goal_id, milestone_id, require_changes(changes))


def achieve(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Mark a milestone as achieved; repeating it keeps the first time."""
    achieved = {"achieved": True, "achieved_at": db.now()}
    is_open = Milestone.achieved == False  # noqa: E712
    try:
        return _update(db, caller, goal_id, milestone_id, achieved, is_open)
    except Conflict:
        return my_milestone(db, caller, goal_id, milestone_id)


def reopen(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Mark a milestone as not achieved."""
    return _update(db, caller, goal_id, milestone_id, {"achieved": False, "achieved_at": None})


def delete_milestone(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> None:
    """Delete a milestone of the caller."""
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
