"""What a user owns, through GSI1 (003:12, 80, 85): as the document groups it, by kind, and in the order of time."""

from enum import Enum
from typing import ClassVar, TypeAlias

from tablewright import Query, fields
from tablewright_systems.goalsguild.design.goals import Goal, Milestone, Task
from tablewright_systems.goalsguild.design.rooms import Message
from tablewright_systems.goalsguild.design.users import User

Entry: TypeAlias = Goal | Message | Milestone | Task
"""What happens to a user; the profile itself is in GSI1 too, and is no event (T28)."""


class Kind(Enum):
    """What stands behind `ENTITY#` in GSI1SK."""

    GOAL = "Goal"
    MESSAGE = "Message"
    MILESTONE = "Milestone"
    TASK = "Task"


class Timeline(Query[Goal | Message | Milestone | Task | User]):
    """List user entities timeline, ordered by `GSI1SK`: kind by kind, each in the order of time."""

    user_id: str
    key = "GSI1PK = USER#{user_id}"
    suppress: ClassVar = {
        "TW309": "the document's order, by kind; `service.timelines` merges the kinds by time (T6)"
    }


class MilestonesTimeline(Query[Milestone]):
    """List user milestones timeline."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#Milestone#')"


class MessagesTimeline(Query[Message]):
    """List the messages that a user put on the timeline."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#Message#')"


class TimelineOfKind(Query[Entry]):
    """List what a user owns of one kind, the newest first."""

    user_id: str
    entity: Kind
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, 'ENTITY#{entity}#')"
    newest_first = True
    suppress: ClassVar = {"TW309": "of one kind at a time, each in the order of time"}


class KindBefore(Query[Entry]):
    """What a user owns of one kind up to an entry of the timeline, the newest first."""

    user_id: str
    entity: Kind
    created_at: fields.Timestamp
    id: str
    key = "GSI1PK = USER#{user_id} AND GSI1SK BETWEEN ENTITY#{entity}# AND ENTITY#{entity}#{created_at}#{id}"
    newest_first = True
    suppress: ClassVar = {
        "TW109": "no Kind is a User",
        "TW309": "of one kind at a time, each in the order of time",
    }
