"""Entities of a user through GSI1 (A6, A9), by kind and by time."""

from enum import Enum
from typing import ClassVar, TypeAlias

from tablewright import Query
from tablewright_systems.goalsguild.design.goals import Goal, Milestone, Task
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.users import User

Entry: TypeAlias = Goal | Message | Milestone | Task
"""Entries of a timeline; the profile is in GSI1 too, but is no entry (R28)."""


class Kind(Enum):
    """Value after `ENTITY#` in GSI1SK."""

    GOAL = "Goal"
    MESSAGE = "Message"
    MILESTONE = "Milestone"
    TASK = "Task"


class Timeline(Query[Goal | Message | Milestone | Task | User]):
    """List user entities timeline, ordered by `GSI1SK`: by kind, then by time."""

    user_id: str
    key = "GSI1PK = USER#{user_id}"
    suppress: ClassVar = {
        "TW309": "the document's order, by kind; `service.timelines` merges the kinds by time (R6)"
    }


class MilestonesTimeline(Query[Milestone]):
    """List user milestones timeline."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#Milestone#')"


class MessagesTimeline(Query[Message]):
    """List the messages on the timeline of a user."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#Message#')"


class TimelineOfKind(Query[Entry]):
    """List the entities of one kind of a user, newest first."""

    user_id: str
    entity: Kind
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#{entity}#')"
    descending = True
    suppress: ClassVar = {"TW309": "of one kind at a time, each in the order of time"}
