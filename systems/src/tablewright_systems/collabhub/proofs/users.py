"""Proofs of users."""

import json
from datetime import datetime, timedelta
from typing import Any

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    EventOutcome,
    Kind,
    Role,
    Tier,
    UserStatus,
    UserSubscriptionStatus,
)
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import audit, startups, subscriptions, users
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.collabhub.service.subscriptions import sign, signed_event
from tablewright_systems.service import (
    ApiError,
    Caller,
    Conflict,
    Forbidden,
    JobRun,
    Paging,
    Unavailable,
    call_raw,
)
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

    fixtures.read_when(context, lambda: listed(Kind.STARTUP), lambda entities: startup in entities)
    entities = fixtures.read_when(context, lambda: listed(Kind.USER), lambda entities: ada in entities)
    assert bob.user_id in {entity.user_id for entity in entities if isinstance(entity, design.User)}


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
        bundle = context.db.run(design.UserBundle(user_id=ada.user_id), limit=20)
    assert [type(entity) for entity in bundle] == [design.Subscription, design.User, design.Notification]


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
        lambda: startups.read_startup(db, ada, startup.startup_id),
    ):
        expect_error(Forbidden, refused)
    assert users.reinstate(db, fixtures.STAFF, ada.user_id).status == UserStatus.ACTIVE


def _is_suspended(context: ProofContext, startup_id: str) -> bool:
    return (
        startups.read_startup(context.db, fixtures.STAFF, startup_id).status == design.StartupStatus.SUSPENDED
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


SECOND = timedelta(seconds=1)


def new_customer(context: ProofContext, status: str = "active") -> Caller:
    """Create a user with a subscription."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    subscriptions.receive_event(context.db, fixtures.billing_event(context.db, ada, status=status))
    return ada


@PROOFS("A19")
def get_subscription(context: ProofContext) -> None:
    """Get subscription."""
    ada = new_customer(context)
    with context.measured():
        subscription = context.db.run(design.SubscriptionOfUser(user_id=ada.user_id))
    assert subscription is not None
    assert (subscription.tier, subscription.status) == (Tier.PRO, design.SubscriptionStatus.ACTIVE)


@PROOFS("A20")
def find_by_stripe_customer(context: ProofContext) -> None:
    """Find by Stripe customer."""
    ada = new_customer(context)
    pattern = design.SubscriptionByCustomer(customer_id=f"cus-{ada.user_id}")
    context.eventually(lambda: context.db.run(pattern))
    with context.measured():
        subscription = context.db.run(pattern)
    assert subscription is not None
    assert subscription.user_id == ada.user_id


@PROOFS("A28")
def list_subscriptions_by_status(context: ProofContext) -> None:
    """List subscriptions by status."""
    late, paid = (
        context.db.get_or_raise(design.SubscriptionOfUser(user_id=new_customer(context, status).user_id))
        for status in ("past_due", "active")
    )
    status = design.SubscriptionStatus.PAST_DUE
    fixtures.expect_among(context, design.SubscriptionsByStatus(status=status), late, paid)


@PROOFS("F7")
def follow_stripe(context: ProofContext) -> None:
    """Signed events in any order and twice: trial, past due, cancelled at the period's end, also after a long pause."""
    db = context.db
    ada, eve = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.FOUNDER)
    start = db.now()
    trial = fixtures.billing_event(db, ada, status="trialing")
    debt = fixtures.billing_event(db, ada, status="past_due", created=start + 2 * SECOND)
    late = fixtures.billing_event(db, ada, created=start + SECOND)
    with context.measured():
        assert subscriptions.receive_event(db, trial) == EventOutcome.APPLIED
    assert _copy(context, ada) == (UserSubscriptionStatus.ACTIVE, Tier.PRO)
    assert subscriptions.receive_event(db, debt) == EventOutcome.APPLIED
    assert subscriptions.receive_event(db, late) == EventOutcome.STALE
    assert subscriptions.receive_event(db, debt) == EventOutcome.DUPLICATE
    assert _copy(context, ada) == (UserSubscriptionStatus.PAST_DUE, Tier.PRO)

    stolen = fixtures.billing_event(db, eve, customer_id=f"cus-{ada.user_id}")
    expect_error(errors.UniqueViolation, lambda: subscriptions.receive_event(db, stolen))
    other = fixtures.billing_event(db, ada, customer_id="cus-other", created=start + 2 * SECOND)
    expect_error(Conflict, lambda: subscriptions.receive_event(db, other), field="customerId")
    expect_error(Forbidden, lambda: subscriptions.open_checkout(db, eve, eve.user_id, "cus-eve"))
    assert _copy(context, eve) == (UserSubscriptionStatus.NONE, Tier.FREE)

    ending = fixtures.billing_event(
        db,
        ada,
        created=start + 3 * SECOND,
        cancel_at_period_end=True,
        current_period_end=start + timedelta(hours=1),
    )
    assert subscriptions.receive_event(db, ending) == EventOutcome.APPLIED
    subscriptions.end_cancelled(JobRun(db))
    assert _copy(context, ada) == (UserSubscriptionStatus.ACTIVE, Tier.PRO)
    context.clock.advance(timedelta(days=90))
    context.eventually(lambda: subscriptions.end_cancelled(JobRun(db)))
    assert _copy(context, ada) == (UserSubscriptionStatus.CANCELLED, Tier.FREE)
    _reject_forged_deliveries(context)


def _reject_forged_deliveries(context: ProofContext) -> None:
    """A delivery needs the signature of its own body and a current time; events of other types change nothing."""
    body = json.dumps({"id": context.unique_id("evt"), "type": "invoice.paid"}).encode()
    now = context.db.now()

    def deliver(body: bytes, secret: str, sent: datetime) -> EventOutcome:
        seconds = str(int(sent.timestamp()))
        signature = f"t={seconds},v1={sign(body, seconds, secret)}"
        return subscriptions.receive(context.db, signed_event(body, signature, ["whsec_proof"], now))

    assert deliver(body, "whsec_proof", now) == EventOutcome.IGNORED
    assert deliver(body, "whsec_proof", now) == EventOutcome.DUPLICATE
    expect_error(ApiError, lambda: deliver(body, "whsec_other", now), field="Stripe-Signature")
    old = now - timedelta(minutes=6)
    expect_error(ApiError, lambda: deliver(body, "whsec_proof", old), field="Stripe-Signature")
    expect_error(ApiError, lambda: signed_event(body, None, ["whsec_proof"], now), field="Stripe-Signature")
    expect_error(Unavailable, lambda: signed_event(body, "t=1,v1=", [], now))


def _copy(context: ProofContext, caller: Caller) -> tuple[UserSubscriptionStatus, Tier]:
    user = context.db.get_or_raise(design.UserById(user_id=caller.user_id))
    return user.subscription_status, user.subscription_tier
