"""The audit log."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, Any, ClassVar

from tablewright import Entity, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.access import AccessRequest
from tablewright_systems.collabhub.design.notifications import Notification
from tablewright_systems.collabhub.design.startups import Application, Startup, StartupRole
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.collabhub.design.users import Subscription, User
from tablewright_systems.service.schemas import EPOCH_AS_TIME

AUDIT_SHARDS = 4
"""Over how many partitions the log of a day is spread (R10)."""


class AuditLog(
    Entity,
    table=main,
    type="AUDIT_LOG",
    writes={"create"},
    expect=fields.Expect(items=20_000_000, size=500, writes=fields.PerSecond(400)),
):
    """An audit entry; written once, and kept for a year. Actions of the system have no user (R38)."""

    audit_id: str = fields.new_id()
    user_id: str | None = None
    action: str
    resource_type: str
    resource_id: str
    ip_address: str = ""
    user_agent: str = ""
    metadata: dict[str, Any] | None = None
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=365), of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(
        primary=(
            f"AUDIT#{{created_at:%Y-%m-%d}}#{{audit_id:shard({AUDIT_SHARDS})}}",
            "{created_at}#{audit_id}",
        ),
        GSI1=Sparse("USER#{user_id}", "AUDIT#{created_at}#{audit_id}", when="user_id"),
    )


class AuditByDate(Query[AuditLog]):
    """List audit logs by date (A21), oldest first, of one shard."""

    day: fields.Timestamp
    shard: int
    key = "PK = AUDIT#{day:%Y-%m-%d}#{shard}"


class AuditByDateBetween(Query[AuditLog]):
    """List audit logs of a day by time (A33), oldest first, of one shard."""

    day: fields.Timestamp
    shard: int
    start: fields.Timestamp
    end: fields.Timestamp
    key = "PK = AUDIT#{day:%Y-%m-%d}#{shard} AND SK BETWEEN {start} AND {end}#~"


class AuditByUser(Query[AuditLog]):
    """List audit logs by user (A22), newest first."""

    user_id: str
    key = "GSI1PK = USER#{user_id} AND begins_with(GSI1SK, AUDIT#)"
    descending = True


class AuditByUserBetween(Query[AuditLog]):
    """List audit logs by user and time (A30), newest first."""

    user_id: str
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI1PK = USER#{user_id} AND GSI1SK BETWEEN AUDIT#{start} AND AUDIT#{end}#~"
    descending = True


class Kind(StrEnum):
    """The types in GSI3; types that are written with every message or action are not in it (R7)."""

    USER = "USER"
    STARTUP = "STARTUP"
    STARTUP_ROLE = "STARTUP_ROLE"
    APPLICATION = "APPLICATION"
    ACCESS_REQUEST = "ACCESS_REQUEST"
    SUBSCRIPTION = "SUBSCRIPTION"


class CreatedBetween(Query[User | Startup | StartupRole | Application | AccessRequest | Subscription]):
    """List entities of a type that were created in a part of a month (A24)."""

    kind: Kind
    start: fields.Timestamp
    end: fields.Timestamp
    key = "GSI3PK = {kind}#{start:%Y-%m} AND GSI3SK BETWEEN {start} AND {end}#~"


class UserBundle(Query[User | Subscription | Notification]):
    """Get a user's subscription, profile and newest notifications, in one read (A34)."""

    suppress: ClassVar = {"TW309": "in reverse order: two single items, then the newest notifications"}

    user_id: str
    key = "PK = USER#{user_id}"
    descending = True
