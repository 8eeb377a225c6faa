"""Proofs about investor access (135-158)."""

from datetime import timedelta

from tablewright_systems.collabhub.design.access import (
    AccessByInvestor,
    AccessForStartup,
    AccessForStartupByStatus,
    AccessLevel,
    AccessRequestById,
    AccessStatus,
)
from tablewright_systems.collabhub.design.people import Role
from tablewright_systems.collabhub.design.records import NotificationType
from tablewright_systems.collabhub.design.startups import Startup, Visibility
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import access, notifications, startups
from tablewright_systems.identities import Caller
from tablewright_systems.problems import Conflict, Forbidden
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("collabhub")
HOUR = timedelta(hours=1)


def venture(stage: Stage, visibility: Visibility = Visibility.PUBLIC) -> tuple[Caller, Startup]:
    """A founder, and a startup to ask about."""
    ada = cast.join(stage.db, Role.FOUNDER)
    return ada, cast.found(stage.db, ada, visibility)


@PROOFS("A13", "004:282")
def get_access_request(stage: Stage) -> None:
    """Get access request."""
    _, startup = venture(stage)
    _, request = cast.ask(stage.db, startup)
    with stage.measured():
        assert stage.db.run(AccessRequestById(access_id=request.access_id)) == request


@PROOFS("A14", "004:283")
def list_access_by_investor(stage: Stage) -> None:
    """List access by investor, the newest first."""
    _, startup = venture(stage)
    ivy, first = cast.ask(stage.db, startup)
    _, other = venture(stage)
    second = access.request_access(stage.db, ivy, other.startup_id, access.AccessDraft())
    cast.read(
        stage,
        lambda: stage.db.iterate(AccessByInvestor(requester_id=ivy.user_id)),
        lambda found: found == [second, first],
    )


@PROOFS("A15", "004:284")
def list_access_for_startup(stage: Stage) -> None:
    """List access for startup."""
    _, startup = venture(stage)
    made = [cast.ask(stage.db, startup)[1] for _ in range(2)]
    pattern = AccessForStartup(startup_id=startup.startup_id)
    cast.read(stage, lambda: stage.db.iterate(pattern), lambda found: found == made)


@PROOFS("A27", "004:157")
def list_access_for_startup_by_status(stage: Stage) -> None:
    """List access for startup by status; what was approved has left the pending ones."""
    ada, startup = venture(stage)
    (_, first), (_, second) = cast.ask(stage.db, startup), cast.ask(stage.db, startup)
    approved = cast.grant(stage.db, ada, first)

    def of(status: AccessStatus) -> AccessForStartupByStatus:
        return AccessForStartupByStatus(startup_id=startup.startup_id, status=status)

    pending = of(AccessStatus.PENDING)
    cast.read(stage, lambda: stage.db.iterate(pending), lambda found: found == [second])
    stage.eventually(lambda: stage.db.all(of(AccessStatus.APPROVED)) == [approved])


@PROOFS("A35", "004:137")
def see_whether_an_investor_has_access(stage: Stage) -> None:
    """Has the investor approved, unexpired access to the startup? It is read consistently."""
    ada, startup = venture(stage)
    ivy, request = cast.ask(stage.db, startup, AccessLevel.FULL_ACCESS)
    assert access.may_see(stage.db, ivy, startup.startup_id) is None
    cast.grant(stage.db, ada, request, HOUR)
    with stage.measured():
        level = access.may_see(stage.db, ivy, startup.startup_id)
    assert level == AccessLevel.FULL_ACCESS
    access.revoke(stage.db, ada, request.access_id)
    assert access.may_see(stage.db, ivy, startup.startup_id) is None


@PROOFS("A41", "004:144")
def list_pending_access_of_founder(stage: Stage) -> None:
    """List pending access over all startups of a founder, page by page."""
    ada = cast.join(stage.db, Role.FOUNDER)
    made = set()
    for _ in range(2):
        startup = cast.found(stage.db, ada)
        made |= {cast.ask(stage.db, startup)[1].access_id for _ in range(2)}

    def every() -> list[str]:
        first = access.list_pending(stage.db, ada, limit=3)
        rest = access.list_pending(stage.db, ada, limit=3, cursor=first.cursor) if first.cursor else ()
        return [each.access_id for each in (*first, *rest)]

    cast.read(stage, every, lambda found: len(found) == 4 and set(found) == made)


@PROOFS("F5", "004:146")
def grant_access_for_a_while(stage: Stage) -> None:
    """Ask, approve for an hour, expire; ask again, reject, revoke. It opens the deck and what is for investors only."""
    ada, startup = venture(stage, Visibility.INVESTORS_ONLY)
    where = startup.startup_id
    ivy, request = cast.ask(stage.db, startup)
    cast.refused(Forbidden, lambda: startups.read_startup(stage.db, ivy, where))
    cast.refused(Conflict, lambda: access.request_access(stage.db, ivy, where, access.AccessDraft()))
    with stage.measured():
        approved = cast.grant(stage.db, ada, request, HOUR)
    assert approved.granted_at == stage.db.now()
    assert startups.read_startup(stage.db, ivy, where).pitch_deck_url == startup.pitch_deck_url

    stage.clock.advance(HOUR)
    cast.refused(Forbidden, lambda: startups.read_startup(stage.db, ivy, where))
    stage.eventually(lambda: access.sweep_expired(stage.db, cast.WORKER))
    assert access.read_request(stage.db, ivy, request.access_id).status == AccessStatus.REVOKED

    again = access.request_access(stage.db, ivy, where, access.AccessDraft())
    access.reject(stage.db, ada, again.access_id)
    third = access.request_access(stage.db, ivy, where, access.AccessDraft())
    cast.grant(stage.db, ada, third)
    access.revoke(stage.db, ada, third.access_id)
    cast.refused(Forbidden, lambda: startups.read_startup(stage.db, ivy, where))
    told = notifications.list_notifications(stage.db, ivy)
    assert {each.type for each in told} == {NotificationType.ACCESS_REQUEST}
    assert len(told) == 5
