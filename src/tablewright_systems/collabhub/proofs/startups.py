"""Proofs about startups and roles (54-109)."""

from datetime import timedelta

from tablewright_systems.collabhub.design.people import Role
from tablewright_systems.collabhub.design.startups import (
    PublicStartups,
    RoleById,
    RolesOfStartup,
    Startup,
    StartupById,
    StartupRole,
    StartupsByFounder,
    StartupsByVisibility,
    StartupStatus,
    StartupWithRoles,
    Visibility,
)
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import roles, startups
from tablewright_systems.problems import Conflict, Forbidden
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("collabhub")
MOMENT = timedelta(milliseconds=1)


@PROOFS("A5", "004:274")
def get_startup_by_id(stage: Stage) -> None:
    """Get startup by ID."""
    startup = cast.found(stage.db, cast.join(stage.db, Role.FOUNDER))
    with stage.measured():
        assert stage.db.run(StartupById(startup_id=startup.startup_id)) == startup


@PROOFS("A6", "004:275")
def list_startups_by_founder(stage: Stage) -> None:
    """List startups by founder, the newest first."""
    ada = cast.join(stage.db, Role.FOUNDER)
    made = [startups.create_startup(stage.db, ada, cast.draft(name=name)) for name in ("One", "Two")]
    cast.read(
        stage,
        lambda: stage.db.iterate(StartupsByFounder(founder_id=ada.user_id)),
        lambda found: found == made[::-1],
    )


@PROOFS("A7", "004:276")
def list_public_startups(stage: Stage) -> None:
    """List public startups; what is private or a draft is not among them."""
    ada = cast.join(stage.db, Role.FOUNDER)
    public, private = cast.found(stage.db, ada), cast.found(stage.db, ada, Visibility.PRIVATE)
    listed = cast.read(
        stage,
        lambda: stage.db.iterate(PublicStartups()),
        lambda found: public.startup_id in {each.startup_id for each in found},
    )
    assert private.startup_id not in {each.startup_id for each in listed}


@PROOFS("A8", "004:277")
def list_roles_of_startup(stage: Stage) -> None:
    """List startup roles."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    made = [cast.offer(stage.db, ada, startup) for _ in range(3)]
    with stage.measured():
        assert stage.db.all(RolesOfStartup(startup_id=startup.startup_id)) == made


@PROOFS("A9", "004:278")
def list_open_roles(stage: Stage) -> None:
    """List open roles of all startups, the newest first; a closed one is gone at once."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    made = []
    for _ in range(5):
        stage.clock.advance(MOMENT)
        made.append(cast.offer(stage.db, ada, startup).role_id)
    closed = roles.close_role(stage.db, ada, startup.startup_id, made.pop())

    def ids() -> list[str]:
        return [each.role_id for each in roles.browse_open_roles(stage.db, ada, limit=4)]

    cast.read(stage, ids, lambda found: found == made[::-1])
    assert not closed.is_open


@PROOFS("A25", "004:83")
def list_startups_by_visibility_and_status(stage: Stage) -> None:
    """List startups by any visibility and status: what investors browse, what waits for review."""
    ada = cast.join(stage.db, Role.FOUNDER)
    hidden = cast.found(stage.db, ada, Visibility.INVESTORS_ONLY)
    waiting = startups.create_startup(stage.db, ada, cast.draft(visibility=Visibility.PRIVATE))
    startups.submit(stage.db, ada, waiting.startup_id)
    pattern = StartupsByVisibility(visibility=Visibility.INVESTORS_ONLY, status=StartupStatus.ACTIVE)
    cast.read(
        stage,
        lambda: stage.db.iterate(pattern),
        lambda found: hidden.startup_id in {each.startup_id for each in found},
    )

    def queue() -> set[str]:
        page = startups.list_by_status(stage.db, cast.STAFF, StartupStatus.PENDING_REVIEW, limit=1000)
        return {each.startup_id for each in page}

    stage.eventually(lambda: waiting.startup_id in queue())


@PROOFS("A29", "004:108")
def list_open_roles_by_date(stage: Stage) -> None:
    """List open roles by date range, both ends included, page by page."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    made = []
    for _ in range(6):
        stage.clock.advance(timedelta(hours=1))
        made.append(cast.offer(stage.db, ada, startup))
    start, end = made[1].created_at, made[4].created_at

    def ids() -> list[str]:
        first = roles.browse_open_roles_between(stage.db, ada, start, end, limit=3)
        rest = roles.browse_open_roles_between(stage.db, ada, start, end, limit=3, cursor=first.cursor)
        return [each.role_id for each in (*first, *rest)]

    cast.read(stage, ids, lambda found: found == [each.role_id for each in made[4:0:-1]])


@PROOFS("A31", "004:90")
def get_role(stage: Stage) -> None:
    """Get a role of a startup."""
    ada = cast.join(stage.db, Role.FOUNDER)
    role = cast.offer(stage.db, ada, cast.found(stage.db, ada))
    with stage.measured():
        assert stage.db.run(RoleById(startup_id=role.startup_id, role_id=role.role_id)) == role


@PROOFS("A32", "004:57")
def read_startup_with_roles(stage: Stage) -> None:
    """A startup and all its roles, in one read; grants beside them do not come along."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    cast.offer(stage.db, ada, startup)
    cast.ask(stage.db, startup)
    with stage.measured():
        page = stage.db.run(StartupWithRoles(startup_id=startup.startup_id), limit=20)
    assert [type(each) for each in page] == [Startup, StartupRole]
    assert page.unknown == ()


@PROOFS("F2", "004:73")
def publish_a_startup(stage: Stage) -> None:
    """A startup from its draft over the review to the public and back; its visibility is a gate."""
    ada, bob = cast.join(stage.db, Role.FOUNDER), cast.join(stage.db, Role.TALENT)
    with stage.measured():
        startup = startups.create_startup(stage.db, ada, cast.draft())
    startup_id = startup.startup_id
    assert startup.status == StartupStatus.DRAFT
    cast.refused(Forbidden, lambda: startups.read_startup(stage.db, bob, startup_id))
    cast.refused(Conflict, lambda: startups.approve(stage.db, cast.STAFF, startup_id))
    startups.submit(stage.db, ada, startup_id)
    cast.refused(Forbidden, lambda: startups.approve(stage.db, ada, startup_id))
    startups.approve(stage.db, cast.STAFF, startup_id)
    assert startups.read_startup(stage.db, bob, startup_id).pitch_deck_url is None
    startups.show_to(stage.db, ada, startup_id, Visibility.PRIVATE)
    cast.refused(Forbidden, lambda: startups.read_startup(stage.db, bob, startup_id))
    startups.suspend(stage.db, cast.STAFF, startup_id)
    assert startups.read_startup(stage.db, ada, startup_id).status == StartupStatus.SUSPENDED


@PROOFS("F3", "004:101")
def open_and_close_roles(stage: Stage) -> None:
    """Roles open and close, and are listed only while their startup is."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    stage.clock.advance(MOMENT)
    with stage.measured():
        role = cast.offer(stage.db, ada, startup)
    where = (startup.startup_id, role.role_id)

    def is_listed() -> bool:
        moment = role.created_at
        page = roles.browse_open_roles_between(stage.db, ada, moment, moment)
        return role.role_id in {each.role_id for each in page}

    stage.eventually(is_listed)
    roles.close_role(stage.db, ada, *where)
    stage.eventually(lambda: not is_listed())
    roles.reopen_role(stage.db, ada, *where)
    stage.eventually(is_listed)
    startups.suspend(stage.db, cast.STAFF, startup.startup_id)
    stage.eventually(lambda: not is_listed())
    startups.approve(stage.db, cast.STAFF, startup.startup_id)
    stage.eventually(is_listed)
