"""Proofs of expiry and of copies that change together (294-301)."""

from datetime import timedelta

from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.proofs.notifications import TICK, notify
from tablewright_systems.collabhub.service import (
    conversations,
    messages,
    subscriptions,
)
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.verification.proofs import ProofContext, Proofs

PROOFS = Proofs("collabhub")


@PROOFS("F10", "004:301")
def keep_for_a_while(context: ProofContext) -> None:
    """Items with a TTL count as deleted after their end, swept or not; history has no TTL."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    notify(context, ada, 1)
    expired = notification(
        context.db, ada.user_id, design.NotificationType.SYSTEM, "Old news", "!", ("USER", "-")
    ).entity
    context.db.create(expired.changed(ttl=int(context.db.now().timestamp()) - 1))
    with context.measured():
        page = context.db.run(design.Notifications(user_id=ada.user_id), limit=20)
    assert [each.title for each in page] == ["News 0"]
    (kept,) = page
    assert kept.ttl == int(kept.created_at.timestamp()) + timedelta(days=90).total_seconds()


@PROOFS("F11", "004:300")
def keep_copies_in_step(context: ProofContext) -> None:
    """Copies change in one transaction: a user's subscription, a conversation and its participants."""
    ada, bob = (
        fixtures.new_user(context.db, Role.FOUNDER),
        fixtures.new_user(context.db, Role.TALENT),
    )
    with context.measured():
        subscriptions.receive_event(context.db, fixtures.billing_event(context.db, ada, status="unpaid"))
    user = context.db.run(design.UserById(user_id=ada.user_id))
    subscription = context.db.run(design.SubscriptionOfUser(user_id=ada.user_id))
    assert user is not None
    assert subscription is not None
    assert user.subscription_status == design.UserSubscriptionStatus.PAST_DUE
    assert user.stripe_customer_id == subscription.stripe_customer_id

    conversation = conversations.start_direct(context.db, ada, bob.user_id).conversation_id
    context.clock.advance(TICK)
    messages.send_message(context.db, ada, conversation, messages.MessageDraft(content="Hello"))
    contents = messages.read_conversation(context.db, bob, conversation)
    for each in contents.participants:
        participant = context.db.run(design.ParticipantOf(conversation_id=conversation, user_id=each))
        assert participant is not None
        assert (participant.last_message_at, participant.last_message_preview) == (
            contents.last_message_at,
            contents.last_message_preview,
        )
