"""Who appears in the proofs, and what they have."""

from datetime import datetime, timedelta
from typing import Any

from tablewright_systems.goalsguild.design.goals import Goal, Task
from tablewright_systems.goalsguild.design.rooms import Room
from tablewright_systems.goalsguild.service import goals, rooms, tasks, users
from tablewright_systems.identities import Caller
from tablewright_systems.proofs import Stage

MOMENT = timedelta(milliseconds=1)


def member(stage: Stage) -> Caller:
    """Somebody who is registered, under names that nobody has had."""
    name = stage.fresh("Ada")
    caller = stage.caller(email=f"{name}@Example.org")
    users.register(stage.db, caller, nickname=name.replace("-", "."), full_name="Ada")
    return caller


def goal_of(stage: Stage, caller: Caller, title: str = "run", **details: Any) -> Goal:
    """A goal of somebody, a moment later than what was before."""
    stage.clock.advance(MOMENT)
    return goals.create_goal(stage.db, caller, title=title, **details)


def task_of(stage: Stage, goal: Goal, title: str = "train", due_at: datetime | None = None) -> Task:
    """A task of a goal, a moment later than what was before."""
    stage.clock.advance(MOMENT)
    return tasks.create_task(stage.db, Caller(goal.user_id), goal.id, title=title, due_at=due_at)


def room_of(stage: Stage, owner: Caller, *others: Caller) -> Room:
    """A room with some people in it."""
    room = rooms.create_room(stage.db, owner, name="runners")
    for other in others:
        rooms.add_member(stage.db, owner, room.id, other.user_id)
    return room
