"""Milestones of goals; the time of the first achievement is kept."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from tablewright import Repository, errors, reads
from tablewright_systems.goalsguild.design.goals import Milestone, MilestoneById, MilestonesOfGoal
from tablewright_systems.goalsguild.design.timelines import MilestonesTimeline
from tablewright_systems.goalsguild.service import goals
from tablewright_systems.goalsguild.service.transactions import (
    account_is_active,
    create,
    require_changes,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging


def create_milestone(
    db: Repository,
    caller: Caller,
    goal_id: str,
    *,
    name: str,
    percentage: Decimal,
    description: str | None = None,
) -> Milestone:
    """Add a milestone to a goal of the caller."""
    milestone = Milestone(
        goal_id=goal_id,
        user_id=caller.user_id,
        name=name,
        percentage=percentage,
        description=description,
    )
    return create(db, milestone, goals.lasting(caller.user_id, goal_id), account_is_active(caller.user_id))


def my_milestone(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Return a milestone of the caller."""
    milestone = db.run(_address(caller, goal_id, milestone_id))
    if milestone is None:
        raise NotFound(f"milestone {milestone_id}")
    return milestone


def milestones_of_goal(
    db: Repository, caller: Caller, goal_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Milestone]:
    """Return the milestones of a goal of the caller, oldest first."""
    return paging.run(db, MilestonesOfGoal(user_id=caller.user_id, goal_id=goal_id))


def my_milestones(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Milestone]:
    """Return all milestones of the caller, oldest first."""
    return paging.run(db, MilestonesTimeline(user_id=caller.user_id))


def change_milestone(
    db: Repository, caller: Caller, goal_id: str, milestone_id: str, changes: Mapping[str, Any]
) -> Milestone:
    """Update a milestone of the caller."""
    return db.update(_address(caller, goal_id, milestone_id), set=require_changes(changes))


def achieve(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Mark a milestone as achieved; repeating it keeps the first time."""
    achieved = {"achieved": True, "achieved_at": db.now()}
    try:
        return db.update(
            _address(caller, goal_id, milestone_id),
            set=achieved,
            when=Milestone.achieved == False,  # noqa: E712
        )
    except errors.ConditionNotMet:
        return my_milestone(db, caller, goal_id, milestone_id)


def reopen(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> Milestone:
    """Mark a milestone as not achieved."""
    return db.update(_address(caller, goal_id, milestone_id), set={"achieved": False}, remove=["achieved_at"])


def delete_milestone(db: Repository, caller: Caller, goal_id: str, milestone_id: str) -> None:
    """Delete a milestone of the caller."""
    if not db.delete(_address(caller, goal_id, milestone_id)):
        raise NotFound(f"milestone {milestone_id}")


def _address(caller: Caller, goal_id: str, milestone_id: str) -> MilestoneById:
    return MilestoneById(user_id=caller.user_id, goal_id=goal_id, milestone_id=milestone_id)
