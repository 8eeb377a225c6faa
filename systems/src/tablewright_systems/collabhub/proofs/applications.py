"""Proofs of applications."""

from tablewright import reads
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import ApplicationStatus, Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import applications
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, Paging
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
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
    letter = applications.ApplicationDraft(cover_letter="Again.")
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

    fixtures.read_when(context, lambda: fixtures.read_pages(page), lambda found: found == made)


@PROOFS("F4")
def apply_and_be_accepted(context: ProofContext) -> None:
    """Apply once, counted; through the statuses; withdraw; be accepted into the team; notes stay private."""
    ada, role = new_vacancy(context)
    bob = fixtures.new_user(context.db, Role.TALENT)
    letter = applications.ApplicationDraft(cover_letter="I can count.")
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
    assert {each.type for each in notification_write} == {design.NotificationType.APPLICATION_UPDATE}
    assert len(notification_write) == 3


def _count(context: ProofContext, role: design.StartupRole) -> int:
    found = context.db.run(design.RoleById(startup_id=role.startup_id, role_id=role.role_id))
    assert found is not None
    return found.applicant_count
