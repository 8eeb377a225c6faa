"""Activities (F8): who did what to which resource, kept for 90 days.

`timestamp` is the time of the event and `expiresAt` the time of expiry: with `timestamp` as TTL, every activity would
expire at once.
"""

from datetime import timedelta
from typing import Annotated

from pydantic import Field

from tablewright import Entity, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import AWS_MANAGED_KEY, Document, Id, Part, ResourceType

RETENTION = timedelta(days=90)

activities = Table(
    "${AWS::StackName}-activities",
    key=("accountId", "timestamp#eventId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("userId-timestamp-index", "userId", "timestamp#eventId"),
        Index("resourceType-timestamp-index", "accountId#resourceType", "timestamp#eventId"),
        Index("resourceId-timestamp-index", "accountId#resourceType#resourceId", "timestamp#eventId"),
    ],
    ttl="expiresAt",
)


class ActivityDetails(Part):
    """What changed; it never contains secrets."""

    before: Document | None = None
    after: Document | None = None
    metadata: Document | None = None


class Activity(Entity, table=activities, schema_version=1, writes={"create", "delete"}):
    """An event in an account; without a user, the system itself acted."""

    account_id: Id
    event_id: Id = fields.new_id()
    user_id: Id | None = None
    event_type: Annotated[str, Field(pattern=r"^[a-z-]+\.[a-z-]+$")]
    resource_type: ResourceType
    resource_id: Id
    action: str
    details: ActivityDetails = Field(default_factory=ActivityDetails)
    ip_address: str | None = None
    user_agent: Annotated[str, Field(max_length=500)] | None = None
    timestamp: Annotated[int, Field(ge=1_000_000_000, lt=10_000_000_000)] = fields.now()
    created_at: fields.Timestamp = fields.now()
    expires_at: Annotated[int | None, fields.Ttl(after=RETENTION, of="created_at")] = None

    keys = Keys(
        primary=("{account_id}", "{created_at}#{event_id}"),
        indexes={
            "userId-timestamp-index": Sparse("{user_id}", "{created_at}#{event_id}", when="user_id"),
            "resourceType-timestamp-index": (
                "{account_id}#{resource_type}",
                "{created_at}#{event_id}",
            ),
            "resourceId-timestamp-index": (
                "{account_id}#{resource_type}#{resource_id}",
                "{created_at}#{event_id}",
            ),
        },
    )


class ActivityAt(Get[Activity]):
    """Get one activity."""

    account_id: str
    created_at: fields.Timestamp
    event_id: str


class ActivitiesOfAccount(Query[Activity]):
    """Get account activities in a time range, newest first."""

    account_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "accountId = {account_id} AND timestamp#eventId BETWEEN {start} AND {end}#~"
    descending = True


class ActivitiesOfUser(Query[Activity]):
    """Get user activities in a time range, newest first."""

    user_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "userId = {user_id} AND timestamp#eventId BETWEEN {start} AND {end}#~"
    descending = True


class ActivitiesByResourceType(Query[Activity]):
    """Get the activities of an account for one type of resource in a time range, newest first."""

    account_id: str
    resource_type: ResourceType
    start: fields.Timestamp
    end: fields.Timestamp
    key = "accountId#resourceType = {account_id}#{resource_type} AND timestamp#eventId BETWEEN {start} AND {end}#~"
    descending = True


class ActivitiesOfResource(Query[Activity]):
    """Get the activities of one resource, newest first."""

    account_id: str
    resource_type: ResourceType
    resource_id: str
    index = "resourceId-timestamp-index"
    descending = True


ENTITIES = (Activity,)
PATTERNS = (
    ActivityAt,
    ActivitiesOfAccount,
    ActivitiesOfUser,
    ActivitiesByResourceType,
    ActivitiesOfResource,
)
