"""Proofs of subscriptions (200-223)."""

from datetime import timedelta

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import EventOutcome, Role, Tier, UserSubscriptionStatus
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.service import Caller, JobRun
from tablewright_systems.verification.proofs import ProofContext, Proofs

PROOFS = Proofs("collabhub")
SECOND = timedelta(seconds=1)


def new_customer(context: ProofContext, status: str = "active") -> Caller:
    """Create a user with a subscription."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    subscriptions.receive_event(context.db, fixtures.billing_event(context.db, ada, status=status))
    return ada


@PROOFS("A19", "004:288")
def get_subscription(context: ProofContext) -> None:
    """Get subscription."""
    ada = new_customer(context)
    with context.measured():
        found = context.db.run(design.SubscriptionOfUser(user_id=ada.user_id))
    assert found is not None
    assert (found.tier, found.status) == (Tier.PRO, design.SubscriptionStatus.ACTIVE)


@PROOFS("A20", "004:289")
def find_by_stripe_customer(context: ProofContext) -> None:
    """Find by Stripe customer."""
    ada = new_customer(context)
    pattern = design.SubscriptionByCustomer(customer_id=f"cus-{ada.user_id}")
    context.eventually(lambda: context.db.run(pattern))
    with context.measured():
        found = context.db.run(pattern)
    assert found is not None
    assert found.user_id == ada.user_id


@PROOFS("A28", "004:221")
def list_subscriptions_by_status(context: ProofContext) -> None:
    """List subscriptions by status."""
    ada, bob = new_customer(context, "past_due"), new_customer(context)
    listed = fixtures.read_when(
        context,
        lambda: context.db.iterate(design.SubscriptionsByStatus(status=design.SubscriptionStatus.PAST_DUE)),
        lambda found: ada.user_id in {each.user_id for each in found},
    )
    assert bob.user_id not in {each.user_id for each in listed}


@PROOFS("F7", "004:211")
def follow_stripe(context: ProofContext) -> None:
    """Events in any order and twice: trial, past due, cancelled at the period's end; the user's copy is consistent."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    start = context.db.now()
    trial = fixtures.billing_event(context.db, ada, status="trialing")
    debt = fixtures.billing_event(context.db, ada, status="past_due", created=start + 2 * SECOND)
    late = fixtures.billing_event(context.db, ada, created=start + SECOND)
    with context.measured():
        assert subscriptions.receive_event(context.db, trial) == EventOutcome.APPLIED
    assert _copy(context, ada) == (UserSubscriptionStatus.ACTIVE, Tier.PRO)
    assert subscriptions.receive_event(context.db, debt) == EventOutcome.APPLIED
    assert subscriptions.receive_event(context.db, late) == EventOutcome.STALE
    assert subscriptions.receive_event(context.db, debt) == EventOutcome.DUPLICATE
    assert _copy(context, ada) == (UserSubscriptionStatus.PAST_DUE, Tier.PRO)

    ending = fixtures.billing_event(
        context.db,
        ada,
        created=start + 3 * SECOND,
        cancel_at_period_end=True,
        current_period_end=start + timedelta(hours=1),
    )
    assert subscriptions.receive_event(context.db, ending) == EventOutcome.APPLIED
    assert _copy(context, ada) == (UserSubscriptionStatus.ACTIVE, Tier.PRO)
    context.clock.advance(timedelta(hours=2))
    context.eventually(lambda: subscriptions.end_cancelled(JobRun(context.db)))
    assert _copy(context, ada) == (UserSubscriptionStatus.CANCELLED, Tier.FREE)


def _copy(context: ProofContext, caller: Caller) -> tuple[UserSubscriptionStatus, Tier]:
    user = context.db.run(design.UserById(user_id=caller.user_id))
    assert user is not None
    return user.subscription_status, user.subscription_tier
