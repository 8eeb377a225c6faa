"""Proofs of expiry and of copies that change together."""

import json
from datetime import timedelta
from pathlib import Path

from tablewright import Repository, connect, errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.proofs.conversations import TICK, notify
from tablewright_systems.collabhub.service import (
    access,
    adoption,
    applications,
    conversations,
    messages,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Caller, Conflict, Forbidden, JobRun
from tablewright_systems.verification import ProofContext, Proofs, expect_error, put_row

PROOFS = Proofs("collabhub")
HELLO = messages.MessageDraft(content="Hello")


@PROOFS("F10")
def keep_for_a_while(context: ProofContext) -> None:
    """Items with a TTL count as deleted after their end, swept or not; history has no TTL."""
    db = context.db
    ada = fixtures.new_user(db, Role.FOUNDER)
    notify(context, ada, 1)
    expired = notification(db, ada.user_id, design.NotificationType.SYSTEM, "Old news", "!", ("USER", "-"))
    db.create(expired.entity.changed(ttl=int(db.now().timestamp()) - 1))
    with context.measured():
        page = db.run(design.Notifications(user_id=ada.user_id), limit=20)
    assert [notification.title for notification in page] == ["News 0"]
    (kept,) = page
    assert kept.ttl == int(kept.created_at.timestamp()) + timedelta(days=90).total_seconds()

    startup = fixtures.new_startup(db, ada, design.Visibility.PRIVATE)
    ivy, request = fixtures.new_access_request(db, startup, design.AccessLevel.FULL_ACCESS)
    fixtures.approve_access(db, ada, request, timedelta(hours=1))
    assert startups.read_startup(db, ivy, startup.startup_id).startup_id == startup.startup_id
    context.clock.advance(timedelta(hours=1))
    expect_error(Forbidden, lambda: startups.read_startup(db, ivy, startup.startup_id))
    assert access.read_request(db, ivy, request.access_id).status == design.AccessStatus.APPROVED


@PROOFS("F11")
def keep_copies_in_step(context: ProofContext) -> None:
    """Copies change in one transaction; rows that were written as the document prints them get their copies too."""
    db = context.db
    ada, bob = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    with context.measured():
        subscriptions.receive_event(db, fixtures.billing_event(db, ada, status="unpaid"))
    user = db.get_or_raise(design.UserById(user_id=ada.user_id))
    subscription = db.get_or_raise(design.SubscriptionOfUser(user_id=ada.user_id))
    assert user.subscription_status == design.UserSubscriptionStatus.PAST_DUE
    assert user.stripe_customer_id == subscription.stripe_customer_id

    conversation = conversations.start_direct(db, ada, bob.user_id).conversation_id
    context.clock.advance(TICK)
    messages.send_message(db, ada, conversation, HELLO)
    contents = messages.read_conversation(db, bob, conversation)
    for seat in messages.list_participants(db, bob, conversation):
        assert (seat.last_message_at, seat.last_message_preview) == (contents.last_message_at, "Hello")
    _adopt_rows_of_the_document(context)


def _adopt_rows_of_the_document(context: ProofContext) -> None:
    """Rows without locks and added items are readable at once; adopted, they are listed, and nothing is doubled.

    They are in a table of their own, so that the migrations read nothing else.
    """
    prefix = context.unique_id()
    tables = f"{context.db.context.prefix}{prefix}-"
    db = connect(design.design, context.db.connection, clock=context.clock, create=True, prefix=tables)
    put_rows(db, prefix)
    ada, bob, ivy = (Caller(f"{prefix}-{name}") for name in ("ada", "bob", "ivy"))
    ids = f"{prefix}-1"
    assert users.read_profile(db, ada, bob.user_id).skills == ["python"]
    assert startups.read_startup(db, bob, ids).name == "Engines"
    adoption.adopt(db)
    context.eventually(lambda: db.all(design.ConversationsOfUser(user_id=bob.user_id)))
    assert messages.list_messages(db, bob, ids)[0].read_by == {ada.user_id}
    thief = fixtures.new_caller(email=f"{ada.user_id}@EXAMPLE.org")
    draft = users.Registration(role=Role.TALENT, first_name="A", last_name="B")
    expect_error(errors.UniqueViolation, lambda: users.register(db, thief, draft), field="email")
    letter = "Again"
    expect_error(Conflict, lambda: applications.apply(db, bob, ids, ids, letter), field="roleId")
    role = db.get_or_raise(design.RoleById(startup_id=ids, role_id=ids))
    assert (role.is_listed, role.applicant_count) == (True, 1)
    assert access.read_request(db, ivy, ids).status == design.AccessStatus.APPROVED
    context.eventually(lambda: access.end_expired(JobRun(db)))
    assert access.read_request(db, ivy, ids).status == design.AccessStatus.REVOKED


MESSAGE_ID = "01K1JH5Z8056ZYKZ3G9GT2NGG2"
_TEMPLATE = Path(__file__).with_name("document_rows.json")


def put_rows(db: Repository, prefix: str) -> None:
    """Put the rows as another program does; all ids begin with the prefix."""
    for row in json.loads(_TEMPLATE.read_text().replace("{p}", prefix)):
        put_row(db, design.User.layout.table, row)
