"""The audit log."""

from datetime import date

from fastapi import APIRouter

from tablewright import fields
from tablewright_systems.collabhub.design.audit import AuditLog
from tablewright_systems.collabhub.service import audit
from tablewright_systems.web.api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()


@router.get("/admin/audit/{day}", tags=["Audit"])
def entries_of_day(
    db: Db, caller: CurrentCaller, day: date, cursor: Cursor = None, limit: Limit = 20
) -> PageReply[AuditLog]:
    """List the audit entries of a day. For administrators."""
    return PageReply.of(audit.entries_of_day(db, caller, day, limit, cursor))


@router.get("/admin/audit", tags=["Audit"])
def entries_between(
    db: Db,
    caller: CurrentCaller,
    start: fields.Timestamp,
    end: fields.Timestamp,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[AuditLog]:
    """List the audit entries of a time range. For administrators."""
    return PageReply.of(audit.entries_between(db, caller, start, end, limit, cursor))


@router.get("/users/{user_id}/audit", tags=["Audit"])
def entries_of_user(
    db: Db,
    caller: CurrentCaller,
    user_id: str,
    start: fields.Timestamp | None = None,
    end: fields.Timestamp | None = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> PageReply[AuditLog]:
    """List the audit entries of a user, all or of a time range."""
    return PageReply.of(audit.entries_of_user(db, caller, user_id, start, end, limit, cursor))
