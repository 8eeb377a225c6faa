"""The audit log, written in the transaction of the recorded action; and lists of what was created."""

from collections.abc import Iterator, Mapping
from datetime import UTC, date, datetime, time, timedelta
from typing import Any

from tablewright import Repository, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AuditLog, Kind
from tablewright_systems.collabhub.service.permissions import active_user, require_admin
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid
from tablewright_systems.web import CurrentCaller, Db, MixedEntries, PageRequest, Router, problems

router = Router("Audit", "The audit log.")

CREATED = MixedEntries(
    USER=design.User,
    STARTUP=design.Startup,
    STARTUP_ROLE=design.StartupRole,
    APPLICATION=design.Application,
    ACCESS_REQUEST=design.AccessRequest,
    SUBSCRIPTION=design.Subscription,
)
"""The entries of each `Kind`."""

MAX_RANGE = timedelta(days=31)
MAX_OVERVIEW = timedelta(days=366)

Created = (
    design.User
    | design.Startup
    | design.StartupRole
    | design.Application
    | design.AccessRequest
    | design.Subscription
)


def audit_entry(
    db: Repository,
    caller: Caller | None,
    action: str,
    resource_type: str,
    resource_id: str,
    metadata: Mapping[str, Any] | None = None,
) -> writes.Create[AuditLog]:
    """Return the write that records an action; without a caller, the system acted. The claims hold its origin."""
    now = db.now()
    return writes.Create(
        AuditLog(
            audit_id=fields.ulid(now.timestamp()),
            user_id=caller.user_id if caller else None,
            action=action,
            resource_type=resource_type,
            resource_id=resource_id,
            ip_address=(caller and caller.claim("ip_address")) or "",
            user_agent=(caller and caller.claim("user_agent")) or "",
            metadata=dict(metadata) if metadata else None,
            created_at=now,
        )
    )


@router.get("/admin/audit/{day}", responses=problems())
def entries_of_day(
    db: Db, caller: CurrentCaller, day: date, paging: PageRequest = FIRST_PAGE
) -> reads.Page[AuditLog]:
    """List the audit entries of a day. For administrators."""
    require_admin(db, caller)
    shards = range(design.AUDIT_SHARDS)
    return paging.run(
        db, reads.Merged(design.AuditByDate(day=_midnight(day), shard=shard) for shard in shards)
    )


@router.get("/admin/audit")
def entries_between(
    db: Db,
    caller: CurrentCaller,
    start: fields.Timestamp,
    end: fields.Timestamp,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[AuditLog]:
    """List the audit entries of a time range. For administrators."""
    # Oldest first.
    require_admin(db, caller)
    if not timedelta(0) <= end - start <= MAX_RANGE:
        raise Invalid(f"the range from start to end must be 0 to {MAX_RANGE.days} days", "end")
    shards = range(design.AUDIT_SHARDS)
    days = (
        reads.Merged(
            design.AuditByDateBetween(day=day, shard=shard, start=start, end=end) for shard in shards
        )
        for day in _days(start, end)
    )
    return paging.run(db, reads.Chained(days))


@router.get("/users/{user_id}/audit", responses=problems())
def entries_of_user(
    db: Db,
    caller: CurrentCaller,
    user_id: str,
    start: fields.Timestamp | None = None,
    end: fields.Timestamp | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[AuditLog]:
    """List the audit entries of a user, all or of a time range. For the user and administrators."""
    if caller.user_id == user_id:
        active_user(db, caller)
    else:
        require_admin(db, caller)
    if start is None and end is None:
        return paging.run(db, design.AuditByUser(user_id=user_id))
    if start is None or end is None:
        raise Invalid("give both start and end, or neither", "start" if start is None else "end")
    return paging.run(db, design.AuditByUserBetween(user_id=user_id, start=start, end=end))


@router.get("/admin/created", reply=CREATED)
def list_created(
    db: Db,
    caller: CurrentCaller,
    kind: Kind,
    start: fields.Timestamp,
    end: fields.Timestamp,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Created]:
    """List the entities of a type that were created in a time range. For administrators."""
    # From start to end, both included, oldest first.
    require_admin(db, caller)
    if not timedelta(0) <= end - start <= MAX_OVERVIEW:
        raise Invalid(f"the range from start to end must be 0 to {MAX_OVERVIEW.days} days", "end")
    months = _months(start, end)
    lists = [design.CreatedBetween(kind=kind, start=max(month, start), end=end) for month in months]
    return paging.run(db, reads.Chained(lists))


def _midnight(day: date) -> datetime:
    return datetime.combine(day, time(tzinfo=UTC))


def _days(start: datetime, end: datetime) -> Iterator[datetime]:
    day = _midnight(start.astimezone(UTC).date())
    while day <= end:
        yield day
        day += timedelta(days=1)


def _months(start: datetime, end: datetime) -> Iterator[datetime]:
    """Iterate over the starts of all months in a time range, in UTC."""
    month = start.astimezone(UTC).replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    while month <= end:
        yield month
        month = (month + timedelta(days=32)).replace(day=1)
