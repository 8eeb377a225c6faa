"""ListBackup.ai v2: thirteen tables, as written.

"Encrypted" and "hashed" stand in comments there; the shapes that are written down are plain texts, and so they are
here.
"""

from datetime import timedelta
from typing import Annotated, Literal
from uuid import UUID

from tablewright.design import billing
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Cardinality, Ttl
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Find, Query
from tablewright.design.tables import Table
from tests.checks.real_designs.listbackup_maps import (
    AccountMetadata,
    AccountPermissions,
    BillingInfo,
    ConnectionCredentials,
    ConnectionMetadata,
    Details,
    JobConfig,
    JobProgress,
    JobResult,
    Limits,
    Member,
    NotificationData,
    Preferences,
    SourceConfig,
    SourceCredentials,
    SourceMetadata,
    StateMetadata,
    SyncStatus,
    TaggedResource,
    TeamPermissions,
    TokenMetadata,
    Tokens,
)


def table(name: str, key: str | tuple[str, str], *indexes: Index, ttl: str | None = None) -> Table:
    return Table(
        f"${{AWS::StackName}}-{name}",
        key,
        indexes,
        ttl=ttl,
        billing=billing.OnDemand(),
        encryption_key="alias/aws/dynamodb",
        literal=True,
    )


users = table("users", "userId", Index("email-index", "email"), Index("username-index", "username"))
accounts = table(
    "accounts",
    "accountId",
    Index("parentAccountId-index", "parentAccountId"),
    Index("accountPath-index", "accountPath"),
)
users_accounts = table(
    "users-accounts", ("userId", "accountId"), Index("accountId-userId-index", "accountId", "userId")
)
teams = table("teams", ("accountId", "teamId"), Index("teamId-index", "teamId"))
sources = table(
    "sources",
    ("accountId", "sourceId"),
    Index("sourceId-index", "sourceId"),
    Index("accountId-platform-index", "accountId", "platform"),
    Index("accountId-status-index", "accountId", "status"),
)
activities = table(
    "activities",
    ("accountId", "timestamp#eventId"),
    Index("userId-timestamp-index", "userId", "timestamp#eventId"),
    Index("resourceType-timestamp-index", "resourceType", "timestamp#eventId"),
    ttl="timestamp",
)
jobs = table(
    "jobs",
    ("accountId", "jobId"),
    Index("jobId-index", "jobId"),
    Index("accountId-status-index", "accountId", "status"),
    Index("sourceId-createdAt-index", "sourceId", "createdAt"),
)
connections = table(
    "connections",
    "connectionId",
    Index("accountId-platform-index", "accountId", "platform"),
    Index("userId-platform-index", "userId", "platform"),
)
oauth_states = table("oauth-states", "state", ttl="expiresAt")
oauth_tokens = table("oauth-tokens", "sourceId", Index("accountId-platform-index", "accountId", "platform"))
refresh_tokens = table(
    "refresh-tokens",
    "refreshToken",
    Index("userId-issuedAt-index", "userId", "issuedAt"),
    Index("tokenFamily-index", "tokenFamily"),
    ttl="expiresAt",
)
tags = table(
    "tags",
    ("accountId#resourceType", "tagKey#tagValue"),
    Index("tagId-index", "tagId"),
    Index("accountId-tagKey-index", "accountId#resourceType", "tagKey"),
)
notifications = table(
    "notifications",
    ("userId", "timestamp#notificationId"),
    Index("accountId-timestamp-index", "accountId", "timestamp#notificationId"),
    Index("userId-status-index", "userId", "status"),
    ttl="expiresAt",
)

Level = Literal["low", "medium", "high", "critical"]


class User(Entity, table=users):
    user_id: UUID
    email: str
    username: str
    name: str
    account_id: str
    status: Literal["active", "inactive", "suspended"]
    role: Literal["admin", "user", "readonly"]
    preferences: Preferences
    created_at: str
    updated_at: str
    last_login_at: str
    mfa_enabled: bool
    mfa_secret: str


class Account(Entity, table=accounts):
    account_id: UUID
    account_name: str
    parent_account_id: str | None
    account_path: str
    account_type: Literal["conglomerate", "subsidiary", "division", "location"]
    level: int
    status: Literal["active", "inactive", "suspended"]
    plan: Literal["free", "starter", "professional", "enterprise"]
    billing_info: BillingInfo
    limits: Limits
    metadata: AccountMetadata
    created_at: str
    updated_at: str
    created_by: str


class UserAccount(Entity, table=users_accounts):
    user_id: str
    account_id: str
    role: Literal["owner", "admin", "member", "readonly"]
    permissions: AccountPermissions
    joined_at: str
    invited_by: str
    status: Literal["active", "pending", "suspended"]


class Team(Entity, table=teams):
    account_id: str
    team_id: UUID
    team_name: str
    description: str
    members: list[Member]
    permissions: TeamPermissions
    created_at: str
    updated_at: str
    created_by: str


class Source(Entity, table=sources):
    account_id: str
    source_id: UUID
    source_name: str
    platform: str
    connection_type: Literal["oauth", "apikey", "webhook"]
    status: Literal["active", "paused", "error", "disconnected"]
    credentials: SourceCredentials
    config: SourceConfig
    last_sync_at: str
    next_sync_at: str
    sync_status: SyncStatus
    metadata: SourceMetadata
    created_at: str
    updated_at: str
    created_by: str


class Activity(Entity, table=activities):
    account_id: str
    event_id: UUID
    user_id: str
    event_type: str
    resource_type: Annotated[str, Cardinality(5)]  # "source | user | account | job | etc."
    resource_id: str
    action: str
    details: Details
    ip_address: str
    user_agent: str
    timestamp: int
    created_at: str

    keys = Keys(
        primary=("{account_id}", "{timestamp}#{event_id}"),
        indexes={
            "userId-timestamp-index": ("{user_id}", "{timestamp}#{event_id}"),
            "resourceType-timestamp-index": ("{resource_type}", "{timestamp}#{event_id}"),
        },
    )


class Job(Entity, table=jobs):
    account_id: str
    job_id: UUID
    job_type: Literal["sync", "export", "import", "migration", "backup"]
    source_id: str | None
    status: Literal["pending", "running", "completed", "failed", "cancelled"]
    priority: Level
    config: JobConfig
    progress: JobProgress
    result: JobResult
    scheduled_at: str
    started_at: str
    completed_at: str
    created_at: str
    created_by: str
    retry_count: int
    max_retries: int


class Connection(Entity, table=connections):
    connection_id: UUID
    account_id: str
    user_id: str
    platform: str
    connection_type: Literal["oauth", "apikey", "webhook"]
    status: Literal["active", "expired", "revoked", "error"]
    credentials: ConnectionCredentials
    metadata: ConnectionMetadata
    last_used_at: str
    created_at: str
    updated_at: str
    expires_at: str


class OAuthState(Entity, table=oauth_states):
    state: str
    account_id: str
    user_id: str
    platform: str
    redirect_uri: str
    metadata: StateMetadata
    created_at: str
    expires_at: Annotated[int, Ttl(after=timedelta(seconds=900), of="created_at")]


class OAuthToken(Entity, table=oauth_tokens):
    source_id: str
    account_id: str
    platform: str
    tokens: Tokens
    metadata: TokenMetadata
    created_at: str
    updated_at: str
    last_refreshed_at: str


class RefreshToken(Entity, table=refresh_tokens):
    refresh_token: str
    user_id: str
    account_id: str
    token_family: str
    issued_at: str
    expires_at: Annotated[str, Ttl()]
    last_used_at: str
    user_agent: str
    ip_address: str
    revoked: bool
    revoked_at: str
    revoked_by: str
    revoked_reason: str


class Tag(Entity, table=tags):
    tag_id: UUID
    tag_key: str
    tag_value: str
    resource_type: str
    resources: list[TaggedResource]
    color: str
    description: str
    created_at: str
    updated_at: str
    created_by: str

    keys = Keys(
        primary=("{account_id}#{resource_type}", "{tag_key}#{tag_value}"),
        indexes={"accountId-tagKey-index": ("{account_id}#{resource_type}", "{tag_key}")},
    )


class Notification(Entity, table=notifications):
    user_id: str
    notification_id: UUID
    account_id: str
    type: Literal["email", "sms", "push", "in-app"]
    category: Literal["system", "source", "job", "billing", "security"]
    priority: Level
    subject: str
    message: str
    data: NotificationData
    status: Literal["pending", "sent", "delivered", "failed", "read"]
    read_at: str
    sent_at: str
    delivered_at: str
    failure_reason: str
    created_at: str
    expires_at: Annotated[int, Ttl(after=timedelta(seconds=2_592_000), of="created_at")]

    keys = Keys(
        primary=("{user_id}", "{timestamp}#{notification_id}"),
        indexes={"accountId-timestamp-index": ("{account_id}", "{timestamp}#{notification_id}")},
    )


class UserById(Query[User]):
    """Get user by ID: Query on `userId`."""

    user_id: str
    key = "userId = {user_id}"


class UserByEmail(Find[User]):
    """Get user by email: Query GSI1 with `email`."""

    email: str
    key = "email = {email}"


class UserByUsername(Find[User]):
    """Get user by username: Query GSI2 with `username`."""

    username: str
    key = "username = {username}"


class ChildAccounts(Query[Account]):
    """Get child accounts: Query GSI1 with `parentAccountId`."""

    parent_account_id: str
    key = "parentAccountId = {parent_account_id}"


class AccountsInPath(Query[Account]):
    """Get accounts in path: Query GSI2 with `accountPath` prefix."""

    prefix: str
    key = "begins_with(accountPath, {prefix})"


class SourcesByAccount(Query[Source]):
    """Get sources by account: Query with `accountId`."""

    account_id: str
    key = "accountId = {account_id}"


class SourcesByPlatform(Query[Source]):
    """Get sources by platform: Query GSI2 with `accountId#platform`."""

    account_id: str
    platform: str
    key = "accountId#platform = {account_id}#{platform}"


class SourcesByStatus(Query[Source]):
    """Get sources by status: Query GSI3 with `accountId#status`."""

    account_id: str
    status: Literal["active", "paused", "error", "disconnected"]
    key = "accountId#status = {account_id}#{status}"


class AccountActivities(Query[Activity]):
    """Get account activities: Query with `accountId` and time range."""

    account_id: str
    start: int
    end: int
    key = "accountId = {account_id}, timestamp#eventId BETWEEN {start} AND {end}"


class UserActivities(Query[Activity]):
    """Get user activities: Query GSI1 with `userId` and time range."""

    user_id: str
    start: int
    end: int
    key = "userId = {user_id}, timestamp#eventId BETWEEN {start} AND {end}"


class ResourceActivities(Query[Activity]):
    """Get resource activities: Query GSI2 with `resourceType` and time range."""

    resource_type: str
    start: int
    end: int
    key = "resourceType = {resource_type}, timestamp#eventId BETWEEN {start} AND {end}"


class AccountJobs(Query[Job]):
    """Get account jobs: Query with `accountId`."""

    account_id: str
    key = "accountId = {account_id}"


class JobsByStatus(Query[Job]):
    """Get jobs by status: Query GSI2 with `accountId#status`."""

    account_id: str
    status: Literal["pending", "running", "completed", "failed", "cancelled"]
    key = "accountId#status = {account_id}#{status}"


class SourceJobs(Query[Job]):
    """Get source jobs: Query GSI3 with `sourceId`."""

    source_id: str
    key = "sourceId = {source_id}"


class TeamById(Find[Team]):
    """What `teamId-index` is there for."""

    team_id: str
    key = "teamId = {team_id}"


class SourceById(Find[Source]):
    """What `sourceId-index` is there for."""

    source_id: str
    key = "sourceId = {source_id}"


class JobById(Find[Job]):
    """What `jobId-index` is there for."""

    job_id: str
    key = "jobId = {job_id}"


class TagById(Find[Tag]):
    """What `tagId-index` is there for."""

    tag_id: str
    key = "tagId = {tag_id}"


class TagsByKey(Query[Tag]):
    """What `accountId-tagKey-index` is there for."""

    account_id: str
    resource_type: str
    tag_key: str
    key = "accountId#resourceType = {account_id}#{resource_type}, tagKey = {tag_key}"


class TokensOfFamily(Query[RefreshToken]):
    """What `tokenFamily-index` is there for: rotation."""

    token_family: str
    key = "tokenFamily = {token_family}"


class NotificationsByStatus(Query[Notification]):
    """What `userId-status-index` is there for."""

    user_id: str
    status: Literal["pending", "sent", "delivered", "failed", "read"]
    key = "userId = {user_id}, status = {status}"
