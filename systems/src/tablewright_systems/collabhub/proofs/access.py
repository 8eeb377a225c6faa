"""Proofs of investor access."""

from datetime import timedelta

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessLevel, AccessStatus, Role, Visibility
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import access, startups
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, JobRun
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
HOUR = timedelta(hours=1)


def new_venture(
    context: ProofContext, visibility: Visibility = Visibility.PUBLIC
) -> tuple[Caller, design.Startup]:
    """Create a founder and a startup."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    return ada, fixtures.new_startup(context.db, ada, visibility)


@PROOFS("A13")
def get_access_request(context: ProofContext) -> None:
    """Get access request."""
    _, startup = new_venture(context)
    _, request = fixtures.new_access_request(context.db, startup)
    with context.measured():
        assert context.db.run(design.AccessRequestById(access_id=request.access_id)) == request


@PROOFS("A14")
def list_access_by_investor(context: ProofContext) -> None:
    """List access by investor, newest first."""
    (_, startup), (_, other) = new_venture(context), new_venture(context)
    ivy, first = fixtures.new_access_request(context.db, startup)
    second = access.request_access(context.db, ivy, other.startup_id)
    fixtures.expect_list(context, design.AccessByInvestor(requester_id=ivy.user_id), [second, first])


@PROOFS("A15")
def list_access_for_startup(context: ProofContext) -> None:
    """List access for startup."""
    _, startup = new_venture(context)
    made = [fixtures.new_access_request(context.db, startup)[1] for _ in range(2)]
    fixtures.expect_list(context, design.AccessForStartup(startup_id=startup.startup_id), made)


@PROOFS("A27")
def list_access_for_startup_by_status(context: ProofContext) -> None:
    """List access for startup by status; an approved request leaves the pending ones."""
    ada, startup = new_venture(context)
    first, second = (fixtures.new_access_request(context.db, startup)[1] for _ in range(2))
    approved = fixtures.approve_access(context.db, ada, first)
    for status, expected in ((AccessStatus.PENDING, [second]), (AccessStatus.APPROVED, [approved])):
        pattern = design.AccessForStartupByStatus(startup_id=startup.startup_id, status=status)
        fixtures.expect_list(context, pattern, expected)


@PROOFS("A35")
def get_access_of_investor(context: ProofContext) -> None:
    """Get the investor's approved, unexpired access to the startup, read consistently."""
    ada, startup = new_venture(context)
    ivy, request = fixtures.new_access_request(context.db, startup, AccessLevel.FULL_ACCESS)
    assert access.own_level(context.db, ivy, startup.startup_id) is None
    fixtures.approve_access(context.db, ada, request, HOUR)
    with context.measured():
        level = access.own_level(context.db, ivy, startup.startup_id)
    assert level == AccessLevel.FULL_ACCESS
    access.revoke(context.db, ada, request.access_id)
    assert access.own_level(context.db, ivy, startup.startup_id) is None


@PROOFS("A41")
def list_pending_access_of_founder(context: ProofContext) -> None:
    """List pending access over all startups of a founder, page by page."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    ventures = [fixtures.new_startup(context.db, ada) for _ in range(2)]
    made = {fixtures.new_access_request(context.db, venture)[1].access_id for venture in ventures * 2}

    def every() -> list[str]:
        requests = fixtures.read_pages(lambda paging: access.list_pending(context.db, ada, paging))
        return [request.access_id for request in requests]

    fixtures.read_when(context, every, lambda requests: len(requests) == 4 and set(requests) == made)


@PROOFS("F5")
def grant_access_for_a_while(context: ProofContext) -> None:
    """Request, approve for an hour, expire; request again, reject, revoke. Access opens the pitch deck."""
    db = context.db
    ada, startup = new_venture(context, Visibility.INVESTORS_ONLY)
    where = startup.startup_id
    ivy, request = fixtures.new_access_request(db, startup)
    expect_error(Forbidden, lambda: startups.read_startup(db, ivy, where))
    expect_error(Conflict, lambda: access.request_access(db, ivy, where))
    expect_error(Forbidden, lambda: access.request_access(db, ada, where))
    expect_error(Forbidden, lambda: fixtures.approve_access(db, ivy, request))
    eve = fixtures.new_user(db, Role.INVESTOR)
    expect_error(Forbidden, lambda: access.read_request(db, eve, request.access_id))
    draft = startups.create_startup(db, ada, fixtures.startup_draft())
    expect_error(Forbidden, lambda: access.request_access(db, eve, draft.startup_id))
    expect_error(Invalid, lambda: fixtures.approve_access(db, ada, request, timedelta(0)), field="expiresAt")
    with context.measured():
        approved = fixtures.approve_access(db, ada, request, HOUR)
    assert approved.granted_at == db.now()
    assert startups.read_startup(db, ivy, where).pitch_deck_url == startup.pitch_deck_url
    expect_error(Conflict, lambda: access.reject(db, ada, request.access_id), field="status")

    context.clock.advance(HOUR)
    expect_error(Forbidden, lambda: startups.read_startup(db, ivy, where))
    context.clock.advance(timedelta(days=60))  # no job ran
    context.eventually(lambda: access.end_expired(JobRun(db)))
    assert access.read_request(db, ivy, request.access_id).status == AccessStatus.REVOKED

    again = access.request_access(db, ivy, where)
    access.reject(db, ada, again.access_id)
    third = access.request_access(db, ivy, where)
    fixtures.approve_access(db, ada, third)
    expect_error(Forbidden, lambda: access.revoke(db, ivy, third.access_id))
    access.revoke(db, ada, third.access_id)
    expect_error(Forbidden, lambda: startups.read_startup(db, ivy, where))
    notifications = db.all(design.Notifications(user_id=ivy.user_id))
    assert {notification.type for notification in notifications} == {design.NotificationType.ACCESS_REQUEST}
    assert len(notifications) == 5
