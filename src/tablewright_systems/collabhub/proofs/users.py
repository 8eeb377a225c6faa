"""Proofs of users (24-52)."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Kind, Role, UserStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import overviews, startup_views, startups, subscriptions, users
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Forbidden, Paging
from tablewright_systems.verification.proofs import ProofContext, Proofs
from tablewright_systems.verification.rejections import expect_error

PROOFS = Proofs("collabhub")


@PROOFS("A1", "004:270")
def get_user_by_id(context: ProofContext) -> None:
    """Get user by ID."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    with context.measured():
        user = context.db.run(design.UserById(user_id=ada.user_id))
    assert user is not None
    assert (user.email, user.role, user.status) == (ada.claim("email"), Role.FOUNDER, UserStatus.ACTIVE)


@PROOFS("A2", "004:271")
def get_user_by_email(context: ProofContext) -> None:
    """Get user by email, in any case and with surrounding spaces."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    email = str(ada.claim("email")).upper()
    context.eventually(lambda: context.db.run(design.UserByEmail(email=email)))
    with context.measured():
        user = context.db.run(design.UserByEmail(email=email))
    assert user is not None
    assert user.user_id == ada.user_id


@PROOFS("A3", "004:272")
def list_users_by_role(context: ProofContext) -> None:
    """List users by role."""
    ada, bob = fixtures.new_user(context.db, Role.FOUNDER), fixtures.new_user(context.db, Role.TALENT)
    users = fixtures.read_when(
        context,
        lambda: context.db.iterate(design.UsersByRole(role=Role.FOUNDER)),
        lambda found: ada.user_id in {each.user_id for each in found},
    )
    assert bob.user_id not in {each.user_id for each in users}


@PROOFS("A4", "004:273")
def list_users_by_status(context: ProofContext) -> None:
    """List users by status; a user whose status changes moves between the lists."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    users.ban(context.db, fixtures.STAFF, ada.user_id)

    def listed(status: UserStatus) -> set[str]:
        return {each.user_id for each in context.db.iterate(design.UsersByStatus(status=status))}

    fixtures.read_when(context, lambda: listed(UserStatus.BANNED), lambda found: ada.user_id in found)
    context.eventually(lambda: ada.user_id not in listed(UserStatus.ACTIVE))


@PROOFS("A24", "004:19")
def list_entities_by_type_and_time(context: ProofContext) -> None:
    """List entities by type and time range, across months."""
    start = context.db.now()
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    context.clock.advance(timedelta(days=32))
    startup = fixtures.new_startup(context.db, fixtures.new_user(context.db, Role.FOUNDER))
    end = context.db.now()

    def listed(kind: Kind) -> set[str]:
        found = overviews.list_created(context.db, fixtures.STAFF, kind, start, end, paging=Paging(1000))
        return {
            each.user_id if isinstance(each, design.User) else getattr(each, "startup_id", "")
            for each in found
        }

    context.eventually(
        lambda: ada.user_id in listed(Kind.USER) and startup.startup_id in listed(Kind.STARTUP)
    )
    with context.measured():
        assert ada.user_id in listed(Kind.USER)
    assert startup.founder_id in listed(Kind.USER)


@PROOFS("A34", "004:27")
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


@PROOFS("F1", "004:39")
def sign_up_verify_ban(context: ProofContext) -> None:
    """Sign up, verify, ban: an address belongs to one user, and a banned user cannot act."""
    ada = fixtures.new_caller()
    draft = users.Registration(role=Role.FOUNDER, first_name="Ada", last_name="Byron")
    with context.measured():
        user = users.register(context.db, ada, draft)
    assert (user.status, user.subscription_status) == (
        UserStatus.PENDING_VERIFICATION,
        design.UserSubscriptionStatus.NONE,
    )

    thief = fixtures.new_caller(email=str(ada.claim("email")).upper())
    taken = expect_error(errors.UniqueViolation, lambda: users.register(context.db, thief, draft))
    assert taken.field == "email"
    expect_error(Forbidden, lambda: startups.create_startup(context.db, ada, fixtures.startup_draft()))

    users.activate(context.db, ada, ada.user_id)
    startup = fixtures.new_startup(context.db, ada)
    users.ban(context.db, fixtures.STAFF, ada.user_id)
    context.eventually(
        lambda: (
            users.ban(context.db, fixtures.STAFF, ada.user_id) and _is_suspended(context, startup.startup_id)
        )
    )
    expect_error(Forbidden, lambda: startups.create_startup(context.db, ada, fixtures.startup_draft()))
    expect_error(Forbidden, lambda: users.record_login(context.db, ada))


def _is_suspended(context: ProofContext, startup_id: str) -> bool:
    return (
        startup_views.read_startup(context.db, fixtures.STAFF, startup_id).status
        == design.StartupStatus.SUSPENDED
    )


@PROOFS("F12", "004:296")
def share_indexes_and_sort_by_ids(context: ProofContext) -> None:
    """Overloaded and sparse indexes: only users are found by address; later ids sort later."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    startup = fixtures.new_startup(context.db, ada)
    assert startup.startup_id < fixtures.new_startup(context.db, ada).startup_id
    table = context.db.context.table_name(design.User.layout.table)
    request = {
        "TableName": table,
        "IndexName": "GSI4",
        "KeyConditionExpression": "#email = :email",
        "ExpressionAttributeNames": {"#email": "email"},
        "ExpressionAttributeValues": {":email": {"S": str(ada.claim("email"))}},
    }
    context.eventually(lambda: context.db.connection.call("Query", request)["Count"] == 1)
    with context.measured():
        assert context.db.connection.call("Query", request)["Count"] == 1
