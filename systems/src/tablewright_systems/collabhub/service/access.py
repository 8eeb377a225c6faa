"""Investor access: requested, approved (optionally until a time), rejected, revoked, expired.

Requests are kept as history. The current state is the grant, an item of the startup: one for each investor (R15), read
consistently (R19), expired at its end (R18). Request and grant are always written together.
"""

from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessGrant, AccessLevel, AccessRequest, AccessStatus
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.notifications import notify
from tablewright_systems.collabhub.service.permissions import Text, active, active_user, own_startup
from tablewright_systems.collabhub.service.startups import granted_level
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    JobRun,
    busy,
    require_found,
    transact,
    written,
)
from tablewright_systems.service.schemas import Time
from tablewright_systems.web import Actor, CurrentCaller, Db, PageRequest, Router, View, problems

router = Router("Access", "Requests of investors to see more of a startup.")


class OwnAccess(View):
    """The caller's access level."""

    access_level: AccessLevel | None


@router.post("/startups/{startup_id}/access-requests", status_code=201)
def request_access(
    db: Db,
    caller: Actor,
    startup_id: str,
    access_level: AccessLevel = AccessLevel.VIEW_DECK,
    message: Text | None = None,
) -> AccessRequest:
    """Request access to a startup."""
    # An investor has at most one open or approved request for it.
    startup = require_found(db.run(design.StartupById(startup_id=startup_id)), f"startup {startup_id}")
    if startup.status != design.StartupStatus.ACTIVE:
        raise Forbidden(f"startup {startup_id} is not active")
    now = db.now()
    request = AccessRequest(
        access_id=fields.ulid(now.timestamp()),
        requester_id=caller.user_id,
        startup_id=startup_id,
        founder_id=startup.founder_id,
        created_at=now,
        access_level=access_level,
        message=message,
    )
    grant = AccessGrant(startup_id=startup_id, investor_id=caller.user_id, access_id=request.access_id)
    exists = Conflict("you already have an open or approved request for this startup", "startupId")
    _, created, *_ = transact(
        db,
        active(caller, design.Role.INVESTOR),
        writes.Create(request),
        writes.Create(grant, otherwise=exists),
        *_records(db, caller, request, request.founder_id),
    )
    return created


@router.post("/access-requests/{access_id}/approval")
def approve(
    db: Db,
    caller: Actor,
    access_id: str,
    access_level: AccessLevel | None = None,
    expires_at: Annotated[Time | None, Field(examples=["2036-01-31T12:00:00Z"])] = None,
) -> AccessRequest:
    """Approve a request, optionally until a time, and of another level than the requested one."""
    request = _request_to_decide(db, caller, access_id)
    now = db.now()
    if expires_at is not None and expires_at <= now:
        raise Invalid("expiresAt must be in the future", "expiresAt")
    changes = {"access_level": access_level or request.access_level, "expires_at": expires_at}
    ttl = None if expires_at is None else int(expires_at.timestamp())
    is_active = design.User.status == design.UserStatus.ACTIVE
    inactive = Conflict("the investor is not an active user", "requesterId")
    return _decide(
        db,
        caller,
        request,
        {"status": AccessStatus.APPROVED, "granted_at": now, **changes},
        writes.Check(design.UserById(user_id=request.requester_id), is_active, otherwise=inactive),
        _grant_write(db, request, {"ttl": ttl, **changes}),
    )


@router.post("/access-requests/{access_id}/rejection")
def reject(db: Db, caller: Actor, access_id: str) -> AccessRequest:
    """Reject a request."""
    # The investor may request access again.
    request = _request_to_decide(db, caller, access_id)
    return _decide(db, caller, request, {"status": AccessStatus.REJECTED}, *_grant_deletion(db, request))


@router.post("/access-requests/{access_id}/revocation")
def revoke(db: Db, caller: Actor, access_id: str) -> AccessRequest:
    """Revoke access."""
    # It ends at once.
    return _end(db, caller, _request_to_decide(db, caller, access_id))


def end_expired(run: JobRun) -> int:
    """Mark all access that has ended as revoked, whenever it ended; return how many. Grants expire without a write."""

    def end(request: AccessRequest) -> bool:
        try:
            return _end(run.db, None, request) is not None
        except (Conflict, errors.ConditionNotMet):
            return False  # the founder revoked it, or the index lags

    return run.for_each(run.db.iterate(design.AccessDue(until=run.db.now()), unknown="skip"), end)


@router.get("/startups/{startup_id}/access", responses=problems(), reply=OwnAccess)
def own_level(db: Db, caller: CurrentCaller, startup_id: str) -> AccessLevel | None:
    """Get the caller's current access level to a startup."""
    active_user(db, caller)
    return granted_level(db, startup_id, caller.user_id)


@router.get("/access-requests/pending")
def list_pending(
    db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE
) -> reads.Page[AccessRequest]:
    """List the requests that wait for the caller's decision."""
    active_user(db, caller)
    lists = [
        design.AccessForStartupByStatus(startup_id=startup.startup_id, status=AccessStatus.PENDING)
        for startup in db.all(design.StartupsByFounder(founder_id=caller.user_id))
    ]
    return paging.run(db, reads.Chained(lists))


@router.get("/access-requests/{access_id}")
def read_request(db: Db, caller: CurrentCaller, access_id: str) -> AccessRequest:
    """Get a request."""
    active_user(db, caller)
    request = _request(db, access_id)
    if caller.user_id not in (request.requester_id, request.founder_id):
        raise Forbidden("only the investor and the founder may read this request")
    return request


@router.get("/startups/{startup_id}/access-requests")
def list_for_startup(
    db: Db,
    caller: CurrentCaller,
    startup_id: str,
    status: AccessStatus | None = None,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[AccessRequest]:
    """List the requests for a startup, grouped by status, or those of one status."""
    # Or all, grouped by status.
    own_startup(db, caller, startup_id)
    if status is None:
        return paging.run(db, design.AccessForStartup(startup_id=startup_id))
    return paging.run(db, design.AccessForStartupByStatus(startup_id=startup_id, status=status))


def _request(db: Repository, access_id: str) -> AccessRequest:
    return require_found(db.run(design.AccessRequestById(access_id=access_id)), f"access request {access_id}")


def _request_to_decide(db: Repository, caller: Caller, access_id: str) -> AccessRequest:
    """Return a request for one of the caller's startups."""
    request = _request(db, access_id)
    own_startup(db, caller, request.startup_id)
    return request


def _grant(request: AccessRequest) -> design.GrantOf:
    return design.GrantOf(startup_id=request.startup_id, investor_id=request.requester_id)


def _decide(
    db: Repository, caller: Caller, request: AccessRequest, changes: dict[str, Any], *more: writes.Write
) -> AccessRequest:
    """Decide a request that is still pending, and notify the investor."""
    decided = Conflict(f"the request is no longer {AccessStatus.PENDING}", "status")
    try:
        done = transact(
            db,
            active(caller),
            _status_write(request, changes, AccessStatus.PENDING, decided),
            *more,
            *_records(db, caller, request.changed(**changes), request.requester_id),
        )
    except (errors.ConditionNotMet, errors.DoesNotExist, errors.AlreadyExists) as error:
        raise decided from error
    return written(done, AccessRequest)


@writes.retrying(on=(errors.ConditionNotMet, errors.DoesNotExist), otherwise=busy)
def _end(db: Repository, caller: Caller | None, request: AccessRequest) -> AccessRequest:
    """End approved access and its grant; without a caller, by the job."""
    changes = {"status": AccessStatus.REVOKED}
    not_approved = Conflict(
        f"the request is not {AccessStatus.APPROVED}; only approved access can end", "status"
    )
    done = transact(
        db,
        *([active(caller)] if caller else []),
        _status_write(request, changes, AccessStatus.APPROVED, not_approved),
        *_grant_deletion(db, request),
        *_records(db, caller, request.changed(**changes), request.requester_id),
    )
    return written(done, AccessRequest)


def _status_write(
    request: AccessRequest, changes: dict[str, Any], before: AccessStatus, otherwise: Conflict
) -> writes.Write:
    target = design.AccessRequestById(access_id=request.access_id)
    return writes.Update(target, set=changes, when=AccessRequest.status == before, otherwise=otherwise)


def _grant_write(db: Repository, request: AccessRequest, changes: dict[str, Any]) -> writes.Write:
    """Return the write that makes the grant of an open request usable; a request of another program has none yet."""
    is_this = AccessGrant.access_id == request.access_id
    if db.run(_grant(request)) is not None:
        return writes.Update(_grant(request), set=changes, when=is_this)
    grant = AccessGrant(
        startup_id=request.startup_id, investor_id=request.requester_id, access_id=request.access_id
    )
    return writes.Create(grant.changed(**changes))


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
    title, body = (
        f"Investor access: {request.status}",
        f"The request for {request.access_level} is {request.status}.",
    )
    return [
        *notify(db, recipient, design.NotificationType.ACCESS_REQUEST, title, body, about),
        audit_entry(db, caller, f"ACCESS_{request.status}", *about),
    ]


@router.get("/access-requests")
def list_mine(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[AccessRequest]:
    """List the caller's requests, newest first."""
    return paging.run(db, design.AccessByInvestor(requester_id=caller.user_id))
