"""Proofs of startups and roles."""

from datetime import timedelta

from tablewright import reads
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import ApplicationStatus, Role, StartupStatus, Visibility
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import applications, roles, startups
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, Paging
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
TICK = timedelta(milliseconds=1)


@PROOFS("A5")
def get_startup_by_id(context: ProofContext) -> None:
    """Get startup by ID."""
    startup = fixtures.new_startup(context.db, fixtures.new_user(context.db, Role.FOUNDER))
    with context.measured():
        assert context.db.run(design.StartupById(startup_id=startup.startup_id)) == startup


@PROOFS("A6")
def list_startups_by_founder(context: ProofContext) -> None:
    """List startups by founder, newest first."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    one, two = (startups.create_startup(context.db, ada, fixtures.startup_draft()) for _ in range(2))
    fixtures.expect_list(context, design.StartupsByFounder(founder_id=ada.user_id), [two, one])


@PROOFS("A7")
def list_public_startups(context: ProofContext) -> None:
    """List public startups; private ones and drafts are not listed."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    public = fixtures.new_startup(context.db, ada)
    private = fixtures.new_startup(context.db, ada, Visibility.PRIVATE)
    fixtures.expect_among(context, design.PublicStartups(), public, private)


@PROOFS("A8")
def list_roles_of_startup(context: ProofContext) -> None:
    """List startup roles."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    made = [fixtures.new_role(context.db, ada, startup) for _ in range(3)]
    with context.measured():
        assert context.db.all(design.RolesOfStartup(startup_id=startup.startup_id)) == made


@PROOFS("A9")
def list_open_roles(context: ProofContext) -> None:
    """List open roles of all startups, newest first; a closed role is removed at once."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    made = []
    for _ in range(5):
        context.clock.advance(TICK)
        made.append(fixtures.new_role(context.db, ada, startup).role_id)
    closed = roles.close_role(context.db, ada, startup.startup_id, made.pop())

    def ids() -> list[str]:
        return [role.role_id for role in roles.browse_open_roles(context.db, ada, paging=Paging(4))]

    fixtures.read_when(context, ids, lambda role_ids: role_ids == made[::-1])
    assert not closed.is_open


@PROOFS("A25")
def list_startups_by_visibility_and_status(context: ProofContext) -> None:
    """List startups by any visibility and status: for investors, and for review."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    hidden = fixtures.new_startup(context.db, ada, Visibility.INVESTORS_ONLY)
    draft = startups.create_startup(context.db, ada, fixtures.startup_draft(visibility=Visibility.PRIVATE))
    waiting = startups.submit(context.db, ada, draft.startup_id)
    pattern = design.StartupsByVisibility(visibility=Visibility.INVESTORS_ONLY, status=StartupStatus.ACTIVE)
    fixtures.expect_among(context, pattern, hidden, waiting)

    def queue() -> set[str]:
        status, paging = StartupStatus.PENDING_REVIEW, Paging(1000)
        page = startups.list_by_status(context.db, fixtures.STAFF, status, paging=paging)
        return {card.startup_id for card in page}

    context.eventually(lambda: waiting.startup_id in queue())


@PROOFS("A29")
def list_open_roles_by_date(context: ProofContext) -> None:
    """List open roles by date range, both ends included, page by page."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    made = []
    for _ in range(6):
        context.clock.advance(timedelta(hours=1))
        made.append(fixtures.new_role(context.db, ada, startup))
    ends = (made[1].created_at, made[4].created_at)
    fixtures.read_when(
        context,
        lambda: fixtures.read_pages(lambda paging: roles.browse_open_roles(context.db, ada, *ends, paging)),
        lambda listed: listed == made[4:0:-1],
    )


@PROOFS("A31")
def get_role(context: ProofContext) -> None:
    """Get a role of a startup."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    role = fixtures.new_role(context.db, ada, fixtures.new_startup(context.db, ada))
    with context.measured():
        assert context.db.run(design.RoleById(startup_id=role.startup_id, role_id=role.role_id)) == role


@PROOFS("A32")
def read_startup_with_roles(context: ProofContext) -> None:
    """Get a startup and all its roles, in one read, without the grants."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    fixtures.new_role(context.db, ada, startup)
    fixtures.new_access_request(context.db, startup)
    with context.measured():
        page = context.db.run(design.StartupWithRoles(startup_id=startup.startup_id), limit=20)
    assert [type(entity) for entity in page] == [design.Startup, design.StartupRole]
    assert page.unknown == ()


@PROOFS("F2")
def publish_a_startup(context: ProofContext) -> None:
    """A startup from draft through review to public and back; its visibility decides who sees it."""
    db = context.db
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    eve = fixtures.new_user(db, Role.FOUNDER)
    with context.measured():
        startup = startups.create_startup(db, ada, fixtures.startup_draft())
    where = startup.startup_id
    assert startup.status == StartupStatus.DRAFT
    expect_error(Forbidden, lambda: startups.read_startup(db, bob, where))
    expect_error(Forbidden, lambda: startups.create_startup(db, bob, fixtures.startup_draft()))
    expect_error(Forbidden, lambda: startups.submit(db, eve, where))
    expect_error(Conflict, lambda: startups.approve(db, fixtures.STAFF, where), field="status")
    startups.submit(db, ada, where)
    expect_error(Forbidden, lambda: startups.approve(db, ada, where))
    expect_error(Forbidden, lambda: startups.return_to_draft(db, ada, where))
    expect_error(Forbidden, lambda: startups.list_by_status(db, ada, StartupStatus.PENDING_REVIEW))
    expect_error(Forbidden, lambda: startups.list_of_founder(db, eve, ada.user_id))
    expect_error(Forbidden, lambda: startups.list_for_investors(db, bob))
    startups.approve(db, fixtures.STAFF, where)
    assert startups.read_startup(db, bob, where).pitch_deck_url is None
    expect_error(Forbidden, lambda: startups.set_visibility(db, eve, where, Visibility.PRIVATE))
    startups.set_visibility(db, ada, where, Visibility.PRIVATE)
    expect_error(Forbidden, lambda: startups.read_startup(db, bob, where))
    expect_error(Forbidden, lambda: startups.suspend(db, ada, where))
    startups.suspend(db, fixtures.STAFF, where)
    assert startups.read_startup(db, ada, where).status == StartupStatus.SUSPENDED
    expect_error(Conflict, lambda: startups.submit(db, ada, where), field="status")


@PROOFS("F3")
def open_and_close_roles(context: ProofContext) -> None:
    """Founders open and close the roles of their startups; roles are listed only while their startup is."""
    db = context.db
    ada, eve = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    context.clock.advance(TICK)
    with context.measured():
        role = fixtures.new_role(db, ada, startup)
    where = (startup.startup_id, role.role_id)
    expect_error(Forbidden, lambda: fixtures.new_role(db, eve, startup))
    expect_error(Forbidden, lambda: roles.close_role(db, eve, *where))
    expect_error(Conflict, lambda: roles.reopen_role(db, ada, *where), field="isOpen")

    def is_listed() -> bool:
        page = roles.browse_open_roles(db, ada, role.created_at, role.created_at)
        return role.role_id in {listed.role_id for listed in page}

    context.eventually(is_listed)
    roles.close_role(db, ada, *where)
    context.eventually(lambda: not is_listed())
    expect_error(Conflict, lambda: fixtures.new_application(db, role), field="roleId")
    expect_error(Conflict, lambda: roles.close_role(db, ada, *where), field="isOpen")
    roles.reopen_role(db, ada, *where)
    context.eventually(is_listed)
    startups.suspend(db, fixtures.STAFF, startup.startup_id)
    context.eventually(lambda: not is_listed())
    expect_error(Conflict, lambda: fixtures.new_application(db, role), field="roleId")
    startups.approve(db, fixtures.STAFF, startup.startup_id)
    context.eventually(is_listed)


REVIEWING, SHORTLISTED = ApplicationStatus.REVIEWING, ApplicationStatus.SHORTLISTED


def new_vacancy(context: ProofContext) -> tuple[Caller, design.StartupRole]:
    """Create a founder and an open role."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    return ada, fixtures.new_role(context.db, ada, fixtures.new_startup(context.db, ada))


@PROOFS("A10")
def get_application_by_id(context: ProofContext) -> None:
    """Get application by ID."""
    _, role = new_vacancy(context)
    _, application = fixtures.new_application(context.db, role)
    pattern = design.ApplicationById(application_id=application.application_id)
    with context.measured():
        assert context.db.run(pattern) == application


@PROOFS("A11")
def list_applications_by_user(context: ProofContext) -> None:
    """List applications by user, newest first."""
    (_, role), (_, other) = new_vacancy(context), new_vacancy(context)
    bob, first = fixtures.new_application(context.db, role)
    letter = "Again."
    second = applications.apply(context.db, bob, other.startup_id, other.role_id, letter)
    fixtures.expect_list(context, design.ApplicationsByUser(user_id=bob.user_id), [second, first])


@PROOFS("A12")
def list_applications_for_role(context: ProofContext) -> None:
    """List applications for role."""
    _, role = new_vacancy(context)
    made = [fixtures.new_application(context.db, role)[1] for _ in range(3)]
    pattern = design.ApplicationsForRole(startup_id=role.startup_id, role_id=role.role_id)
    fixtures.expect_list(context, pattern, made)


@PROOFS("A26")
def list_applications_for_role_by_status(context: ProofContext) -> None:
    """List applications for role by status; an application leaves its list when its status changes."""
    ada, role = new_vacancy(context)
    first, second = (fixtures.new_application(context.db, role)[1] for _ in range(2))
    moved = fixtures.move_application(context.db, ada, first, REVIEWING)
    where = {"startup_id": role.startup_id, "role_id": role.role_id}
    for status, expected in ((ApplicationStatus.PENDING, [second]), (REVIEWING, [moved])):
        pattern = design.ApplicationsForRoleByStatus(status=status, **where)
        fixtures.expect_list(context, pattern, expected)


@PROOFS("A36")
def get_application_of_user(context: ProofContext) -> None:
    """Did the user already apply for the role?"""
    _, role = new_vacancy(context)
    bob, application = fixtures.new_application(context.db, role)
    with context.measured():
        claim = context.db.run(design.ApplicationClaimOf(role_id=role.role_id, user_id=bob.user_id))
    assert claim is not None
    assert claim.application_id == application.application_id
    assert context.db.run(design.ApplicationClaimOf(role_id=role.role_id, user_id="unknown")) is None


@PROOFS("A40")
def list_applications_of_startup(context: ProofContext) -> None:
    """List all applications of a startup, role by role, page by page."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    roles = [fixtures.new_role(context.db, ada, startup) for _ in range(2)]
    made = [fixtures.new_application(context.db, role)[1] for role in roles for _ in range(2)]

    def page(paging: Paging) -> reads.Page[design.Application]:
        return applications.list_for_startup(context.db, ada, startup.startup_id, paging)

    fixtures.read_when(context, lambda: fixtures.read_pages(page), lambda listed: listed == made)


@PROOFS("F4")
def apply_and_be_accepted(context: ProofContext) -> None:
    """Apply once, counted; through the statuses; withdraw; be accepted into the team; notes stay private."""
    ada, role = new_vacancy(context)
    bob = fixtures.new_user(context.db, Role.TALENT)
    letter = "I can count."
    where = (role.startup_id, role.role_id)
    with context.measured():
        application = applications.apply(context.db, bob, *where, letter)
    expect_error(Conflict, lambda: applications.apply(context.db, bob, *where, letter))
    applications.withdraw(context.db, bob, application.application_id)
    assert _count(context, role) == 0

    application = applications.apply(context.db, bob, *where, letter)
    assert _count(context, role) == 1
    application_id = application.application_id
    expect_error(Forbidden, lambda: applications.change_status(context.db, bob, application_id, REVIEWING))
    expect_error(Forbidden, lambda: applications.withdraw(context.db, ada, application_id))
    with expect_error(Invalid, field="status"):
        applications.change_status(context.db, ada, application_id, ApplicationStatus.WITHDRAWN)
    applications.change_status(context.db, ada, application_id, REVIEWING, notes="too good")
    assert applications.read_application(context.db, bob, application_id).founder_notes is None
    fixtures.move_application(context.db, ada, application, SHORTLISTED, ApplicationStatus.ACCEPTED)
    expect_error(Conflict, lambda: applications.withdraw(context.db, bob, application_id))

    assert context.db.run(design.MemberOf(startup_id=role.startup_id, user_id=bob.user_id)) is not None
    startup = context.db.run(design.StartupById(startup_id=role.startup_id))
    assert startup is not None
    assert startup.team_size == 2
    notification_write = context.db.all(design.Notifications(user_id=bob.user_id))
    assert {notification.type for notification in notification_write} == {
        design.NotificationType.APPLICATION_UPDATE
    }
    assert len(notification_write) == 3


def _count(context: ProofContext, role: design.StartupRole) -> int:
    stored = context.db.run(design.RoleById(startup_id=role.startup_id, role_id=role.role_id))
    assert stored is not None
    return stored.applicant_count
