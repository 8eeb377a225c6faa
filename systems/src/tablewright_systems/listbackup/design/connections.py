"""Connections (F10): which user connected an account to a platform, and how.

A connection holds no secret, only a reference to it. Its `metadata.accountId` is the platform's id, and no tenant.
"""

from enum import Enum
from typing import ClassVar

from pydantic import Field

from tablewright import Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    ConnectionType,
    Document,
    Id,
    Part,
    Platform,
    new_uuid,
)
from tablewright_systems.service import Line, Timestamped

EXPIRY_SHARDS = 4

connections = Table(
    "${AWS::StackName}-connections",
    key="connectionId",
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("accountId-platform-index", "accountId", "platform"),
        Index("userId-platform-index", "userId", "platform"),
        Index("expiry-index", "expiryShard", "expiresAt#connectionId"),
    ],
)


class ConnectionStatus(Enum):
    """Whether the platform accepts the connection."""

    ACTIVE = "active"
    EXPIRED = "expired"
    REVOKED = "revoked"
    ERROR = "error"


class CredentialsReference(Part):
    """Where the secret of a connection is stored: in the oauth-tokens or sources item of a source."""

    source_id: str
    scope: str | None = None


class ConnectionMetadata(Part):
    """The platform's information about its account."""

    account_name: Line | None = None
    account_id: str | None = None
    limits: Document = Field(default_factory=dict)


class Connection(Timestamped, table=connections, schema_version=1):
    """A connection to a platform."""

    connection_id: Id = new_uuid()
    account_id: Id
    user_id: Id
    platform: Platform
    connection_type: ConnectionType
    status: ConnectionStatus = ConnectionStatus.ACTIVE
    credentials: CredentialsReference | None = None
    metadata: ConnectionMetadata = Field(default_factory=ConnectionMetadata)
    last_used_at: fields.Timestamp | None = None
    expires_at: fields.Timestamp | None = None

    keys = Keys(
        indexes={
            "expiry-index": Sparse(
                "{connection_id:shard(4)}",
                "{expires_at}#{connection_id}",
                when={"status": ConnectionStatus.ACTIVE},
            )
        }
    )
    suppress: ClassVar = {
        "TW104": "a connection with an API key never expires, so it is not in expiry-index",
        "TW205": "an expired connection is kept, to be shown and renewed",
        "TW501": "it holds a reference to the secret, not the secret",
        "TW502": "it holds a reference to the secret, not the secret",
    }


class ConnectionById(Get[Connection]):
    """Get connection by ID."""

    connection_id: str
    consistent = True


class ConnectionsOfAccount(Query[Connection]):
    """Get the connections of an account, by platform."""

    account_id: str
    index = "accountId-platform-index"


class ConnectionsOfAccountTo(Query[Connection]):
    """Get the connections of an account to one platform."""

    account_id: str
    platform: Platform
    index = "accountId-platform-index"


class ConnectionsOfUser(Query[Connection]):
    """Get the connections that a user made, by platform."""

    user_id: str
    index = "userId-platform-index"


class ConnectionsOfUserTo(Query[Connection]):
    """Get the connections that a user made to one platform."""

    user_id: str
    platform: Platform
    index = "userId-platform-index"


class ConnectionsExpiring(Query[Connection]):
    """One shard of the active connections that expire before a time, the first to expire first."""

    shard: int
    before: fields.Timestamp
    key = "expiryShard = {shard} AND expiresAt#connectionId < {before}"


ENTITIES = (Connection,)
PATTERNS = (
    ConnectionById,
    ConnectionsOfAccount,
    ConnectionsOfAccountTo,
    ConnectionsOfUser,
    ConnectionsOfUserTo,
    ConnectionsExpiring,
)
