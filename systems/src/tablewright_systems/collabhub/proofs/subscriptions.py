"""Proofs of subscriptions."""

import json
from datetime import datetime, timedelta

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import EventOutcome, Role, Tier, UserSubscriptionStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.collabhub.service.stripe_events import sign, signed_event
from tablewright_systems.service import ApiError, Caller, Conflict, Forbidden, JobRun, Unavailable
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
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
        found = context.db.run(design.SubscriptionOfUser(user_id=ada.user_id))
    assert found is not None
    assert (found.tier, found.status) == (Tier.PRO, design.SubscriptionStatus.ACTIVE)


@PROOFS("A20")
def find_by_stripe_customer(context: ProofContext) -> None:
    """Find by Stripe customer."""
    ada = new_customer(context)
    pattern = design.SubscriptionByCustomer(customer_id=f"cus-{ada.user_id}")
    context.eventually(lambda: context.db.run(pattern))
    with context.measured():
        found = context.db.run(pattern)
    assert found is not None
    assert found.user_id == ada.user_id


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
