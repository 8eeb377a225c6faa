"""Proofs about subscriptions (200-223)."""

from datetime import timedelta

from tablewright_systems.collabhub.design.people import Role, Standing, Tier, UserById
from tablewright_systems.collabhub.design.subscriptions import (
    EventOutcome,
    SubscriptionByCustomer,
    SubscriptionOfUser,
    SubscriptionsByStatus,
    SubscriptionStatus,
)
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import subscriptions
from tablewright_systems.identities import Caller
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("collabhub")
SECOND = timedelta(seconds=1)


def customer(stage: Stage, status: str = "active") -> Caller:
    """Somebody who pays."""
    ada = cast.join(stage.db, Role.FOUNDER)
    subscriptions.receive_event(stage.db, cast.WEBHOOK, cast.billing(stage.db, ada, status=status))
    return ada


@PROOFS("A19", "004:288")
def get_subscription(stage: Stage) -> None:
    """Get subscription."""
    ada = customer(stage)
    with stage.measured():
        found = stage.db.run(SubscriptionOfUser(user_id=ada.user_id))
    assert found is not None
    assert (found.tier, found.status) == (Tier.PRO, SubscriptionStatus.ACTIVE)


@PROOFS("A20", "004:289")
def find_by_stripe_customer(stage: Stage) -> None:
    """Find by Stripe customer."""
    ada = customer(stage)
    pattern = SubscriptionByCustomer(customer_id=f"cus-{ada.user_id}")
    stage.eventually(lambda: stage.db.run(pattern))
    with stage.measured():
        found = stage.db.run(pattern)
    assert found is not None
    assert found.user_id == ada.user_id


@PROOFS("A28", "004:221")
def list_subscriptions_by_status(stage: Stage) -> None:
    """List subscriptions by status."""
    ada, bob = customer(stage, "past_due"), customer(stage)
    listed = cast.read(
        stage,
        lambda: stage.db.iterate(SubscriptionsByStatus(status=SubscriptionStatus.PAST_DUE)),
        lambda found: ada.user_id in {each.user_id for each in found},
    )
    assert bob.user_id not in {each.user_id for each in listed}


@PROOFS("F7", "004:211")
def follow_stripe(stage: Stage) -> None:
    """Events in any order, twice: a trial, a debt, a cancellation at the end; the user's copy is in step."""
    ada = cast.join(stage.db, Role.FOUNDER)
    start = stage.db.now()
    trial = cast.billing(stage.db, ada, status="trialing")
    debt = cast.billing(stage.db, ada, status="past_due", created=start + 2 * SECOND)
    late = cast.billing(stage.db, ada, created=start + SECOND)
    with stage.measured():
        assert subscriptions.receive_event(stage.db, cast.WEBHOOK, trial) == EventOutcome.APPLIED
    assert _copy(stage, ada) == (Standing.ACTIVE, Tier.PRO)
    assert subscriptions.receive_event(stage.db, cast.WEBHOOK, debt) == EventOutcome.APPLIED
    assert subscriptions.receive_event(stage.db, cast.WEBHOOK, late) == EventOutcome.STALE
    assert subscriptions.receive_event(stage.db, cast.WEBHOOK, debt) == EventOutcome.DUPLICATE
    assert _copy(stage, ada) == (Standing.PAST_DUE, Tier.PRO)

    ending = cast.billing(
        stage.db,
        ada,
        created=start + 3 * SECOND,
        cancel_at_period_end=True,
        current_period_end=start + timedelta(hours=1),
    )
    assert subscriptions.receive_event(stage.db, cast.WEBHOOK, ending) == EventOutcome.APPLIED
    assert _copy(stage, ada) == (Standing.ACTIVE, Tier.PRO)
    stage.clock.advance(timedelta(hours=2))
    stage.eventually(lambda: subscriptions.sweep_ended(stage.db, cast.WORKER))
    assert _copy(stage, ada) == (Standing.CANCELLED, Tier.FREE)


def _copy(stage: Stage, caller: Caller) -> tuple[Standing, Tier]:
    user = stage.db.run(UserById(user_id=caller.user_id))
    assert user is not None
    return user.subscription_status, user.subscription_tier
