"""Investor access (135-158): requested, approved (optionally until a time), rejected, revoked, expired.

Requests are kept as history. The current state is the grant, an item of the startup: one for each investor (T15), read
consistently (T19), expired at its end (T18). Request and grant are always written together.
"""

from datetime import timedelta
from typing import Any

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub.design.access import (
    AccessByInvestor,
    AccessDue,
    AccessForStartup,
    AccessForStartupByStatus,
    AccessGrant,
    AccessLevel,
    AccessRequest,
    AccessRequestById,
    AccessStatus,
    GrantOf,
)
from tablewright_systems.collabhub.design.notifications import NotificationType
from tablewright_systems.collabhub.design.startups import StartupById, StartupsByFounder, StartupStatus
from tablewright_systems.collabhub.design.tables import Text
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    MAX_ATTEMPTS,
    active_user,
    busy,
    own_startup,
    own_startup_of_active_founder,
    require_found,
    require_platform_role,
    transact,
    transact_as,
    written_entity,
)
from tablewright_systems.collabhub.service.grants import granted_level
from tablewright_systems.collabhub.service.notifications import notification_write
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Invalid
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body


class AccessDraft(Body):
    """A new request for access."""

    access_level: AccessLevel = AccessLevel.VIEW_DECK
    message: Text | None = None


class Approval(Body):
    """An approval: of the requested level unless another is given, and without an end unless one is given."""

    access_level: AccessLevel | None = None
    expires_at: fields.Timestamp | None = None


def request_access(db: Repository, caller: Caller, startup_id: str, draft: AccessDraft) -> AccessRequest:
    """Request access to a startup, as an investor. An investor has at most one open or approved request for it."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    if startup.status != StartupStatus.ACTIVE:
        raise Forbidden(f"startup {startup_id} is not active")
    now = db.now()
    request = AccessRequest(
        access_id=new_ulid(now),
        requester_id=caller.user_id,
        startup_id=startup_id,
        founder_id=startup.founder_id,
        created_at=now,
        **draft.model_dump(),
    )
    grant = AccessGrant(startup_id=startup_id, investor_id=caller.user_id, access_id=request.access_id)
    try:
        done = transact_as(
            db,
            caller,
            writes.Create(request),
            writes.Create(grant),
            *_records(db, caller, request, request.founder_id),
            role=Role.INVESTOR,
        )
    except errors.AlreadyExists as error:
        raise Conflict(
            "you already have an open or approved request for this startup", "startupId"
        ) from error
    return written_entity(AccessRequest, done[0])


def approve(db: Repository, caller: Caller, access_id: str, approval: Approval) -> AccessRequest:
    """Approve a request, as the founder, optionally until a time."""
    request = _request_to_decide(db, caller, access_id)
    now = db.now()
    if approval.expires_at is not None and approval.expires_at <= now:
        raise Invalid("expiresAt must be in the future", "expiresAt")
    level = approval.access_level or request.access_level
    ends = approval.expires_at
    changes = {
        "status": AccessStatus.APPROVED,
        "access_level": level,
        "granted_at": now,
        "expires_at": ends,
    }
    granted = writes.Update(
        _grant(request),
        set={
            "access_level": level,
            "expires_at": ends,
            "ttl": None if ends is None else int(ends.timestamp()),
        },
        when=AccessGrant.access_id == access_id,
    )
    return _decide(db, caller, request, changes, AccessStatus.PENDING, [granted])


def reject(db: Repository, caller: Caller, access_id: str) -> AccessRequest:
    """Reject a request, as the founder; the investor may request access again."""
    request = _request_to_decide(db, caller, access_id)
    deleted = writes.Delete(_grant(request), when=AccessGrant.access_id == access_id)
    return _decide(db, caller, request, {"status": AccessStatus.REJECTED}, AccessStatus.PENDING, [deleted])


def revoke(db: Repository, caller: Caller, access_id: str) -> AccessRequest:
    """Revoke access, as the founder. It ends at once."""
    return _end(db, caller, _request_to_decide(db, caller, access_id))


def sweep_expired(db: Repository, caller: Caller, days: int = 7) -> int:
    """Mark access that ended in the last days as revoked; return how many. Grants expire without a write."""
    require_platform_role(caller, "worker")
    now = db.now()
    ended = 0
    for age in range(days, -1, -1):
        for request in db.all(AccessDue(day=now - timedelta(days=age), until=now)):
            try:
                _end(db, None, request)
            except Conflict:
                continue  # the founder revoked it, or the index lags
            ended += 1
    return ended


def own_level(db: Repository, caller: Caller, startup_id: str) -> AccessLevel | None:
    """Return the caller's current access level to a startup, or None."""
    active_user(db, caller)
    return granted_level(db, startup_id, caller.user_id)


def read_request(db: Repository, caller: Caller, access_id: str) -> AccessRequest:
    """Return a request, for the investor who made it and the founder who decides."""
    request = _request(db, access_id)
    if caller.user_id not in (request.requester_id, request.founder_id):
        raise Forbidden("only the investor and the founder may read this request")
    return request


def list_mine(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[AccessRequest]:
    """List the caller's requests, newest first."""
    return paging.run(db, AccessByInvestor(requester_id=caller.user_id))


def list_for_startup(
    db: Repository,
    caller: Caller,
    startup_id: str,
    status: AccessStatus | None = None,
    paging: Paging = FIRST_PAGE,
) -> reads.Page[AccessRequest]:
    """List the requests for a startup: of one status, oldest first; or all, grouped by status."""
    own_startup_of_active_founder(db, caller, startup_id)
    if status is None:
        return paging.run(db, AccessForStartup(startup_id=startup_id))
    return paging.run(db, AccessForStartupByStatus(startup_id=startup_id, status=status))


def list_pending(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[AccessRequest]:
    """List the requests that wait for the caller's decision, startup by startup (T17)."""
    active_user(db, caller)
    startups = db.all(StartupsByFounder(founder_id=caller.user_id))
    lists = [
        AccessForStartupByStatus(startup_id=each.startup_id, status=AccessStatus.PENDING) for each in startups
    ]
    return paging.run(db, reads.Chained(lists))


def _request(db: Repository, access_id: str) -> AccessRequest:
    return require_found(db.run(AccessRequestById(access_id=access_id)), f"access request {access_id}")


def _request_to_decide(db: Repository, caller: Caller, access_id: str) -> AccessRequest:
    """Return a request for one of the caller's startups."""
    request = _request(db, access_id)
    own_startup(db, caller, request.startup_id)
    return request


def _grant(request: AccessRequest) -> GrantOf:
    return GrantOf(startup_id=request.startup_id, investor_id=request.requester_id)


def _decide(
    db: Repository,
    caller: Caller,
    request: AccessRequest,
    changes: dict[str, Any],
    before: AccessStatus,
    more: list[writes.Write],
) -> AccessRequest:
    """Change the status of a request, if it still has the status `before`, and notify the investor."""
    changed = Conflict(f"the request is no longer {before}", "status")
    try:
        done = transact_as(
            db,
            caller,
            _status_write(request, changes, before, changed),
            *more,
            *_records(db, caller, request.changed(**changes), request.requester_id),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist) as error:
        raise changed from error
    return written_entity(AccessRequest, done[0])


@writes.retrying(attempts=MAX_ATTEMPTS, on=(errors.ConditionNotMet, errors.DoesNotExist), otherwise=busy)
def _end(db: Repository, caller: Caller | None, request: AccessRequest) -> AccessRequest:
    """End approved access and its grant; without a caller, by the sweep."""
    changes = {"status": AccessStatus.REVOKED}
    not_approved = Conflict(
        f"the request is not {AccessStatus.APPROVED}; only approved access can end", "status"
    )
    done = [
        _status_write(request, changes, AccessStatus.APPROVED, not_approved),
        *_grant_deletion(db, request),
        *_records(db, caller, request.changed(**changes), request.requester_id),
    ]
    (after, *_rest) = transact(db, *done) if caller is None else transact_as(db, caller, *done)
    return written_entity(AccessRequest, after)


def _status_write(
    request: AccessRequest, changes: dict[str, Any], before: AccessStatus, otherwise: Conflict
) -> writes.Write:
    target = AccessRequestById(access_id=request.access_id)
    return writes.Update(target, set=changes, when=AccessRequest.status == before, otherwise=otherwise)


def _grant_deletion(db: Repository, request: AccessRequest) -> list[writes.Write]:
    """Return the write that deletes the grant, unless it has expired or belongs to a newer request."""
    grant = db.run(_grant(request))
    if grant is None or grant.access_id != request.access_id:
        return []
    return [writes.Delete(_grant(request), when=AccessGrant.access_id == request.access_id)]


def _records(
    db: Repository, caller: Caller | None, request: AccessRequest, recipient: str
) -> list[writes.Write]:
    """Return the writes of the notification and the audit entry."""
    about = ("ACCESS_REQUEST", request.access_id)
    body = f"The request for {request.access_level} is {request.status}."
    return [
        notification_write(
            db, recipient, NotificationType.ACCESS_REQUEST, f"Investor access: {request.status}", body, about
        ),
        audit_write(db, caller, f"ACCESS_{request.status}", *about),
    ]
