"""Startups (54-85): from a draft over a review to the public, and who may see how much of one.

Open roles are listed while their startup is (T5). A change of the startup holds to its version, which the opening and
closing of roles move too; so neither overlooks the other.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Forbidden
from tablewright_systems.authentication import Caller
from tablewright_systems.collabhub.design.access import AccessLevel
from tablewright_systems.collabhub.design.people import Role
from tablewright_systems.collabhub.design.startups import (
    MemberOf,
    Money,
    PublicStartups,
    PublicStartupsIn,
    RoleById,
    RolesOfStartup,
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
from tablewright_systems.collabhub.design.tables import Line, Text, Url, Words
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.paging import DEFAULT, chained, page
from tablewright_systems.collabhub.service.acting import (
    TRIES,
    active_user,
    overtaken,
    require_admin,
    required,
    startup_of,
    transact,
    transact_as,
    written,
)
from tablewright_systems.collabhub.service.audit import audited
from tablewright_systems.collabhub.service.grants import granted_level
from tablewright_systems.collabhub.service.shapes import Input, View
from tablewright_systems.pagination import ResultPage

_NEEDED = {
    Visibility.PUBLIC: None,
    Visibility.INVESTORS_ONLY: AccessLevel.VIEW_PROFILE,
    Visibility.PRIVATE: AccessLevel.FULL_ACCESS,
}
"""The grant that it takes to see a startup."""


class StartupDraft(Input):
    """A new startup."""

    name: Line
    tagline: Line
    description: Text
    industry: Line
    stage: Stage
    location: Line
    visibility: Visibility = Visibility.PUBLIC
    team_size: Annotated[int, Field(ge=1)] = 1
    tags: Words = Field(default_factory=list)
    funding_goal: Money | None = None
    funding_raised: Money | None = None
    logo_url: Url | None = None
    website_url: Url | None = None
    pitch_deck_url: Url | None = None


class StartupChanges(Input):
    """What changes of a startup; what is not given stays, what is null goes."""

    never_null = ("name", "tagline", "description", "industry", "stage", "location", "tags")

    name: Line | None = None
    tagline: Line | None = None
    description: Text | None = None
    industry: Line | None = None
    stage: Stage | None = None
    location: Line | None = None
    tags: Words | None = None
    funding_goal: Money | None = None
    funding_raised: Money | None = None
    logo_url: Url | None = None
    website_url: Url | None = None
    pitch_deck_url: Url | None = None


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


class StartupSheet(View):
    """A startup, as far as the caller may see it, with its roles."""

    startup: Startup
    roles: list[StartupRole]


def create_startup(db: Repository, caller: Caller, draft: StartupDraft) -> Startup:
    """Found a startup: a draft that only its founder sees."""
    now = db.now()
    startup = Startup(
        startup_id=new_ulid(now), founder_id=caller.user_id, created_at=now, **draft.model_dump()
    )
    done = transact_as(
        db,
        caller,
        writes.Create(startup),
        audited(db, caller, "STARTUP_CREATED", "STARTUP", startup.startup_id),
        role=Role.FOUNDER,
    )
    return written(Startup, done[0])


def edit_startup(db: Repository, caller: Caller, startup_id: str, changes: StartupChanges) -> Startup:
    """Change what is told of a startup; each field by itself, so that two who edit do not undo each other."""
    startup_of(db, caller, startup_id)
    target = StartupById(startup_id=startup_id)
    if changes.given:
        transact_as(db, caller, writes.Update(target, set=changes.given))
    return required(db.run(target), f"startup {startup_id}")


def show_to(db: Repository, caller: Caller, startup_id: str, visibility: Visibility) -> Startup:
    """Choose who may see a startup; its open roles are listed or not accordingly."""

    def change(startup: Startup) -> dict[str, Any]:
        _require_founder(startup, caller)
        return {"visibility": visibility}

    return _change(db, caller, startup_id, change, "STARTUP_VISIBILITY_CHANGED", is_own=True)


def submit(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Hand a draft in for review."""

    def change(startup: Startup) -> dict[str, Any]:
        _require_founder(startup, caller)
        return _moved(startup, StartupStatus.PENDING_REVIEW, {StartupStatus.DRAFT})

    return _change(db, caller, startup_id, change, "STARTUP_SUBMITTED", is_own=True)


def approve(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Let a startup out, after its review or after it was suspended."""
    require_admin(db, caller)
    before = {StartupStatus.PENDING_REVIEW, StartupStatus.SUSPENDED}
    return _judge(db, caller, startup_id, StartupStatus.ACTIVE, before, "STARTUP_APPROVED")


def send_back(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Give a startup back to its founder, to be worked over."""
    require_admin(db, caller)
    before = {StartupStatus.PENDING_REVIEW}
    return _judge(db, caller, startup_id, StartupStatus.DRAFT, before, "STARTUP_SENT_BACK")


def suspend(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Take a startup away from everybody but its founder."""
    require_admin(db, caller)
    before = set(StartupStatus) - {StartupStatus.SUSPENDED}
    return _judge(db, caller, startup_id, StartupStatus.SUSPENDED, before, "STARTUP_SUSPENDED")


def suspend_all(db: Repository, caller: Caller, startup_ids: Iterable[str]) -> None:
    """The same with all startups of somebody who was banned; those that are suspended stay so."""

    def change(startup: Startup) -> dict[str, Any]:
        is_done = startup.status == StartupStatus.SUSPENDED
        return {} if is_done else {"status": StartupStatus.SUSPENDED}

    for startup_id in startup_ids:
        _change(db, caller, startup_id, change, "STARTUP_SUSPENDED")


def read_startup(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """A startup, as far as the caller may see it."""
    startup = required(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    return seen_by(db, caller, startup)


def read_sheet(db: Repository, caller: Caller, startup_id: str) -> StartupSheet:
    """A startup with all its roles, in one read."""
    found = db.all(StartupWithRoles(startup_id=startup_id))
    startup = next((each for each in found if isinstance(each, Startup)), None)
    seen = seen_by(db, caller, required(startup, f"startup {startup_id}"))
    return StartupSheet(startup=seen, roles=[each for each in found if isinstance(each, StartupRole)])


def seen_by(db: Repository, caller: Caller, startup: Startup) -> Startup:
    """A startup as the caller sees it: whole, without its pitch deck, or not at all.

    Its founder and administrators see all of it. Other active users see it when it is active, and it is public, or
    they are in its team, or they have a grant that reaches so far; the deck takes a grant, or a place in the team.
    """
    if caller.user_id == startup.founder_id or "admin" in caller.roles:
        return startup
    if active_user(db, caller).role == Role.ADMIN:
        return startup
    if startup.status == StartupStatus.ACTIVE:
        level = granted_level(db, startup.startup_id, caller.user_id)
        if _is_member(db, caller, startup) or (level and level.reaches(AccessLevel.FULL_ACCESS)):
            return startup
        needed = _NEEDED[startup.visibility]
        if needed is None or (level and level.reaches(needed)):
            return startup if level and level.reaches(AccessLevel.VIEW_DECK) else _without_deck(startup)
    raise Forbidden(f"startup {startup.startup_id} is not for everybody")


def list_of_founder(
    db: Repository, caller: Caller, founder_id: str, limit: int = DEFAULT, cursor: str | None = None
) -> ResultPage[StartupCard]:
    """The startups of a founder, the newest first; for themselves and administrators."""
    if caller.user_id != founder_id:
        require_admin(db, caller)
    return page(db, StartupsByFounder(founder_id=founder_id), limit, cursor).map(StartupCard.model_validate)


def list_public(
    db: Repository,
    caller: Caller,
    industry: str | None = None,
    limit: int = DEFAULT,
    cursor: str | None = None,
) -> ResultPage[StartupCard]:
    """The startups that everybody may see, the newest first; of one industry, if one is given."""
    active_user(db, caller)
    pattern = PublicStartups() if industry is None else PublicStartupsIn(industry=industry)
    return page(db, pattern, limit, cursor).map(StartupCard.model_validate)


def list_for_investors(
    db: Repository, caller: Caller, limit: int = DEFAULT, cursor: str | None = None
) -> ResultPage[StartupCard]:
    """The startups that only investors hear of; to see more they ask for access."""
    active_user(db, caller, Role.INVESTOR, Role.ADMIN)
    pattern = StartupsByVisibility(visibility=Visibility.INVESTORS_ONLY, status=StartupStatus.ACTIVE)
    return page(db, pattern, limit, cursor).map(StartupCard.model_validate)


def list_by_status(
    db: Repository,
    caller: Caller,
    status: StartupStatus,
    limit: int = DEFAULT,
    cursor: str | None = None,
) -> ResultPage[StartupCard]:
    """Startups of a status, whatever their visibility, for administrators: the review queue (T20)."""
    require_admin(db, caller)
    lists = {each.value: StartupsByVisibility(visibility=each, status=status) for each in Visibility}
    return chained(db, lists, limit, cursor).map(StartupCard.model_validate)


def list_team(
    db: Repository, caller: Caller, startup_id: str, limit: int = DEFAULT, cursor: str | None = None
) -> ResultPage[TeamMember]:
    """Who works at a startup, for those who may see it."""
    read_startup(db, caller, startup_id)
    return page(db, TeamOf(startup_id=startup_id), limit, cursor)


def _judge(
    db: Repository,
    caller: Caller,
    startup_id: str,
    after: StartupStatus,
    before: set[StartupStatus],
    action: str,
) -> Startup:
    return _change(db, caller, startup_id, lambda startup: _moved(startup, after, before), action)


def _moved(startup: Startup, after: StartupStatus, before: set[StartupStatus]) -> dict[str, Any]:
    if startup.status not in before:
        raise Conflict(f"{startup.name} is {startup.status}, and cannot become {after}", "status")
    return {"status": after}


def _change(
    db: Repository,
    caller: Caller,
    startup_id: str,
    change: Callable[[Startup], dict[str, Any]],
    action: str,
    *,
    is_own: bool = False,
) -> Startup:
    """Change a startup, and with it whether its open roles are listed; again when somebody was faster."""
    for _ in range(TRIES):
        startup = required(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
        changed = change(startup)
        if not changed:
            return startup
        done: list[writes.Write] = [
            writes.Update(startup, set=changed),
            *_relisted(db, startup, startup.changed(**changed)),
            audited(db, caller, action, "STARTUP", startup_id, {k: str(v) for k, v in changed.items()}),
        ]
        with suppress(errors.VersionConflict):
            (after, *_) = transact_as(db, caller, *done) if is_own else transact(db, *done)
            return written(Startup, after)
    raise overtaken(f"startup {startup_id}")


def _relisted(db: Repository, before: Startup, after: Startup) -> list[writes.Update[StartupRole]]:
    if before.is_listed == after.is_listed:
        return []
    return [
        writes.Update(
            RoleById(startup_id=role.startup_id, role_id=role.role_id), set={"is_listed": after.is_listed}
        )
        for role in db.all(RolesOfStartup(startup_id=before.startup_id))
        if role.is_open
    ]


def _require_founder(startup: Startup, caller: Caller) -> None:
    if startup.founder_id != caller.user_id:
        raise Forbidden(f"only its founder may do that with {startup.name}")


def _is_member(db: Repository, caller: Caller, startup: Startup) -> bool:
    return db.run(MemberOf(startup_id=startup.startup_id, user_id=caller.user_id)) is not None


def _without_deck(startup: Startup) -> Startup:
    return startup.changed(pitch_deck_url=None)
