"""Startups: from draft through review to public, and back.

Open roles are listed while their startup is (R5). A change of the startup is conditional on its version, which
opening and closing roles change too; so neither misses the other.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from tablewright import Query, Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    AccessLevel,
    Role,
    Stage,
    Startup,
    StartupById,
    StartupStatus,
    Visibility,
)
from tablewright_systems.collabhub.service.audit import audit_entry
from tablewright_systems.collabhub.service.permissions import (
    Line,
    Money,
    Text,
    Url,
    Words,
    active,
    active_user,
    own_startup,
    require_admin,
)
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    Paging,
    PreconditionFailed,
    busy,
    require_found,
    require_version,
    transact,
    written,
)
from tablewright_systems.service.schemas import Body, View, omittable
from tablewright_systems.web import Actor, CurrentCaller, Db, ExpectedVersion, PageRequest, Router, problems

router = Router("Startups", "Startups, their review and their teams.")


class StartupDraft(Body):
    """A new startup."""

    name: Line
    tagline: Line
    description: Text
    industry: Line
    stage: Stage
    location: Line
    visibility: Visibility = Visibility.PUBLIC
    team_size: Annotated[int, Field(ge=1, le=1_000_000)] = 1
    tags: Words = Field(default_factory=list)
    funding_goal: Money | None = None
    funding_raised: Money | None = None
    logo_url: Url | None = None
    website_url: Url | None = None
    pitch_deck_url: Url | None = None


class StartupChanges(Body):
    """Changes of a startup: a field that is left out stays, a field that is null is deleted."""

    name: Line = omittable()
    tagline: Line = omittable()
    description: Text = omittable()
    industry: Line = omittable()
    stage: Stage = omittable()
    location: Line = omittable()
    tags: Words = omittable()
    funding_goal: Money | None = None
    funding_raised: Money | None = None
    logo_url: Url | None = None
    website_url: Url | None = None
    pitch_deck_url: Url | None = None


@router.post("/startups", status_code=201)
def create_startup(db: Db, caller: Actor, draft: StartupDraft) -> Startup:
    """Create a startup as a draft."""
    now = db.now()
    startup = Startup(
        startup_id=fields.ulid(now.timestamp()),
        founder_id=caller.user_id,
        created_at=now,
        **draft.model_dump(),
    )
    _, created, *_ = transact(
        db,
        active(caller, Role.FOUNDER),
        writes.Create(startup),
        audit_entry(db, caller, "STARTUP_CREATED", "STARTUP", startup.startup_id),
    )
    return created


@router.patch("/startups/{startup_id}")
def edit_startup(
    db: Db, caller: Actor, startup_id: str, changes: StartupChanges, version: ExpectedVersion = None
) -> Startup:
    """Change a startup."""
    # With a version, only that version is changed.
    own_startup(db, caller, startup_id)
    target = StartupById(startup_id=startup_id)
    if values := changes.sent():
        transact(
            db,
            active(caller),
            writes.Update(
                target, set=values, version=version, otherwise={errors.VersionConflict: PreconditionFailed}
            ),
            audit_entry(db, caller, "STARTUP_EDITED", "STARTUP", startup_id, {"fields": sorted(values)}),
        )
    return require_found(db.run(target), f"startup {startup_id}")


@router.put("/startups/{startup_id}/visibility")
def set_visibility(
    db: Db, caller: Actor, startup_id: str, visibility: Visibility, version: ExpectedVersion = None
) -> Startup:
    """Change who may see a startup."""
    # With a version, only that version.

    def change(startup: Startup) -> dict[str, Any]:
        return {"visibility": visibility}

    return _change_own(db, caller, startup_id, change, "STARTUP_VISIBILITY_CHANGED", version)


@router.post("/startups/{startup_id}/submission")
def submit(db: Db, caller: Actor, startup_id: str, version: ExpectedVersion = None) -> Startup:
    """Submit a draft for review."""
    # With a version, only that version.
    change = _to(StartupStatus.PENDING_REVIEW, StartupStatus.DRAFT)
    return _change_own(db, caller, startup_id, change, "STARTUP_SUBMITTED", version)


@router.post("/startups/{startup_id}/approval")
def approve(db: Db, caller: Actor, startup_id: str, version: ExpectedVersion = None) -> Startup:
    """Approve a startup. For administrators."""
    # With a version, only what was reviewed.
    require_admin(db, caller)
    change = _to(StartupStatus.ACTIVE, StartupStatus.PENDING_REVIEW, StartupStatus.SUSPENDED)
    return _change(db, caller, startup_id, change, "STARTUP_APPROVED", version)


@router.post("/startups/{startup_id}/return")
def return_to_draft(db: Db, caller: Actor, startup_id: str, version: ExpectedVersion = None) -> Startup:
    """Return a startup to its founder for changes. For administrators."""
    # With a version, only that version.
    require_admin(db, caller)
    change = _to(StartupStatus.DRAFT, StartupStatus.PENDING_REVIEW)
    return _change(db, caller, startup_id, change, "STARTUP_SENT_BACK", version)


@router.post("/startups/{startup_id}/suspension")
def suspend(db: Db, caller: Actor, startup_id: str, version: ExpectedVersion = None) -> Startup:
    """Suspend a startup. For administrators."""
    # With a version, only that version.
    require_admin(db, caller)
    others = set(StartupStatus) - {StartupStatus.SUSPENDED}
    change = _to(StartupStatus.SUSPENDED, *others)
    return _change(db, caller, startup_id, change, "STARTUP_SUSPENDED", version)


def suspend_all(db: Repository, caller: Caller, startup_ids: Iterable[str]) -> None:
    """Suspend all startups of a banned user; suspended ones do not change."""
    suspended = StartupStatus.SUSPENDED

    def change(startup: Startup) -> dict[str, Any]:
        return {} if startup.status == suspended else {"status": suspended}

    for startup_id in startup_ids:
        _change(db, caller, startup_id, change, "STARTUP_SUSPENDED")


Change = Callable[[Startup], dict[str, Any]]


def _to(after: StartupStatus, *before: StartupStatus) -> Change:
    """Return the change to a status, from one of some others."""

    def change(startup: Startup) -> dict[str, Any]:
        if startup.status == after:
            raise Conflict(f"startup {startup.startup_id} is already {after}", "status")
        if startup.status not in before:
            message = f"startup {startup.startup_id} is {startup.status}"
            raise Conflict(f"{message}; it must be {' or '.join(before)} to become {after}", "status")
        return {"status": after}

    return change


def _change_own(
    db: Repository, caller: Caller, startup_id: str, change: Change, action: str, version: int | None
) -> Startup:
    """Change a startup of the caller."""

    def own_change(startup: Startup) -> dict[str, Any]:
        if startup.founder_id != caller.user_id:
            raise Forbidden(f"only the founder of startup {startup.startup_id} may do this")
        return change(startup)

    return _change(db, caller, startup_id, own_change, action, version, active(caller))


@writes.retrying(otherwise=busy)
def _change(
    db: Repository,
    caller: Caller,
    startup_id: str,
    change: Change,
    action: str,
    version: int | None = None,
    *permission: writes.Write,
) -> Startup:
    """Change a startup, and whether its open roles are listed; repeat if another writer was faster."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    changed = change(startup)
    require_version(startup, version)
    if not changed:
        return startup
    done = transact(
        db,
        *permission,
        writes.Update(startup, set=changed),
        *_role_writes(db, startup, startup.changed(**changed)),
        audit_entry(db, caller, action, "STARTUP", startup_id, changed),
    )
    return written(done, Startup)


def _role_writes(db: Repository, before: Startup, after: Startup) -> list[writes.Write]:
    if before.is_listed == after.is_listed:
        return []
    return [
        writes.Update(
            design.RoleById(startup_id=role.startup_id, role_id=role.role_id),
            set={"is_listed": after.is_listed},
        )
        for role in db.all(design.RolesOfStartup(startup_id=before.startup_id))
        if role.is_open
    ]


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
    entities = db.all(design.StartupWithRoles(startup_id=startup_id))
    startup = next((entity for entity in entities if isinstance(entity, Startup)), None)
    seen = visible_to(db, caller, require_found(startup, f"startup {startup_id}"))
    return StartupDetails(
        startup=seen, roles=[entity for entity in entities if isinstance(entity, design.StartupRole)]
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
    lists = [design.StartupsByVisibility(visibility=visibility, status=status) for visibility in Visibility]
    return _cards(db, reads.Chained(lists), paging)


def _cards(
    db: Repository, pattern: Query[Startup] | reads.Chained[Startup], paging: Paging
) -> reads.Page[StartupCard]:
    return paging.run(db, pattern).map(StartupCard.model_validate)


def _is_member(db: Repository, caller: Caller, startup: Startup) -> bool:
    return db.run(design.MemberOf(startup_id=startup.startup_id, user_id=caller.user_id)) is not None


@router.get("/startups/{startup_id}/team")
def list_team(db: Db, caller: CurrentCaller, startup_id: str) -> design.TeamOf:
    """List the team of a startup."""
    read_startup(db, caller, startup_id)
    return design.TeamOf(startup_id=startup_id)
