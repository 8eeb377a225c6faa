"""Startups (54-85): from draft through review to public, and back.

Open roles are listed while their startup is (T5). A change of the startup is conditional on its version, which
opening and closing roles change too; so neither misses the other.
"""

from collections.abc import Callable, Iterable
from typing import Annotated, Any

from pydantic import Field

from tablewright import Repository, writes
from tablewright_systems.collabhub.design.startups import (
    Money,
    RoleById,
    RolesOfStartup,
    Stage,
    Startup,
    StartupById,
    StartupRole,
    StartupStatus,
    Visibility,
)
from tablewright_systems.collabhub.design.tables import Line, Text, Url, Words
from tablewright_systems.collabhub.design.users import Role
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.audit import audit_write
from tablewright_systems.collabhub.service.authorization import (
    MAX_ATTEMPTS,
    busy,
    own_startup,
    require_admin,
    require_found,
    transact,
    transact_as,
    written_entity,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden
from tablewright_systems.service.schemas import Body, omittable


class StartupDraft(Body):
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


def create_startup(db: Repository, caller: Caller, draft: StartupDraft) -> Startup:
    """Create a startup as a draft that only its founder sees."""
    now = db.now()
    startup = Startup(
        startup_id=new_ulid(now), founder_id=caller.user_id, created_at=now, **draft.model_dump()
    )
    done = transact_as(
        db,
        caller,
        writes.Create(startup),
        audit_write(db, caller, "STARTUP_CREATED", "STARTUP", startup.startup_id),
        role=Role.FOUNDER,
    )
    return written_entity(Startup, done[0])


def edit_startup(db: Repository, caller: Caller, startup_id: str, changes: StartupChanges) -> Startup:
    """Change a startup field by field, so that concurrent edits of different fields do not overwrite each other."""
    own_startup(db, caller, startup_id)
    target = StartupById(startup_id=startup_id)
    if changes.given():
        transact_as(db, caller, writes.Update(target, set=changes.given()))
    return require_found(db.run(target), f"startup {startup_id}")


def set_visibility(db: Repository, caller: Caller, startup_id: str, visibility: Visibility) -> Startup:
    """Change who may see a startup; its open roles are listed accordingly."""

    def change(startup: Startup) -> dict[str, Any]:
        _require_founder(startup, caller)
        return {"visibility": visibility}

    return _change(db, caller, startup_id, change, "STARTUP_VISIBILITY_CHANGED", is_own=True)


def submit(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Submit a draft for review."""

    def change(startup: Startup) -> dict[str, Any]:
        _require_founder(startup, caller)
        return _status_change(startup, StartupStatus.PENDING_REVIEW, {StartupStatus.DRAFT})

    return _change(db, caller, startup_id, change, "STARTUP_SUBMITTED", is_own=True)


def approve(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Approve a startup after its review, or after it was suspended."""
    require_admin(db, caller)
    before = {StartupStatus.PENDING_REVIEW, StartupStatus.SUSPENDED}
    return _set_status(db, caller, startup_id, StartupStatus.ACTIVE, before, "STARTUP_APPROVED")


def return_to_draft(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Return a startup to its founder for changes."""
    require_admin(db, caller)
    before = {StartupStatus.PENDING_REVIEW}
    return _set_status(db, caller, startup_id, StartupStatus.DRAFT, before, "STARTUP_SENT_BACK")


def suspend(db: Repository, caller: Caller, startup_id: str) -> Startup:
    """Suspend a startup: only its founder and administrators see it."""
    require_admin(db, caller)
    before = set(StartupStatus) - {StartupStatus.SUSPENDED}
    return _set_status(db, caller, startup_id, StartupStatus.SUSPENDED, before, "STARTUP_SUSPENDED")


def suspend_all(db: Repository, caller: Caller, startup_ids: Iterable[str]) -> None:
    """Suspend all startups of a banned user; suspended ones do not change."""

    def change(startup: Startup) -> dict[str, Any]:
        is_done = startup.status == StartupStatus.SUSPENDED
        return {} if is_done else {"status": StartupStatus.SUSPENDED}

    for startup_id in startup_ids:
        _change(db, caller, startup_id, change, "STARTUP_SUSPENDED")


def _set_status(
    db: Repository,
    caller: Caller,
    startup_id: str,
    after: StartupStatus,
    before: set[StartupStatus],
    action: str,
) -> Startup:
    return _change(db, caller, startup_id, lambda startup: _status_change(startup, after, before), action)


def _status_change(startup: Startup, after: StartupStatus, before: set[StartupStatus]) -> dict[str, Any]:
    if startup.status not in before:
        raise Conflict(
            f"the status of startup {startup.startup_id} is {startup.status}, which does not allow {after}",
            "status",
        )
    return {"status": after}


@writes.retrying(attempts=MAX_ATTEMPTS, otherwise=busy)
def _change(
    db: Repository,
    caller: Caller,
    startup_id: str,
    change: Callable[[Startup], dict[str, Any]],
    action: str,
    *,
    is_own: bool = False,
) -> Startup:
    """Change a startup, and whether its open roles are listed; repeat if another writer was faster."""
    startup = require_found(db.run(StartupById(startup_id=startup_id)), f"startup {startup_id}")
    changed = change(startup)
    if not changed:
        return startup
    done: list[writes.Write] = [
        writes.Update(startup, set=changed),
        *_role_writes(db, startup, startup.changed(**changed)),
        audit_write(db, caller, action, "STARTUP", startup_id, {k: str(v) for k, v in changed.items()}),
    ]
    (after, *_) = transact_as(db, caller, *done) if is_own else transact(db, *done)
    return written_entity(Startup, after)


def _role_writes(db: Repository, before: Startup, after: Startup) -> list[writes.Update[StartupRole]]:
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
        raise Forbidden(f"only the founder of startup {startup.startup_id} may do this")
