"""The audit log."""

from datetime import timedelta
from typing import Annotated, Any

from tablewright import Entity, Keys, Query, Sparse, fields
from tablewright_systems.collabhub.design.tables import main
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
