"""Proofs about users (24-52)."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.collabhub.design.overviews import Kind, UserBundle
from tablewright_systems.collabhub.design.people import (
    Role,
    Standing,
    User,
    UserByEmail,
    UserById,
    UsersByRole,
    UsersByStatus,
    UserStatus,
)
from tablewright_systems.collabhub.design.records import Notification, NotificationType
from tablewright_systems.collabhub.design.startups import StartupStatus
from tablewright_systems.collabhub.design.subscriptions import Subscription
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import overviews, people, startups, subscriptions
from tablewright_systems.collabhub.service.notifications import told
from tablewright_systems.problems import Forbidden
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("collabhub")


@PROOFS("A1", "004:270")
def get_user_by_id(stage: Stage) -> None:
    """Get user by ID."""
    ada = cast.join(stage.db, Role.FOUNDER)
    with stage.measured():
        user = stage.db.run(UserById(user_id=ada.user_id))
    assert user is not None
    assert (user.email, user.role, user.status) == (ada.claim("email"), Role.FOUNDER, UserStatus.ACTIVE)


@PROOFS("A2", "004:271")
def get_user_by_email(stage: Stage) -> None:
    """Get user by email, however it is spelt."""
    ada = cast.join(stage.db, Role.FOUNDER)
    email = str(ada.claim("email")).upper()
    stage.eventually(lambda: stage.db.run(UserByEmail(email=email)))
    with stage.measured():
        user = stage.db.run(UserByEmail(email=email))
    assert user is not None
    assert user.user_id == ada.user_id


@PROOFS("A3", "004:272")
def list_users_by_role(stage: Stage) -> None:
    """List users by role."""
    ada, bob = cast.join(stage.db, Role.FOUNDER), cast.join(stage.db, Role.TALENT)
    users = cast.read(
        stage,
        lambda: stage.db.iterate(UsersByRole(role=Role.FOUNDER)),
        lambda found: ada.user_id in {each.user_id for each in found},
    )
    assert bob.user_id not in {each.user_id for each in users}


@PROOFS("A4", "004:273")
def list_users_by_status(stage: Stage) -> None:
    """List users by status; one that changes moves."""
    ada = cast.join(stage.db, Role.FOUNDER)
    people.ban(stage.db, cast.STAFF, ada.user_id)

    def listed(status: UserStatus) -> set[str]:
        return {each.user_id for each in stage.db.iterate(UsersByStatus(status=status))}

    cast.read(stage, lambda: listed(UserStatus.BANNED), lambda found: ada.user_id in found)
    stage.eventually(lambda: ada.user_id not in listed(UserStatus.ACTIVE))


@PROOFS("A24", "004:19")
def list_entities_by_type_and_time(stage: Stage) -> None:
    """List entities by type and time range, over the ends of months."""
    start = stage.db.now()
    ada = cast.join(stage.db, Role.FOUNDER)
    stage.clock.advance(timedelta(days=32))
    startup = cast.found(stage.db, cast.join(stage.db, Role.FOUNDER))
    end = stage.db.now()

    def listed(kind: Kind) -> set[str]:
        found = overviews.list_created(stage.db, cast.STAFF, kind, start, end, limit=1000)
        return {each.user_id if isinstance(each, User) else getattr(each, "startup_id", "") for each in found}

    stage.eventually(lambda: ada.user_id in listed(Kind.USER) and startup.startup_id in listed(Kind.STARTUP))
    with stage.measured():
        assert ada.user_id in listed(Kind.USER)
    assert startup.founder_id in listed(Kind.USER)


@PROOFS("A34", "004:27")
def read_all_of_a_user(stage: Stage) -> None:
    """Profile, subscription and notifications of a user, in one read."""
    ada = cast.join(stage.db, Role.FOUNDER)
    subscriptions.receive_event(stage.db, cast.WEBHOOK, cast.billing(stage.db, ada))
    about = ("USER", ada.user_id)
    stage.db.transact(told(stage.db, ada.user_id, NotificationType.SYSTEM, "Welcome", "Hello.", about))
    with stage.measured():
        found = stage.db.run(UserBundle(user_id=ada.user_id), limit=20)
    assert [type(each) for each in found] == [Subscription, User, Notification]


@PROOFS("F1", "004:39")
def sign_up_verify_ban(stage: Stage) -> None:
    """Sign up, verify, ban: nobody takes another's address, and whoever is banned cannot act."""
    ada = cast.newcomer()
    draft = people.Registration(role=Role.FOUNDER, first_name="Ada", last_name="Byron")
    with stage.measured():
        user = people.register(stage.db, ada, draft)
    assert (user.status, user.subscription_status) == (UserStatus.PENDING_VERIFICATION, Standing.NONE)

    thief = cast.newcomer(email=str(ada.claim("email")).upper())
    taken = cast.refused(errors.UniqueViolation, lambda: people.register(stage.db, thief, draft))
    assert taken.field == "email"
    cast.refused(Forbidden, lambda: startups.create_startup(stage.db, ada, cast.draft()))

    people.activate(stage.db, ada, ada.user_id)
    startup = cast.found(stage.db, ada)
    people.ban(stage.db, cast.STAFF, ada.user_id)
    stage.eventually(
        lambda: people.ban(stage.db, cast.STAFF, ada.user_id) and _is_suspended(stage, startup.startup_id)
    )
    cast.refused(Forbidden, lambda: startups.create_startup(stage.db, ada, cast.draft()))
    cast.refused(Forbidden, lambda: people.record_login(stage.db, ada))


def _is_suspended(stage: Stage, startup_id: str) -> bool:
    return startups.read_startup(stage.db, cast.STAFF, startup_id).status == StartupStatus.SUSPENDED


@PROOFS("F12", "004:296")
def share_indexes_and_sort_by_ids(stage: Stage) -> None:
    """Overloaded and sparse indexes: only users are found by address; ids made later sort later."""
    ada = cast.join(stage.db, Role.FOUNDER)
    startup = cast.found(stage.db, ada)
    assert startup.startup_id < cast.found(stage.db, ada).startup_id
    table = stage.db.context.table_name(User.layout.table)
    request = {
        "TableName": table,
        "IndexName": "GSI4",
        "KeyConditionExpression": "#email = :email",
        "ExpressionAttributeNames": {"#email": "email"},
        "ExpressionAttributeValues": {":email": {"S": str(ada.claim("email"))}},
    }
    stage.eventually(lambda: stage.db.connection.call("Query", request)["Count"] == 1)
    with stage.measured():
        assert stage.db.connection.call("Query", request)["Count"] == 1
