"""GoalsGuild `gg_core`: one table, as written, with the indexes that it plans for later."""

from decimal import Decimal
from typing import Any, Literal

from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.patterns import Find, Get, Query
from tablewright.design.tables import Table

core = Table(
    "gg_core",
    key=("PK", "SK"),
    indexes=[
        Index("GSI1", "GSI1PK", "GSI1SK"),
        Index("GSI2", "GSI2PK", "GSI2SK"),
        Index("GSI3", "GSI3PK", "GSI3SK"),
        Index("GSI4", "GSI4PK", "GSI4SK"),
        Index("GSI5", "GSI5PK", "GSI5SK"),
        Index("GSI6", "GSI6PK", "GSI6SK"),
    ],
    ttl="ttl",
    stream="NEW_AND_OLD_IMAGES",
    literal=True,
)


class User(Entity, table=core, type="User"):
    id: str
    nickname: str
    email: str
    full_name: str
    birth_date: str | None = None
    status: str
    country: str | None = None
    language: str | None = None
    gender: str | None = None
    pronouns: str | None = None
    bio: str | None = None
    tags: list[str]
    tier: Literal["free", "pro"]
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("USER#{id}", "PROFILE#{id}"),
        GSI1=("USER#{id}", "ENTITY#User#{created_at}"),
        GSI2=("NICK#{nickname}", "PROFILE#{id}"),
        GSI3=("EMAIL#{email}", "PROFILE#{id}"),
    )


class EmailUnique(Entity, table=core, type="EmailUnique"):
    """Guard against duplicate accounts by email."""

    email: str
    user_id: str
    created_at: str

    keys = Keys(primary=("EMAIL#{email}", "UNIQUE#USER>"))


class Goal(Entity, table=core, type="Goal"):
    id: str
    user_id: str
    title: str
    description: str | None = None
    tags: list[str]
    created_at: str
    updated_at: str
    status: str

    keys = Keys(
        primary=("USER#{user_id}", "GOAL#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Goal#{created_at}"),
        GSI5=("TAG#{tag}", "Goal#{id}"),
    )


class Task(Entity, table=core, type="Task"):
    id: str
    goal_id: str
    user_id: str
    title: str
    due_at: str | None = None
    nlp_plan: dict[str, Any] | None = None
    done: bool
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("GOAL#{goal_id}", "TASK#{id}"),
        GSI4=("DUE#{due_day}", "{due_at}#TASK#{id}"),
    )
    listing = Copy(
        primary=("USER#{user_id}", "TASK#{due_at}#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Task#{due_at}"),
    )


class Milestone(Entity, table=core, type="Milestone"):
    id: str
    goal_id: str
    user_id: str
    name: str
    percentage: Decimal
    achieved: bool
    achieved_at: str | None = None
    description: str | None = None
    created_at: str
    updated_at: str

    keys = Keys(
        primary=("USER#{user_id}", "MILESTONE#{goal_id}#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Milestone#{created_at}"),
    )


class Message(Entity, table=core, type="Message"):
    id: str
    room_id: str
    user_id: str
    text: str
    created_at: str

    keys = Keys(
        primary=("ROOM#{room_id}", "MSG#{created_at}#{id}"),
        GSI1=("USER#{user_id}", "ENTITY#Message#{created_at}"),
    )


class AssistMsg(Entity, table=core, type="AssistMsg"):
    thread_id: str
    user_id: str
    text: str
    created_at: str

    keys = Keys(primary=("ASSIST#{thread_id}", "MSG#{created_at}#{id}"))


class Offer(Entity, table=core, type="Offer"):
    id: str
    company_id: str
    title: str
    tags: list[str]
    created_at: str
    status: str

    keys = Keys(
        primary=("OFFER#{id}", "OFFER#{id}"),
        GSI5=("TAG#{tag}", "Offer#{id}"),
        GSI6=("COMPANY#{company_id}", "Offer#{id}"),
    )


class ProfileById(Get[User]):
    """Get profile by `userId`."""

    user_id: str
    key = "PK=USER#{user_id}, SK=PROFILE#{user_id}"


class ProfileByEmail(Find[User]):
    """Get profile by `email`."""

    email: str
    key = "GSI3PK=EMAIL#{email}"


class ProfileByNickname(Find[User]):
    """Get profile by `nickname`."""

    nickname: str
    key = "GSI2PK=NICK#{nickname}"


class GoalsOfUser(Query[Goal]):
    """List user goals."""

    user_id: str
    key = "PK=USER#{user_id}, begins_with(SK, 'GOAL#')"


class TasksOfGoal(Query[Task]):
    """List tasks in a goal."""

    goal_id: str
    key = "PK=GOAL#{goal_id}, begins_with(SK, 'TASK#')"


class Timeline(Query[User | Goal | Milestone | Message]):
    """List user entities timeline, ordered by `GSI1SK`."""

    user_id: str
    key = "GSI1PK=USER#{user_id}"


class ChatHistory(Query[Message]):
    """Chat history, ordered by `SK` with pagination."""

    room_id: str
    key = "PK=ROOM#{room_id}"


class MilestonesOfGoal(Query[Milestone]):
    """List goal milestones."""

    user_id: str
    goal_id: str
    key = "PK=USER#{user_id}, begins_with(SK, 'MILESTONE#{goal_id}#')"


class MilestonesTimeline(Query[Milestone]):
    """List user milestones timeline."""

    user_id: str
    key = "GSI1PK=USER#{user_id}, begins_with(GSI1SK, 'ENTITY#Milestone#')"


class MilestoneById(Get[Milestone]):
    """Get specific milestone."""

    user_id: str
    goal_id: str
    milestone_id: str
    key = "PK=USER#{user_id}, SK=MILESTONE#{goal_id}#{milestone_id}"


class DueTasks(Query[Task]):
    """Due buckets for reminders/notifications."""

    due_day: str
    key = "GSI4PK=DUE#{due_day}"


class EntitiesByTag(Query[Goal | Offer]):
    """Tag search for discovery."""

    tag: str
    key = "GSI5PK=TAG#{tag}"


class CompanyListings(Query[Offer]):
    """Org/company listings for admin views."""

    company_id: str
    key = "GSI6PK=COMPANY#{company_id}"
