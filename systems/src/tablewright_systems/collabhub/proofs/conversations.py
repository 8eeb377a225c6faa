"""Proofs of conversations and messages."""

from datetime import timedelta

from tablewright import errors
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Notifications, NotificationType, Role, UnreadNotifications
from tablewright_systems.collabhub.proofs import fixtures
from tablewright_systems.collabhub.service import conversations, messages, notifications, users
from tablewright_systems.collabhub.service.notifications import notification
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("collabhub")
TICK = timedelta(milliseconds=1)


def three_users(context: ProofContext) -> list[Caller]:
    """Create three users."""
    return [fixtures.new_user(context.db, role) for role in (Role.FOUNDER, Role.TALENT, Role.INVESTOR)]


def send(context: ProofContext, speaker: Caller, conversation_id: str, content: str) -> str:
    """Send a message one millisecond after the previous one; return its id."""
    context.clock.advance(TICK)
    draft = messages.MessageDraft(content=content)
    return messages.send_message(context.db, speaker, conversation_id, draft).message_id


@PROOFS("A16")
def get_conversation(context: ProofContext) -> None:
    """Get conversation: one item, without its messages."""
    ada, bob, _ = three_users(context)
    conversation = conversations.start_direct(context.db, ada, bob.user_id)
    send(context, ada, conversation.conversation_id, "Hello")
    with context.measured():
        stored = context.db.run(design.ConversationById(conversation_id=conversation.conversation_id))
    assert stored is not None
    assert stored.last_message_preview == "Hello"


@PROOFS("A17")
def list_conversations_of_user(context: ProofContext) -> None:
    """List user conversations for every participant, those with the latest messages first."""
    ada, bob, ivy = three_users(context)
    group = conversations.start_group(context.db, ada, [bob.user_id, ivy.user_id]).conversation_id
    pair = conversations.start_direct(context.db, ada, bob.user_id).conversation_id
    send(context, bob, pair, "First")
    send(context, ivy, group, "Second")

    def listed(user: Caller) -> list[str]:
        page = context.db.iterate(design.ConversationsOfUser(user_id=user.user_id))
        return [summary.conversation_id for summary in page]

    fixtures.read_when(context, lambda: listed(ada), lambda conversations: conversations == [group, pair])
    context.eventually(lambda: listed(bob) == [group, pair])
    context.eventually(lambda: listed(ivy) == [group])


@PROOFS("A18")
def list_messages(context: ProofContext) -> None:
    """List messages, newest first."""
    ada, bob, _ = three_users(context)
    conversation = conversations.start_direct(context.db, ada, bob.user_id).conversation_id
    message_ids = [send(context, ada, conversation, f"{number}") for number in range(5)]
    with context.measured():
        page = context.db.run(design.Messages(conversation_id=conversation), limit=3)
    assert [message.message_id for message in page] == message_ids[:1:-1]


@PROOFS("A37")
def find_direct_conversation(context: ProofContext) -> None:
    """Get the direct conversation between two users: the same one, no matter which of them starts it."""
    ada, bob, _ = three_users(context)
    conversation = conversations.start_direct(context.db, ada, bob.user_id)
    low, high = sorted((ada.user_id, bob.user_id))
    with context.measured():
        link = context.db.run(design.DirectLinkOf(low_id=low, high_id=high))
    assert link is not None
    assert link.conversation_id == conversation.conversation_id
    assert conversations.start_direct(context.db, bob, ada.user_id) == conversation


@PROOFS("A39")
def list_unread_messages(context: ProofContext) -> None:
    """List unread messages: those after the last one read."""
    ada, bob, _ = three_users(context)
    conversation = conversations.start_direct(context.db, ada, bob.user_id).conversation_id
    message_ids = [send(context, ada, conversation, f"{number}") for number in range(3)]
    assert len(messages.list_unread(context.db, bob, conversation)) == 3
    messages.mark_read(context.db, bob, conversation, message_ids[0])
    with context.measured():
        unread = messages.list_unread(context.db, bob, conversation)
    assert [message.message_id for message in unread] == message_ids[1:]


@PROOFS("F6")
def exchange_messages(context: ProofContext) -> None:
    """Exchange messages in a group: files, joins, read positions and notifications reach all active participants."""
    db = context.db
    ada, bob, ivy = three_users(context)
    conversation = conversations.start_group(db, ada, [bob.user_id]).conversation_id
    expect_error(NotFound, lambda: conversations.start_group(db, ada, [bob.user_id], "no application"))
    unknown_user = fixtures.new_caller().user_id
    for missing in (
        lambda: conversations.start_direct(db, ada, unknown_user),
        lambda: conversations.start_group(db, ada, [unknown_user]),
        lambda: conversations.add_participant(db, ada, conversation, unknown_user),
    ):
        expect_error(NotFound, missing)
    pair = conversations.start_direct(db, ada, bob.user_id).conversation_id
    expect_error(Conflict, lambda: conversations.add_participant(db, ada, pair, ivy.user_id), field="type")
    expect_error(Conflict, lambda: conversations.remove_participant(db, ada, pair, bob.user_id), field="type")
    venture = fixtures.new_startup(db, ada)
    _, application = fixtures.new_application(db, fixtures.new_role(db, ada, venture))
    about = application.application_id
    expect_error(Forbidden, lambda: conversations.start_group(db, bob, [ada.user_id], about))
    with expect_error(Invalid, field="userIds"):
        conversations.start_group(db, ada, [bob.user_id], about)
    expect_error(Forbidden, lambda: conversations.start_channel(db, bob, venture.startup_id, [ivy.user_id]))
    first = send(context, ada, conversation, "First")
    context.clock.advance(TICK)
    plan = messages.MessageDraft(content="The plan", file_url="https://example.org/plan.pdf")
    with context.measured():
        message = messages.send_message(db, ada, conversation, plan)
    assert message.type == design.MessageType.FILE
    for refused in (
        lambda: messages.list_messages(db, ivy, conversation),
        lambda: messages.send_message(db, ivy, conversation, plan),
        lambda: conversations.add_participant(db, ivy, conversation, ivy.user_id),
        lambda: conversations.remove_participant(db, ivy, conversation, bob.user_id),
    ):
        expect_error(Forbidden, refused)

    context.clock.advance(TICK)
    joined = conversations.add_participant(db, bob, conversation, ivy.user_id)
    assert joined.participants == [ada.user_id, bob.user_id, ivy.user_id]
    system_message, *_ = messages.list_messages(db, ivy, conversation)
    assert system_message.type == design.MessageType.SYSTEM
    messages.mark_read(db, ivy, conversation, message.message_id)
    read_by = {sent.message_id: sent.read_by for sent in messages.list_messages(db, ada, conversation)}
    assert read_by[first] == read_by[message.message_id] == {ada.user_id, bob.user_id, ivy.user_id}
    assert read_by[system_message.message_id] == {bob.user_id}

    expect_error(Forbidden, lambda: conversations.remove_participant(db, bob, conversation, ada.user_id))
    users.ban(db, fixtures.STAFF, bob.user_id)
    send(context, ada, conversation, "Without bob")
    expect_error(Forbidden, lambda: messages.list_messages(db, bob, conversation))
    conversations.remove_participant(db, ada, conversation, ivy.user_id)
    expect_error(Forbidden, lambda: messages.list_messages(db, ivy, conversation))
    notified = [len(db.all(design.Notifications(user_id=user.user_id))) for user in (ada, bob, ivy)]
    assert notified == [1, 2, 1]


def notify(context: ProofContext, user: Caller, times: int) -> list[str]:
    """Create notifications, one millisecond apart; return their ids."""
    made = []
    for number in range(times):
        context.clock.advance(TICK)
        created = notification(
            context.db, user.user_id, NotificationType.SYSTEM, f"News {number}", "!", ("USER", "-")
        )
        context.db.transact(created)
        made.append(created.entity.notification_id)
    return made


@PROOFS("A23")
def list_notifications(context: ProofContext) -> None:
    """List notifications, newest first."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    with context.measured():
        page = context.db.run(Notifications(user_id=ada.user_id), limit=20)
    assert [notification.notification_id for notification in page] == made[::-1]


@PROOFS("A38")
def list_unread_notifications(context: ProofContext) -> None:
    """List and count unread notifications; a read one leaves the list."""
    ada = fixtures.new_user(context.db, Role.FOUNDER)
    made = notify(context, ada, 3)
    notifications.mark_read(context.db, ada, made[1])
    fixtures.read_when(
        context,
        lambda: context.db.iterate(UnreadNotifications(user_id=ada.user_id)),
        lambda unread: [notification.notification_id for notification in unread] == [made[2], made[0]],
    )
    assert notifications.count_unread(context.db, ada) == 2


@PROOFS("F9")
def read_notifications(context: ProofContext) -> None:
    """Notifications are unread until their user marks them as read, one by one or all at once."""
    db = context.db
    ada, eve = fixtures.new_user(db, Role.FOUNDER), fixtures.new_user(db, Role.TALENT)
    made = notify(context, ada, 3)
    expect_error(errors.DoesNotExist, lambda: notifications.mark_read(db, eve, made[0]))
    assert notifications.mark_all_read(db, eve) == 0
    with context.measured():
        assert notifications.mark_read(db, ada, made[0]).is_read
    context.eventually(lambda: len(db.all(design.UnreadNotifications(user_id=ada.user_id))) == 2)
    assert notifications.mark_all_read(db, ada) == 2
    context.eventually(lambda: notifications.count_unread(db, ada) == 0)
    assert all(notification.is_read for notification in db.all(design.Notifications(user_id=ada.user_id)))
    users.ban(db, fixtures.STAFF, ada.user_id)
    expect_error(Forbidden, lambda: notifications.count_unread(db, ada))
    assert notifications.notify(db, ada.user_id, NotificationType.SYSTEM, "News", "!", ("USER", "-")) == []
