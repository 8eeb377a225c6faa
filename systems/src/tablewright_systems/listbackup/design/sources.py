"""Sources (F7): what is backed up, from which platform, and when next.

The credentials of an API key or a webhook are stored here, encrypted; those of OAuth only in oauth-tokens.
"""

from enum import Enum
from typing import Annotated

from pydantic import Field

from tablewright import Find, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    NOT_SHOWN,
    ConnectionType,
    Document,
    Id,
    Part,
    Platform,
    new_uuid,
)
from tablewright_systems.service import Timestamped

DUE_SHARDS = 4

sources = Table(
    "${AWS::StackName}-sources",
    key=("accountId", "sourceId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("sourceId-index", "sourceId"),
        Index("accountId-platform-index", "accountId", "platform"),
        Index("accountId-status-index", "accountId", "status#createdAt"),
        Index("due-index", "dueShard", "nextSyncAt#sourceId"),
    ],
)


class SourceStatus(Enum):
    """Whether a source is backed up."""

    ACTIVE = "active"
    PAUSED = "paused"
    ERROR = "error"
    DISCONNECTED = "disconnected"


class SyncInterval(Enum):
    """How often a source is backed up."""

    DAILY = "daily"
    HOURLY = "hourly"
    REALTIME = "realtime"


class SyncState(Enum):
    """The state of the last sync of a source."""

    IDLE = "idle"
    SYNCING = "syncing"
    ERROR = "error"


class Credentials(Part):
    """The credentials for a platform; `type` is the kind of `encrypted_data`."""

    type: str = Field(examples=["apikey"])
    encrypted_data: str = Field(examples=["sk_test_listbackup"])


class SourceConfig(Part):
    """What is backed up, and how often."""

    sync_interval: SyncInterval = SyncInterval.DAILY
    data_types: list[str] = Field(default_factory=list, max_length=50, examples=[["contacts", "orders"]])
    filters: Document = Field(default_factory=dict)
    webhooks: Document = Field(default_factory=dict)
    retention_days: Annotated[int, Field(ge=1, le=3650)] | None = None
    """How long backups are kept, if shorter than the plan allows."""


class SyncStatus(Part):
    """The progress of a source's backup, in percent."""

    state: SyncState = SyncState.IDLE
    progress: Annotated[int, Field(ge=0, le=100)] = 0
    message: Annotated[str, Field(max_length=1000)] = ""


class SourceMetadata(Part):
    """More information about a source."""

    account_info: Document = Field(default_factory=dict)
    limits: Document = Field(default_factory=dict)
    custom_fields: Document = Field(default_factory=dict)


class Source(Timestamped, table=sources, schema_version=1):
    """A data source of an account that is backed up."""

    account_id: Id
    source_id: Id = new_uuid()
    source_name: Annotated[str, Field(min_length=1, max_length=200)]
    platform: Platform
    connection_type: ConnectionType
    connection_id: Id | None = None
    status: SourceStatus = SourceStatus.ACTIVE
    credentials: Annotated[Credentials | None, fields.Encrypted(context=("account_id",)), NOT_SHOWN] = None
    webhook_secret: Annotated[str | None, fields.Encrypted(context=("account_id",)), NOT_SHOWN] = None
    """The secret that verifies the deliveries of the platform."""
    config: SourceConfig = Field(default_factory=SourceConfig)
    last_sync_at: fields.Timestamp | None = None
    next_sync_at: fields.Timestamp | None = None
    """Only while the source is active; in real time, only while a change was reported and not read."""
    sync_status: SyncStatus = Field(default_factory=SyncStatus)
    sync_job_id: Id | None = None
    """The waiting or running job that backs up the source: there is never a second one."""
    metadata: SourceMetadata = Field(default_factory=SourceMetadata)
    created_by: Id
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(
        indexes={
            "accountId-status-index": ("{account_id}", "{status}#{created_at}#{source_id}"),
            "due-index": Sparse("{source_id:shard(4)}", "{next_sync_at}#{source_id}", when="next_sync_at"),
        }
    )


class SourcesOfAccount(Query[Source]):
    """Get sources by account."""

    account_id: str
    consistent = True


class SourcesByPlatform(Query[Source]):
    """Get sources by platform."""

    account_id: str
    platform: Platform
    index = "accountId-platform-index"


class SourcesByStatus(Query[Source]):
    """Get sources by status, oldest first."""

    account_id: str
    status: SourceStatus
    key = "accountId = {account_id} AND begins_with(status#createdAt, {status}#)"


class SourceOfAccount(Get[Source]):
    """Get a source of an account."""

    account_id: str
    source_id: str
    consistent = True


class SourceIdsOfAccount(Query[Source]):
    """Get the ids of an account's sources, without decrypting credentials: their keys may be deleted."""

    account_id: str
    fields = ("source_id",)
    consistent = True


class SourceById(Find[Source]):
    """Get source by ID."""

    source_id: str
    index = "sourceId-index"


class SourcesDue(Query[Source]):
    """One shard of the sources whose next backup is due, the longest overdue first."""

    shard: int
    now: fields.Timestamp
    page_size = 50
    key = "dueShard = {shard} AND nextSyncAt#sourceId < {now}#~"


ENTITIES = (Source,)
PATTERNS = (
    SourcesOfAccount,
    SourcesByPlatform,
    SourcesByStatus,
    SourceOfAccount,
    SourceIdsOfAccount,
    SourceById,
    SourcesDue,
)
