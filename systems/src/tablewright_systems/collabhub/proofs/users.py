"""Proofs of users."""

from datetime import timedelta
from typing import Any

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Kind, Role, UserStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import audit, startup_views, startups, subscriptions, users
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Caller, Forbidden, Paging, call_raw
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")


@PROOFS("A1")
def get_user_by_id(context: ProofContext) -> None:
    """Get user by ID."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    with context.measured():
        user = context.db.run(design.UserById(user_id=ada.user_id))
    assert user is not None
    assert (user.email, user.role, user.status) == (ada.claim("email"), Role.FOUNDER, UserStatus.ACTIVE)


@PROOFS("A2")
def get_user_by_email(context: ProofContext) -> None:
    """Get user by email, in any case and with surrounding spaces."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    email = str(ada.claim("email")).upper()
    context.eventually(lambda: context.db.run(design.UserByEmail(email=email)))
    with context.measured():
        user = context.db.run(design.UserByEmail(email=email))
    assert user is not None
    assert user.user_id == ada.user_id


@PROOFS("A3")
def list_users_by_role(context: ProofContext) -> None:
    """List users by role."""
    founder, talent = (fixtures.stored_user(context.db, role) for role in (Role.FOUNDER, Role.TALENT))
    fixtures.expect_among(context, design.UsersByRole(role=Role.FOUNDER), founder, talent)


@PROOFS("A4")
def list_users_by_status(context: ProofContext) -> None:
    """List users by status; a user whose status changes moves between the lists."""
    ada, bob = (fixtures.stored_user(context.db, Role.FOUNDER) for _ in range(2))
    banned = users.ban(context.db, fixtures.STAFF, ada.user_id)
    fixtures.expect_among(context, design.UsersByStatus(status=UserStatus.BANNED), banned, bob)
    fixtures.expect_among(context, design.UsersByStatus(status=UserStatus.ACTIVE), bob, ada)


@PROOFS("A24")
def list_entities_by_type_and_time(context: ProofContext) -> None:
    """List entities by type and time range, across months."""
    start = context.db.now()
    ada = fixtures.stored_user(context.db, Role.FOUNDER)
    context.clock.advance(timedelta(days=32))
    bob = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, bob)
    end = context.db.now()

    def listed(kind: Kind) -> list[audit.Created]:
        page = audit.list_created(context.db, fixtures.STAFF, kind, start, end, paging=Paging(1000))
        return list(page)

    fixtures.read_when(context, lambda: listed(Kind.STARTUP), lambda found: startup in found)
    found = fixtures.read_when(context, lambda: listed(Kind.USER), lambda found: ada in found)
    assert bob.user_id in {each.user_id for each in found if isinstance(each, design.User)}


@PROOFS("A34")
def read_all_of_a_user(context: ProofContext) -> None:
    """Get profile, subscription and notifications of a user, in one read."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    subscriptions.receive_event(context.db, fixtures.billing_event(context.db, ada))
    about = ("USER", ada.user_id)
    context.db.transact(
        notification(context.db, ada.user_id, design.NotificationType.SYSTEM, "Welcome", "Hello.", about)
    )
    with context.measured():
        found = context.db.run(design.UserBundle(user_id=ada.user_id), limit=20)
    assert [type(each) for each in found] == [design.Subscription, design.User, design.Notification]


@PROOFS("F1")
def sign_up_verify_ban(context: ProofContext) -> None:
    """Sign up, verify, ban: an address belongs to one user, only its owner is active, a banned user acts on nothing."""
    db = context.db
    ada = fixtures.new_caller()
    draft = users.Registration(role=Role.FOUNDER, first_name="Ada", last_name="Byron")
    with context.measured():
        user = users.register(db, ada, draft)
    assert user.status == UserStatus.PENDING_VERIFICATION
    assert user.subscription_status == design.UserSubscriptionStatus.NONE
    thief = fixtures.new_caller(email=str(ada.claim("email")).upper())
    expect_error(errors.UniqueViolation, lambda: users.register(db, thief, draft), field="email")
    admin = draft.model_copy(update={"role": Role.ADMIN})
    expect_error(Forbidden, lambda: users.register(db, fixtures.new_caller(), admin))
    expect_error(Forbidden, lambda: startups.create_startup(db, ada, fixtures.startup_draft()))
    for changed in ({"email": "eve@example.org"}, {"email_verified": False}):
        with expect_error(Forbidden):
            users.activate(db, Caller(ada.user_id, {**ada.claims, **changed}), ada.user_id)

    users.ban(db, fixtures.STAFF, ada.user_id)
    assert users.reinstate(db, fixtures.STAFF, ada.user_id).status == UserStatus.PENDING_VERIFICATION
    users.activate(db, ada, ada.user_id)
    startup = fixtures.new_startup(db, ada)
    expect_error(Forbidden, lambda: users.ban(db, ada, thief.user_id))
    expect_error(Forbidden, lambda: users.change_role(db, ada, ada.user_id, Role.ADMIN))
    context.eventually(
        lambda: users.ban(db, fixtures.STAFF, ada.user_id) and _is_suspended(context, startup.startup_id)
    )
    expect_error(Forbidden, lambda: users.reinstate(db, ada, ada.user_id))
    for refused in (
        lambda: startups.create_startup(db, ada, fixtures.startup_draft()),
        lambda: users.record_login(db, ada),
        lambda: users.edit_profile(db, ada, users.ProfileChanges(bio="Still here")),
        lambda: users.read_home(db, ada),
        lambda: startup_views.read_startup(db, ada, startup.startup_id),
    ):
        expect_error(Forbidden, refused)
    assert users.reinstate(db, fixtures.STAFF, ada.user_id).status == UserStatus.ACTIVE


def _is_suspended(context: ProofContext, startup_id: str) -> bool:
    return (
        startup_views.read_startup(context.db, fixtures.STAFF, startup_id).status
        == design.StartupStatus.SUSPENDED
    )


@PROOFS("F12")
def share_indexes_and_sort_by_ids(context: ProofContext) -> None:
    """Overloaded and sparse indexes: only users are found by address; later ids sort later."""
    db = context.db
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    assert startup.startup_id < fixtures.new_startup(db, ada).startup_id
    request: dict[str, Any] = {
        "TableName": db.context.table_name(design.User.layout.table),
        "IndexName": "GSI4",
        "KeyConditionExpression": "#email = :email",
        "ExpressionAttributeNames": {"#email": "email"},
        "ExpressionAttributeValues": {":email": {"S": str(ada.claim("email"))}},
    }
    context.eventually(lambda: call_raw(db, "Query", request)["Count"] == 1)
    with context.measured():
        assert call_raw(db, "Query", request)["Count"] == 1
    foreign = paging_of_founder(context, ada)
    expect_error(errors.BadCursor, lambda: Paging(1, foreign).run(db, design.PublicStartups()))


def paging_of_founder(context: ProofContext, founder: Caller) -> str:
    """Return the cursor of the first of two startups: a place in GSI1 that is none in GSI2."""
    pattern = design.StartupsByFounder(founder_id=founder.user_id)
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    return str(Paging(1).run(context.db, pattern).cursor)
