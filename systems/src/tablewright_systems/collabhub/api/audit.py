"""The audit log, and overviews for administrators."""

from datetime import date
from typing import Any

from tablewright import fields
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AuditLog, Kind
from tablewright_systems.collabhub.service import audit
from tablewright_systems.web import CurrentCaller, Db, MixedEntries, PageReply, PageRequest, Router, problems

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


@router.get("/admin/audit/{day}", responses=problems())
def entries_of_day(db: Db, caller: CurrentCaller, day: date, paging: PageRequest) -> PageReply[AuditLog]:
    """List the audit entries of a day. For administrators."""
    return PageReply.of(audit.entries_of_day(db, caller, day, paging))


@router.get("/admin/audit")
def entries_between(
    db: Db, caller: CurrentCaller, start: fields.Timestamp, end: fields.Timestamp, paging: PageRequest
) -> PageReply[AuditLog]:
    """List the audit entries of a time range. For administrators."""
    return PageReply.of(audit.entries_between(db, caller, start, end, paging))


@router.get("/users/{user_id}/audit", responses=problems())
def entries_of_user(
    db: Db,
    caller: CurrentCaller,
    user_id: str,
    paging: PageRequest,
    start: fields.Timestamp | None = None,
    end: fields.Timestamp | None = None,
) -> PageReply[AuditLog]:
    """List the audit entries of a user, all or of a time range. For the user and administrators."""
    return PageReply.of(audit.entries_of_user(db, caller, user_id, start, end, paging))


@router.get("/admin/created", response_model=CREATED.page)
def list_created(
    db: Db,
    caller: CurrentCaller,
    kind: Kind,
    start: fields.Timestamp,
    end: fields.Timestamp,
    paging: PageRequest,
) -> PageReply[Any]:
    """List the entities of a type that were created in a time range. For administrators."""
    return PageReply.map(audit.list_created(db, caller, kind, start, end, paging), CREATED.entry)
