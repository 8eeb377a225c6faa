"""Rules of conversations, the audit log, notifications and cursors. Each test is named after its rule."""

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from pydantic import ValidationError
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Role
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import (
    applications,
    audit,
    conversations,
    messages,
    notifications,
    roles,
    startups,
    subscriptions,
    users,
)
from tablewright_systems.service import Conflict, Forbidden, Invalid, NotFound, Paging

from systems.tests.collabhub.table_contents import (
    TableContents,
    assert_consistent,
    items,
    new_group,
    new_users,
)
from tablewright import Clock, Repository, errors, fields

HELLO = messages.MessageDraft(content="Hello")


# --- Conversations ---


def test_r1_every_participant_has_the_conversation(db: Repository) -> None:
    members = new_users(db, 3)
    conversation = new_group(db, members)
    for member in members:
        assert [
            entry.conversation_id for entry in db.all(design.ConversationsOfUser(user_id=member.user_id))
        ] == [conversation]


def test_r2_the_maximum_of_participants_gets_a_message(db: Repository, clock: Clock) -> None:
    members = new_users(db, design.MAX_PARTICIPANTS + 1)
    *participants, last, outside = members
    conversation = new_group(db, [*participants, last])
    clock.advance(1)
    messages.send_message(db, members[0], conversation, messages.MessageDraft(content="All of you", mark="m"))
    (listed,) = db.all(design.ConversationsOfUser(user_id=last.user_id))
    assert listed.last_message_preview == "All of you"
    assert notifications.OUTBOX.deliver_due(db).delivered == 1
    contents = assert_consistent(db)
    assert len(contents.of(design.Notification)) == len(participants)
    assert contents.of(design.MessageNotice) == []
    with pytest.raises(Conflict):
        conversations.add_participant(db, members[0], conversation, outside.user_id)
    with pytest.raises(Invalid):
        new_group(db, members)


def test_r2_a_late_message_does_not_become_the_last(db: Repository) -> None:
    """Another host's clock is a minute ahead: this host's message is stored, but is not the last message."""
    members = new_users(db, 2)
    conversation = new_group(db, members)
    ahead = db.now() + timedelta(minutes=1)
    later = {
        "last_message_id": fields.ulid(ahead.timestamp()),
        "last_message_at": ahead,
        "last_message_preview": "from ahead",
    }
    db.update(design.ConversationById(conversation_id=conversation), set=later)
    messages.send_message(db, members[0], conversation, HELLO)
    after = messages.read_conversation(db, members[0], conversation)
    assert (after.last_message_preview, after.last_message_at) == ("from ahead", ahead)
    assert [message.content for message in messages.list_messages(db, members[1], conversation)] == ["Hello"]


def test_r4_a_new_conversation_has_no_message(db: Repository) -> None:
    members = new_users(db, 2)
    conversation = conversations.start_direct(db, members[0], members[1].user_id)
    assert (conversation.last_message_at, conversation.last_message_preview) == (conversation.created_at, "")


def test_r25_the_read_position_never_moves_back(db: Repository, clock: Clock) -> None:
    members = new_users(db, 2)
    ada, bob = members
    conversation = new_group(db, members)
    message_ids = []
    for number in range(3):
        clock.advance(1)
        draft = messages.MessageDraft(content=f"{number}")
        message_ids.append(messages.send_message(db, ada, conversation, draft).message_id)
    messages.mark_read(db, bob, conversation, message_ids[2])
    participant = messages.mark_read(db, bob, conversation, message_ids[0])
    assert (participant.last_read_message_id, participant.has_unread) == (message_ids[2], False)
    messages.mark_read(db, bob, conversation, message_ids[2])
    assert all(
        message.read_by <= {ada.user_id, bob.user_id}
        for message in messages.list_messages(db, ada, conversation)
    )
    assert not messages.list_unread(db, bob, conversation).items
    with pytest.raises(NotFound):
        messages.mark_read(db, bob, conversation, fields.ulid((db.now() + timedelta(days=1)).timestamp()))
    with pytest.raises(Forbidden):
        messages.mark_read(db, fixtures.new_user(db, Role.TALENT), conversation, message_ids[0])


def test_r25_participants_see_who_has_read_which_message(db: Repository, clock: Clock) -> None:
    """Reading up to a message is reading those before it; the positions of all participants are visible."""
    ada, bob, ivy = members = new_users(db, 3)
    conversation = new_group(db, members)
    sent = []
    for number in range(3):
        clock.advance(1)
        draft = messages.MessageDraft(content=f"{number}")
        sent.append(messages.send_message(db, ada, conversation, draft).message_id)
    messages.mark_read(db, bob, conversation, sent[1])
    for reader in members:
        seen = {
            message.message_id: message.read_by
            for message in messages.list_messages(db, reader, conversation)
        }
        assert seen == {
            sent[0]: {ada.user_id, bob.user_id},
            sent[1]: {ada.user_id, bob.user_id},
            sent[2]: {ada.user_id},
        }
    seats = {
        participant.user_id: participant.last_read_message_id
        for participant in messages.list_participants(db, ivy, conversation)
    }
    assert seats == {ada.user_id: sent[2], bob.user_id: sent[1], ivy.user_id: ""}
    assert [item.read_by for item in messages.list_unread(db, bob, conversation)] == [{ada.user_id}]


def test_r26_ids_of_one_millisecond_are_ordered(db: Repository) -> None:
    members = new_users(db, 2)
    conversation = new_group(db, members)
    for number in range(20):
        messages.send_message(db, members[0], conversation, messages.MessageDraft(content=f"{number}"))
    message_ids = [
        message.content for message in messages.list_messages(db, members[0], conversation, paging=Paging(50))
    ]
    assert message_ids == [f"{number}" for number in reversed(range(20))]


def test_r31_a_direct_conversation_keeps_its_participants(db: Repository) -> None:
    ada, bob, ivy = new_users(db, 3)
    conversation = conversations.start_direct(db, ada, bob.user_id).conversation_id
    with pytest.raises(Conflict):
        conversations.add_participant(db, ada, conversation, ivy.user_id)
    with pytest.raises(Conflict):
        conversations.remove_participant(db, ada, conversation, ada.user_id)
    with pytest.raises(Invalid):
        conversations.start_direct(db, ada, ada.user_id)
    with pytest.raises(NotFound):
        conversations.start_direct(db, ada, "unknown")


def test_r31_only_the_founder_manages_the_channel(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    bob, ivy = new_users(db, 2)
    with pytest.raises(Forbidden):
        conversations.start_channel(db, bob, startup.startup_id, [ivy.user_id])
    conversation = conversations.start_channel(db, ada, startup.startup_id, [bob.user_id]).conversation_id
    with pytest.raises(Forbidden):
        conversations.add_participant(db, bob, conversation, ivy.user_id)
    conversations.add_participant(db, ada, conversation, ivy.user_id)
    conversations.remove_participant(db, ada, conversation, bob.user_id)
    assert db.run(design.ParticipantOf(conversation_id=conversation, user_id=bob.user_id)) is None
    message_ids = messages.list_messages(db, ivy, conversation)
    assert [item.type for item in message_ids] == [design.MessageType.SYSTEM, design.MessageType.SYSTEM]
    with pytest.raises(Forbidden):
        messages.send_message(db, bob, conversation, HELLO)
    assert_consistent(db)


def test_only_the_owner_of_a_group_removes_others(db: Repository) -> None:
    ada, bob, ivy, eve = members = new_users(db, 4)
    group = new_group(db, members)
    for remover, removed in ((bob, ada), (bob, ivy), (eve, bob)):
        with pytest.raises(Forbidden):
            conversations.remove_participant(db, remover, group, removed.user_id)
    with pytest.raises(Forbidden):
        conversations.remove_participant(db, fixtures.new_user(db, Role.TALENT), group, bob.user_id)
    conversations.remove_participant(db, ada, group, eve.user_id)
    with pytest.raises(NotFound):
        conversations.remove_participant(db, ada, group, eve.user_id)
    conversations.remove_participant(db, ada, group, ada.user_id)
    conversations.remove_participant(db, bob, group, ivy.user_id)  # bob is the first who stayed
    with pytest.raises(Conflict):
        conversations.remove_participant(db, bob, group, bob.user_id)
    assert_consistent(db)


def test_a_banned_owner_is_replaced_by_the_next_participant(db: Repository) -> None:
    ada, bob, ivy = members = new_users(db, 3)
    group = new_group(db, members)
    users.ban(db, fixtures.STAFF, ada.user_id)
    with pytest.raises(Forbidden):
        conversations.remove_participant(db, ada, group, bob.user_id)
    with pytest.raises(Forbidden):
        conversations.remove_participant(db, ivy, group, ada.user_id)
    conversations.remove_participant(db, bob, group, ada.user_id)
    assert messages.read_conversation(db, ivy, group).participants == [bob.user_id, ivy.user_id]


def test_a_conversation_about_an_application_is_of_its_parties(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    bob, application = fixtures.new_application(db, role)
    eve, other = fixtures.new_application(db, role)
    about = application.application_id
    with pytest.raises(NotFound):
        conversations.start_group(db, ada, [bob.user_id], "unknown")
    with pytest.raises(Forbidden):
        conversations.start_group(db, eve, [ada.user_id, bob.user_id], about)
    with pytest.raises(Invalid):
        conversations.start_group(db, ada, [eve.user_id], about)
    with pytest.raises(Forbidden):
        conversations.start_group(db, bob, [ada.user_id], other.application_id)
    for party, opposite in ((ada, bob), (bob, ada)):
        started = conversations.start_group(db, party, [opposite.user_id], about)
        assert started.related_application_id == about


def test_a_message_needs_content() -> None:
    with pytest.raises(ValidationError):
        messages.MessageDraft(content="")


# --- Audit and notifications ---


def test_r10_r39_the_log_of_a_day_is_sharded_by_utc_day(db: Repository, clock: Clock) -> None:
    clock.freeze(datetime(2025, 8, 31, 23, 59, 59, 999_000, tzinfo=UTC))
    ada = fixtures.new_user(db, Role.FOUNDER)
    clock.advance(timedelta(milliseconds=1))
    for _ in range(60):  # random shards: all four are used, but for a chance of 1 in 8 million
        users.record_login(db, ada)
    places = [item["PK"]["S"] for item in items(db) if item["PK"]["S"].startswith("AUDIT#")]
    assert {place.rpartition("#")[0] for place in places} == {"AUDIT#2025-08-31", "AUDIT#2025-09-01"}
    assert len({place for place in places if "09-01" in place}) == 4
    stamps = {item["SK"]["S"].partition("#")[0] for item in items(db) if item["PK"]["S"].startswith("AUDIT#")}
    assert stamps == {"2025-08-31T23:59:59.999Z", "2025-09-01T00:00:00.000Z"}
    logins = audit.entries_of_day(
        db, fixtures.STAFF, datetime(2025, 9, 1, tzinfo=UTC).date(), paging=Paging(100)
    )
    assert len(logins) == 60


def test_r11_entries_of_one_millisecond_are_all_listed(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    for _ in range(5):
        users.record_login(db, ada)
    first = audit.entries_of_user(db, ada, ada.user_id, paging=Paging(4))
    rest = audit.entries_of_user(db, ada, ada.user_id, paging=Paging(4, first.cursor))
    ids = [item.audit_id for item in (*first, *rest)]
    assert len(set(ids)) == len(ids) == 7


def test_r38_entries_of_the_system_have_no_user(db: Repository) -> None:
    entry = db.create(audit.audit_entry(db, None, "SWEEP", "ACCESS_REQUEST", "-").entity)
    (stored,) = [item for item in items(db) if item["entityType"]["S"] == "AUDIT_LOG"]
    assert "GSI1PK" not in stored
    assert entry.user_id is None


def test_edits_are_in_the_log(db: Repository) -> None:
    """Profile, startup, notes and customer: who changed what, without private content (F8)."""
    ada = fixtures.new_user(db, Role.FOUNDER)
    startup = fixtures.new_startup(db, ada)
    _, application = fixtures.new_application(db, fixtures.new_role(db, ada, startup))
    before = {log.audit_id for log in TableContents(db).of(design.AuditLog)}
    users.edit_profile(db, ada, users.ProfileChanges(bio="Countess", first_name="Augusta"))
    users.edit_profile(db, ada, users.ProfileChanges())
    startups.edit_startup(db, ada, startup.startup_id, startups.StartupChanges(name="Looms", logo_url=None))
    applications.write_notes(db, ada, application.application_id, "private")
    subscriptions.open_checkout(db, fixtures.STAFF, ada.user_id, "cus-1")
    entries = [log for log in TableContents(db).of(design.AuditLog) if log.audit_id not in before]
    assert {(entry.user_id, entry.action, entry.resource_id) for entry in entries} == {
        (ada.user_id, "USER_EDITED", ada.user_id),
        (ada.user_id, "STARTUP_EDITED", startup.startup_id),
        (ada.user_id, "APPLICATION_NOTES_CHANGED", application.application_id),
        ("staff", "CUSTOMER_SET", ada.user_id),
    }
    metadata = {entry.action: entry.metadata for entry in entries}
    assert metadata["USER_EDITED"] == {"fields": ["bio", "first_name"]}
    assert metadata["STARTUP_EDITED"] == {"fields": ["logo_url", "name"]}
    assert "private" not in str(metadata)


def test_an_edit_that_is_refused_is_not_in_the_log(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    users.ban(db, fixtures.STAFF, ada.user_id)
    with pytest.raises(Forbidden):
        users.edit_profile(db, ada, users.ProfileChanges(bio="Still here"))
    assert "USER_EDITED" not in {log.action for log in TableContents(db).of(design.AuditLog)}


def test_the_log_is_append_only(db: Repository) -> None:
    entry = db.create(audit.audit_entry(db, None, "SWEEP", "ACCESS_REQUEST", "-").entity)
    with pytest.raises(errors.AlreadyExists):
        db.create(design.AuditLog(**entry.model_dump()))


def test_the_log_is_for_administrators(db: Repository) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    now = db.now()
    actions: list[Callable[[], object]] = [
        lambda: audit.entries_of_day(db, ada, now.date()),
        lambda: audit.entries_between(db, ada, now, now),
        lambda: audit.entries_of_user(db, ada, "unknown"),
    ]
    for action in actions:
        with pytest.raises(Forbidden):
            action()
    with pytest.raises(Invalid):
        audit.entries_between(db, fixtures.STAFF, now, now + timedelta(days=40))


def test_r18_notifications_and_logs_expire_and_history_does_not(db: Repository, clock: Clock) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    role = fixtures.new_role(db, ada, fixtures.new_startup(db, ada))
    fixtures.new_application(db, role)
    embedded: Any = db.connection
    clock.advance(timedelta(days=91))
    assert list(db.all(design.Notifications(user_id=ada.user_id))) == []
    assert embedded.sweep() == 1
    clock.advance(timedelta(days=300))
    embedded.sweep()
    kept = {item["entityType"]["S"] for item in items(db) if "entityType" in item}
    assert kept == {"USER", "STARTUP", "STARTUP_ROLE", "APPLICATION", "APPLICATION_CLAIM", "_lock"}


def test_r32_notifications_of_other_users_are_not_visible(db: Repository) -> None:
    members = new_users(db, 2)
    messages.send_message(db, members[0], new_group(db, members), HELLO)
    (notification,) = db.all(design.UnreadNotifications(user_id=members[1].user_id))
    with pytest.raises(errors.DoesNotExist):
        notifications.mark_read(db, members[0], notification.notification_id)
    notifications.mark_read(db, members[1], notification.notification_id)
    assert notifications.count_unread(db, members[1]) == 0


# --- Cursors ---


@pytest.mark.parametrize("cursor", ["", "x", "!!!", "W10=", "bnVsbA==", "WyJhIiwgImIiXQ=="])
def test_an_invalid_cursor_is_rejected(db: Repository, cursor: str) -> None:
    ada = fixtures.new_user(db, Role.FOUNDER)
    with pytest.raises(errors.BadCursor):
        roles.browse_open_roles(db, ada, paging=Paging(cursor=cursor))
    with pytest.raises(errors.BadCursor):
        startups.list_by_status(db, fixtures.STAFF, design.StartupStatus.DRAFT, paging=Paging(cursor=cursor))
    with pytest.raises(errors.BadCursor):
        users.list_by_role(db, ada, Role.TALENT, paging=Paging(cursor=cursor))
