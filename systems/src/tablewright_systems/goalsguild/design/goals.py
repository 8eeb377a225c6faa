"""Goals with their tasks and milestones (F4), reminders of tasks, and progress of goals."""

import json
from datetime import UTC, date, datetime, timedelta
from enum import Enum, StrEnum
from typing import Annotated, Any, ClassVar, Self, TypeAlias

from pydantic import AfterValidator, Field, PlainSerializer, model_validator

from tablewright import Copy, Entity, Get, Keys, Query, Scan, Sparse, fields
from tablewright_systems.goalsguild.design.rooms import AssistMsg, Message
from tablewright_systems.goalsguild.design.tables import (
    Id,
    Number,
    StoredTags,
    Visibility,
    core,
    to_json_numbers,
)
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.service import Timestamped
from tablewright_systems.service.schemas import EPOCH_AS_TIME
from tablewright_systems.service.stored_values import StoredTime

FAR_OFF = datetime(9999, 12, 31, tzinfo=UTC)
"""Sort position of a task without a due date: last."""

SHARDS = 16
"""Number of partitions for the tasks of one day."""

MAX_PLAN_SIZE = 16 * 1024


class GoalStatus(StrEnum):
    """The document gives no values (R27). Items of other programs may have others, which are kept."""

    ACTIVE = "active"
    COMPLETED = "completed"
    ARCHIVED = "archived"
    DELETING = "deleting"


class Goal(Timestamped, table=core, type="Goal"):
    """A goal of a user."""

    id: str = fields.new_id()
    user_id: Id
    title: str
    description: str | None = None
    tags: StoredTags = Field(default_factory=list)
    status: str = GoalStatus.ACTIVE
    visibility: Visibility = Visibility.PRIVATE

    keys = Keys(
        primary=("USER#{user_id}", "GOAL#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Goal#{created_at}#{id}"),
    )
    tagged = Copy(
        type="GoalTag",
        each="tags",
        name="tag",
        fields=("id", "user_id", "title", "status", "visibility", "created_at"),
        primary=("GOAL#{id}", "TAG#{tag}"),
        GSI5=Sparse("TAG#{tag}", "Goal#{id}", when={"visibility": Visibility.PUBLIC}),
    )


def _bounded(plan: dict[str, Any]) -> dict[str, Any]:
    if len(json.dumps(plan, default=str)) > MAX_PLAN_SIZE:
        raise ValueError(f"a plan can have at most {MAX_PLAN_SIZE} characters of JSON")
    return plan


StoredPlan = Annotated[Any, PlainSerializer(to_json_numbers, when_used="json")]
"""Plan of a language model for a task. The document gives no type (R35): other programs may have stored any value."""

Plan = Annotated[dict[str, Any], AfterValidator(_bounded)]
"""Plan that a client sends: a map of limited size."""


def _place_in_list(task: dict[str, Any]) -> datetime:
    due_at: datetime | None = task.get("due_at")
    return due_at or FAR_OFF


class Task(Timestamped, table=core, type="Task"):
    """A task of a goal, with a copy in the partition of its user, by due date."""

    id: str = fields.new_id()
    goal_id: str
    user_id: Id
    title: str
    due_at: StoredTime | None = None
    nlp_plan: StoredPlan = None
    done: bool = False
    listed_at: fields.Timestamp = Field(default_factory=_place_in_list, exclude=True)
    reminded_at: fields.Timestamp | None = None

    suppress: ClassVar = {"TW104": "a task without a due date is in no bucket of GSI4, on purpose"}
    keys = Keys(
        primary=("GOAL#{goal_id}", "TASK#{id}"),
        GSI4=Sparse("DUE#{due_at:%Y%m%d}#{id:shard(16)}", "{due_at}#TASK#{id}", when={"done": False}),
    )
    listing = Copy(
        primary=("USER#{user_id}", "TASK#{listed_at}#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Task#{created_at}#{id}"),
    )

    @model_validator(mode="after")
    def _listed_when_due(self) -> Self:
        if self.listed_at != (self.due_at or FAR_OFF):
            raise ValueError("listed_at follows due_at")
        return self


class Milestone(Timestamped, table=core, type="Milestone"):
    """A milestone of a goal."""

    id: str = fields.new_id()
    goal_id: str
    user_id: Id
    name: str
    percentage: Number
    achieved: bool = Field(default=False, examples=[True])
    achieved_at: StoredTime | None = None
    """Set if the milestone is achieved; another program may have left it out."""
    description: str | None = None

    keys = Keys(
        primary=("USER#{user_id}", "MILESTONE#{goal_id}#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Milestone#{created_at}#{id}"),
    )


class Reminder(Entity, table=core, type="Reminder"):
    """A reminder of a due task that was sent."""

    user_id: Id
    goal_id: str
    task_id: str
    title: str
    due_at: fields.Timestamp
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=30), of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(primary=("USER#{user_id}", "REMINDER#{due_at}#{task_id}"))


class Progress(Entity, table=core, type="Progress"):
    """Number of tasks of a goal, counted from the stream: slightly delayed, and exact."""

    goal_id: str
    tasks: Annotated[int, fields.Counter()] = 0
    done: Annotated[int, fields.Counter()] = 0

    keys = Keys(primary=("GOAL#{goal_id}", "PROGRESS"))


class Handled(Entity, table=core, type="Handled"):
    """A stream event that was counted. Kept longer than the stream can deliver it again (24 hours)."""

    event_id: str
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=2), of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(primary=("EVENT#{event_id}", "EVENT#{event_id}"))


class GoalsOfUser(Query[Goal]):
    """List user goals."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'GOAL#')"
    consistent = True


class TasksOfGoal(Query[Task]):
    """List tasks in a goal."""

    goal_id: str
    key = "PK = GOAL#{goal_id} AND begins_with(SK, 'TASK#')"
    consistent = True


class MilestonesOfGoal(Query[Milestone]):
    """List goal milestones."""

    user_id: str
    goal_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'MILESTONE#{goal_id}#')"
    consistent = True


class MilestoneById(Get[Milestone]):
    """Get specific milestone."""

    user_id: str
    goal_id: str
    milestone_id: str
    key = "PK = USER#{user_id} AND SK = MILESTONE#{goal_id}#{milestone_id}"
    consistent = True


class GoalById(Get[Goal]):
    """Get a goal of a user."""

    user_id: str
    goal_id: str
    key = "PK = USER#{user_id} AND SK = GOAL#{goal_id}"
    consistent = True


class TaskById(Get[Task]):
    """Get a task of a goal."""

    goal_id: str
    task_id: str
    key = "PK = GOAL#{goal_id} AND SK = TASK#{task_id}"
    consistent = True


class TasksByDueDate(Query[Task]):
    """List a user's tasks by due date; tasks without a due date come last."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'TASK#')"
    consistent = True


class DueTasks(Query[Task]):
    """One shard of the open tasks that are due on a day, within a time range."""

    day: date
    shard: int
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI4PK = DUE#{day:%Y%m%d}#{shard:02} AND GSI4SK BETWEEN {start} AND {end}"
    suppress: ClassVar = {"TW308": "what is due at the end of a span belongs to the next one"}


class RemindersOfUser(Query[Reminder]):
    """List a user's reminders, latest due date first."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'REMINDER#')"
    descending = True


class ProgressOfGoal(Get[Progress]):
    """Get the progress of a goal."""

    goal_id: str


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


class AdoptableRows(Scan[Goal | Message | AssistMsg]):
    """Scan for goals without progress, and for messages without a room or thread."""

    suppress: ClassVar = {"TW303": "read once, when rows of other programs are adopted"}
