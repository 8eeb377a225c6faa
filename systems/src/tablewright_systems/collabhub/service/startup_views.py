"""Startup views: reading and listing startups, and which parts of a startup each user may see."""

from tablewright import Query, Repository, reads
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import AccessLevel, Role, Startup, StartupStatus, Visibility
from tablewright_systems.collabhub.service.permissions import active_user, require_admin
from tablewright_systems.service import FIRST_PAGE, Caller, Forbidden, Paging, require_found
from tablewright_systems.service.schemas import View
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, problems

router = Router("Startups", "Startups, their review and their teams.")

_REQUIRED_LEVELS = {
    Visibility.PUBLIC: None,
    Visibility.INVESTORS_ONLY: AccessLevel.VIEW_PROFILE,
    Visibility.PRIVATE: AccessLevel.FULL_ACCESS,
}
"""The access level that a user needs to see a startup."""


class StartupCard(View):
    """A startup in a list."""

    startup_id: str
    founder_id: str
    name: str
    tagline: str
    industry: str
    stage: design.Stage
    location: str
    tags: list[str]
    logo_url: str | None
    visibility: Visibility
    status: StartupStatus


class StartupDetails(View):
    """A startup with its roles, as far as the caller may see it."""

    startup: Startup
    roles: list[design.StartupRole]


@router.get("/startups/for-investors")
def list_for_investors(
    db: Db, caller: CurrentCaller, paging: PageRequest = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the startups that are visible to investors only."""
    # Investors request access to see more.
    active_user(db, caller, Role.INVESTOR, Role.ADMIN)
    visibility, status = Visibility.INVESTORS_ONLY, StartupStatus.ACTIVE
    return _cards(db, design.StartupsByVisibility(visibility=visibility, status=status), paging)


@router.get("/startups/{startup_id}")
def read_startup(db: Db, caller: CurrentCaller, startup_id: str) -> Startup:
    """Get a startup, as far as the caller may see it."""
    startup = require_found(db.run(design.StartupById(startup_id=startup_id)), f"startup {startup_id}")
    return visible_to(db, caller, startup)


@router.get("/startups/{startup_id}/sheet")
def read_details(db: Db, caller: CurrentCaller, startup_id: str) -> StartupDetails:
    """Get a startup with all its roles."""
    found = db.all(design.StartupWithRoles(startup_id=startup_id))
    startup = next((each for each in found if isinstance(each, Startup)), None)
    seen = visible_to(db, caller, require_found(startup, f"startup {startup_id}"))
    return StartupDetails(
        startup=seen, roles=[each for each in found if isinstance(each, design.StartupRole)]
    )


def visible_to(db: Repository, caller: Caller, startup: Startup) -> Startup:
    """Return what the caller may see of a startup: all, or all but the pitch deck; otherwise raise Forbidden.

    Its founder and administrators see everything. Other active users see an active startup if it is public, if they
    are in its team, or if they have a sufficient access level. The pitch deck needs a grant or a place in the team.
    """
    if "admin" in caller.roles:
        return startup
    user = active_user(db, caller)
    if user.role == Role.ADMIN or user.user_id == startup.founder_id:
        return startup
    if startup.status == StartupStatus.ACTIVE:
        level = granted_level(db, startup.startup_id, caller.user_id)
        if _is_member(db, caller, startup) or (level and level.reaches(AccessLevel.FULL_ACCESS)):
            return startup
        needed = _REQUIRED_LEVELS[startup.visibility]
        if needed is None or (level and level.reaches(needed)):
            has_deck = level is not None and level.reaches(AccessLevel.VIEW_DECK)
            return startup if has_deck else startup.changed(pitch_deck_url=None)
    raise Forbidden(f"you need access to startup {startup.startup_id}; request it from the founder")


def granted_level(db: Repository, startup_id: str, investor_id: str) -> AccessLevel | None:
    """Return the approved level, read consistently (R19); None without a grant, or after its end, swept or not."""
    grant = db.run(design.GrantOf(startup_id=startup_id, investor_id=investor_id))
    if grant is None or (grant.expires_at is not None and grant.expires_at <= db.now()):
        return None
    return grant.access_level


@router.get("/founders/{founder_id}/startups", responses=problems())
def list_of_founder(
    db: Db, caller: CurrentCaller, founder_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the startups of a founder."""
    # For the founder and administrators.
    if caller.user_id == founder_id:
        active_user(db, caller)
    else:
        require_admin(db, caller)
    return _cards(db, design.StartupsByFounder(founder_id=founder_id), paging)


@router.get("/startups")
def list_public(
    db: Db, caller: CurrentCaller, industry: str | None = None, paging: PageRequest = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the public startups, newest first."""
    active_user(db, caller)
    return _cards(
        db, design.PublicStartupsIn(industry=industry) if industry else design.PublicStartups(), paging
    )


@router.get("/admin/startups")
def list_by_status(
    db: Db, caller: CurrentCaller, status: StartupStatus, paging: PageRequest = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List startups by status: the review queue. For administrators."""
    require_admin(db, caller)
    lists = [design.StartupsByVisibility(visibility=each, status=status) for each in Visibility]
    return _cards(db, reads.Chained(lists), paging)


def _cards(
    db: Repository, pattern: Query[Startup] | reads.Chained[Startup], paging: Paging
) -> reads.Page[StartupCard]:
    return paging.run(db, pattern).map(StartupCard.model_validate)


def _is_member(db: Repository, caller: Caller, startup: Startup) -> bool:
    return db.run(design.MemberOf(startup_id=startup.startup_id, user_id=caller.user_id)) is not None


@router.get("/startups/{startup_id}/team")
def list_team(
    db: Db, caller: CurrentCaller, startup_id: str, paging: PageRequest
) -> reads.Page[design.TeamMember]:
    """List the team of a startup."""
    read_startup(db, caller, startup_id)
    return paging.run(db, design.TeamOf(startup_id=startup_id))
