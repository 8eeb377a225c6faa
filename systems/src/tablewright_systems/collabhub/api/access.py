"""Investor access."""

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessLevel, AccessRequest, AccessStatus
from tablewright_systems.collabhub.service import access
from tablewright_systems.collabhub.service.access import AccessDraft, Approval
from tablewright_systems.web import Actor, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems

router = Router("Access", "Requests of investors to see more of a startup.")


class OwnAccess(View):
    """The caller's access level."""

    access_level: AccessLevel | None


@router.post("/startups/{startup_id}/access-requests", status_code=201)
def request_access(db: Db, actor: Actor, startup_id: str, draft: AccessDraft) -> AccessRequest:
    """Request access to a startup."""
    return access.request_access(db, actor, startup_id, draft)


@router.get("/startups/{startup_id}/access-requests")
def list_for_startup(
    db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest, status: AccessStatus | None = None
) -> PageReply[AccessRequest]:
    """List the requests for a startup, grouped by status, or those of one status."""
    return PageReply.of(access.list_for_startup(db, caller, startup_id, status, paging))


@router.get("/startups/{startup_id}/access", responses=problems())
def own_level(db: Db, caller: CurrentCaller, startup_id: str) -> OwnAccess:
    """Get the caller's current access level to a startup."""
    return OwnAccess(access_level=access.own_level(db, caller, startup_id))


@router.get("/access-requests")
def list_mine(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[AccessRequest]:
    """List the caller's requests, newest first."""
    return PageReply.of(paging.run(db, design.AccessByInvestor(requester_id=caller.user_id)))


@router.get("/access-requests/pending")
def list_pending(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[AccessRequest]:
    """List the requests that wait for the caller's decision."""
    return PageReply.of(access.list_pending(db, caller, paging))


@router.get("/access-requests/{access_id}")
def read_request(db: Db, caller: CurrentCaller, access_id: str) -> AccessRequest:
    """Get a request."""
    return access.read_request(db, caller, access_id)


@router.post("/access-requests/{access_id}/approval")
def approve(db: Db, actor: Actor, access_id: str, approval: Approval) -> AccessRequest:
    """Approve a request, optionally until a time."""
    return access.approve(db, actor, access_id, approval)


@router.post("/access-requests/{access_id}/rejection")
def reject(db: Db, actor: Actor, access_id: str) -> AccessRequest:
    """Reject a request."""
    return access.reject(db, actor, access_id)


@router.post("/access-requests/{access_id}/revocation")
def revoke(db: Db, actor: Actor, access_id: str) -> AccessRequest:
    """Revoke access."""
    return access.revoke(db, actor, access_id)
