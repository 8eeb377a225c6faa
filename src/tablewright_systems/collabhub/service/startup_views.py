"""Startup views: reading and listing startups, and which parts of a startup each user may see."""

from tablewright import Repository, reads
from tablewright_systems.collabhub.design.access import AccessLevel
from tablewright_systems.collabhub.design.startups import (
    MemberOf,
    PublicStartups,
    PublicStartupsIn,
    Stage,
    Startup,
    StartupById,
    StartupRole,
    StartupsByFounder,
    StartupsByVisibility,
    StartupStatus,
    StartupWithRoles,
    TeamMember,
    TeamOf,
    Visibility,
)
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.service.authorization import (
    active_user,
    require_admin,
    require_found,
)
from tablewright_systems.collabhub.service.grants import granted_level
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import View

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
    stage: Stage
    location: str
    tags: list[str]
    logo_url: str | None
    visibility: Visibility
    status: StartupStatus


class StartupDetails(View):
    """A startup with its roles, as far as the caller may see it."""

    startup: Startup
    roles: list[StartupRole]


def read_startup(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Return a startup, as far as the caller may see it."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    return visible_to(db, caller, startup)


def read_details(db: Repository, caller: Caller, startup_id: str) -> StartupDetails:
    """Return a startup with all its roles, in one read."""
    found = db.all(StartupWithRoles(startup_id=startup_id))
    startup = next((each for each in found if isinstance(each, Startup)), None)
    seen = visible_to(db, caller, require_found(startup, f"startup {startup_id}"))
    return StartupDetails(startup=seen, roles=[each for each in found if isinstance(each, StartupRole)])


def visible_to(db: Repository, caller: Caller, startup: Startup) -> Startup:
    """Return what the caller may see of a startup: all, or all but the pitch deck; otherwise raise Forbidden.

    The founder and administrators see everything. Other active users see an active startup if it is public, if they
    are in its team, or if they have a sufficient access level. The pitch deck needs a grant or a place in the team.
    """
    if caller.user_id == startup.founder_id or "admin" in caller.roles:
        return startup
    if active_user(db, caller).role == Role.ADMIN:
        return startup
    if startup.status == StartupStatus.ACTIVE:
        level = granted_level(db, startup.startup_id, caller.user_id)
        if _is_member(db, caller, startup) or (level and level.reaches(AccessLevel.FULL_ACCESS)):
            return startup
        needed = _REQUIRED_LEVELS[startup.visibility]
        if needed is None or (level and level.reaches(needed)):
            return startup if level and level.reaches(AccessLevel.VIEW_DECK) else _without_deck(startup)
    raise Forbidden(f"you need access to startup {startup.startup_id}; request it from the founder")


def list_of_founder(
    db: Repository, caller: Caller, founder_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the startups of a founder, newest first; for the founder and administrators."""
    if caller.user_id != founder_id:
        require_admin(db, caller)
    return paging.run(db, StartupsByFounder(founder_id=founder_id)).map(StartupCard.model_validate)


def list_public(
    db: Repository, caller: Caller, industry: str | None = None, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the public startups, newest first, or those of one industry."""
    active_user(db, caller)
    pattern = PublicStartups() if industry is None else PublicStartupsIn(industry=industry)
    return paging.run(db, pattern).map(StartupCard.model_validate)


def list_for_investors(
    db: Repository, caller: Caller, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List the startups that are visible to investors only; investors request access to see more."""
    active_user(db, caller, Role.INVESTOR, Role.ADMIN)
    pattern = StartupsByVisibility(visibility=Visibility.INVESTORS_ONLY, status=StartupStatus.ACTIVE)
    return paging.run(db, pattern).map(StartupCard.model_validate)


def list_by_status(
    db: Repository, caller: Caller, status: StartupStatus, paging: Paging = FIRST_PAGE
) -> reads.Page[StartupCard]:
    """List startups by status, whatever their visibility, for administrators: the review queue (T20)."""
    require_admin(db, caller)
    lists = [StartupsByVisibility(visibility=each, status=status) for each in Visibility]
    return paging.run(db, reads.Chained(lists)).map(StartupCard.model_validate)


def list_team(
    db: Repository, caller: Caller, startup_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[TeamMember]:
    """List the team of a startup that the caller may see."""
    read_startup(db, caller, startup_id)
    return paging.run(db, TeamOf(startup_id=startup_id))


def _is_member(db: Repository, caller: Caller, startup: Startup) -> bool:
    return db.run(MemberOf(startup_id=startup.startup_id, user_id=caller.user_id)) is not None


def _without_deck(startup: Startup) -> Startup:
    return startup.changed(pitch_deck_url=None)
