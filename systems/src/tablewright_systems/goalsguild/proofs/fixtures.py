"""Test data for the proofs: users, goals, tasks, rooms."""

from datetime import datetime, timedelta
from typing import Any

from tablewright_systems.goalsguild.design.goals import Goal, Task
from tablewright_systems.goalsguild.design.rooms import Room
from tablewright_systems.goalsguild.service import goals, rooms, users
from tablewright_systems.service import Caller
from tablewright_systems.verification import ProofContext

TICK = timedelta(milliseconds=1)


def member(context: ProofContext) -> Caller:
    """Register a user with unique names."""
    name = context.unique_id("Ada")
    caller = context.caller(email=f"{name}@Example.org")
    users.register(context.db, caller, nickname=name.replace("-", "."), full_name="Ada")
    return caller


def goal_of(context: ProofContext, caller: Caller, title: str = "run", **details: Any) -> Goal:
    """Create a goal, at a later time than the entities before it."""
    context.clock.advance(TICK)
    return goals.create_goal(context.db, caller, title=title, **details)


def task_of(context: ProofContext, goal: Goal, title: str = "train", due_at: datetime | None = None) -> Task:
    """Create a task, at a later time than the entities before it."""
    context.clock.advance(TICK)
    return goals.create_task(context.db, Caller(goal.user_id), goal.id, title=title, due_at=due_at)


def room_of(context: ProofContext, owner: Caller, *others: Caller) -> Room:
    """Create a room with members."""
    room = rooms.create_room(context.db, owner, name="runners")
    for other in others:
        rooms.add_member(context.db, owner, room.id, other.user_id)
    return room
