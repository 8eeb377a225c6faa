"""Milestones of goals; the time of the first achievement is kept."""

from decimal import Decimal
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, errors, reads, writes
from tablewright_systems.goalsguild.design.goals import Milestone, MilestoneById, MilestonesOfGoal
from tablewright_systems.goalsguild.design.tables import Prose, Title
from tablewright_systems.goalsguild.design.timelines import MilestonesTimeline
from tablewright_systems.goalsguild.service import goals
from tablewright_systems.goalsguild.service.permissions import Id, require_changes, update_as, write_as
from tablewright_systems.service import Caller, Conflict, NotFound, require_found
from tablewright_systems.service.schemas import JSON_NUMBER
from tablewright_systems.web import Body, CurrentCaller, Db, PageRequest, Router, omittable, problems

router = Router("Goals")

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
def my_milestones(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[Milestone]:
    """List all your milestones, oldest first."""
    return paging.run(db, MilestonesTimeline(user_id=caller.user_id))
