"""Proofs about conversations and messages (160-198)."""

from datetime import timedelta

from tablewright_systems.collabhub.design.conversations import (
    ConversationById,
    ConversationsOfUser,
    ConversationType,
    DirectLinkOf,
    Messages,
    MessageType,
)
from tablewright_systems.collabhub.design.people import Role
from tablewright_systems.collabhub.design.records import NotificationType
from tablewright_systems.collabhub.proofs import cast
from tablewright_systems.collabhub.service import conversations, messages, notifications
from tablewright_systems.identities import Caller
from tablewright_systems.problems import Forbidden
from tablewright_systems.proofs import Proofs, Stage

PROOFS = Proofs("collabhub")
MOMENT = timedelta(milliseconds=1)


def three(stage: Stage) -> list[Caller]:
    """Three users."""
    return [cast.join(stage.db, role) for role in (Role.FOUNDER, Role.TALENT, Role.INVESTOR)]


def say(stage: Stage, speaker: Caller, conversation_id: str, content: str) -> str:
    """Something said, a moment later than what was before; its id."""
    stage.clock.advance(MOMENT)
    draft = messages.MessageDraft(content=content)
    return messages.send_message(stage.db, speaker, conversation_id, draft).message_id


@PROOFS("A16", "004:285")
def get_conversation(stage: Stage) -> None:
    """Get conversation: the one item, none of its messages."""
    ada, bob, _ = three(stage)
    talk = conversations.start_direct(stage.db, ada, bob.user_id)
    say(stage, ada, talk.conversation_id, "Hello")
    with stage.measured():
        found = stage.db.run(ConversationById(conversation_id=talk.conversation_id))
    assert found is not None
    assert found.last_message_preview == "Hello"


@PROOFS("A17", "004:286")
def list_conversations_of_user(stage: Stage) -> None:
    """List user conversations: every participant has them, those of the latest messages first."""
    ada, bob, ivy = three(stage)
    group = conversations.start_group(stage.db, ada, [bob.user_id, ivy.user_id]).conversation_id
    pair = conversations.start_direct(stage.db, ada, bob.user_id).conversation_id
    say(stage, bob, pair, "First")
    say(stage, ivy, group, "Second")

    def listed(user: Caller) -> list[str]:
        page = stage.db.iterate(ConversationsOfUser(user_id=user.user_id))
        return [each.conversation_id for each in page]

    cast.read(stage, lambda: listed(ada), lambda found: found == [group, pair])
    stage.eventually(lambda: listed(bob) == [group, pair])
    stage.eventually(lambda: listed(ivy) == [group])


@PROOFS("A18", "004:287")
def list_messages(stage: Stage) -> None:
    """List messages, the newest first."""
    ada, bob, _ = three(stage)
    talk = conversations.start_direct(stage.db, ada, bob.user_id).conversation_id
    said = [say(stage, ada, talk, f"{number}") for number in range(5)]
    with stage.measured():
        page = stage.db.run(Messages(conversation_id=talk), limit=3)
    assert [each.message_id for each in page] == said[:1:-1]


@PROOFS("A37", "004:168")
def find_direct_conversation(stage: Stage) -> None:
    """The direct conversation between two users: one, whoever begins it."""
    ada, bob, _ = three(stage)
    talk = conversations.start_direct(stage.db, ada, bob.user_id)
    low, high = sorted((ada.user_id, bob.user_id))
    with stage.measured():
        link = stage.db.run(DirectLinkOf(low_id=low, high_id=high))
    assert link is not None
    assert link.conversation_id == talk.conversation_id
    assert conversations.start_direct(stage.db, bob, ada.user_id) == talk


@PROOFS("A39", "004:193")
def list_unread_messages(stage: Stage) -> None:
    """List unread messages: those behind the last that was read."""
    ada, bob, _ = three(stage)
    talk = conversations.start_direct(stage.db, ada, bob.user_id).conversation_id
    said = [say(stage, ada, talk, f"{number}") for number in range(3)]
    assert len(messages.list_unread(stage.db, bob, talk)) == 3
    messages.mark_read(stage.db, bob, talk, said[0])
    with stage.measured():
        unread = messages.list_unread(stage.db, bob, talk)
    assert [each.message_id for each in unread] == said[1:]


@PROOFS("F6", "004:177")
def talk_to_each_other(stage: Stage) -> None:
    """Talk in a group: it moves for everybody, files and joiners show, reading is noted, others hear of it."""
    ada, bob, ivy = three(stage)
    talk = conversations.start_group(stage.db, ada, [bob.user_id]).conversation_id
    stage.clock.advance(MOMENT)
    plan = messages.MessageDraft(content="The plan", file_url="https://example.org/plan.pdf")
    with stage.measured():
        message = messages.send_message(stage.db, ada, talk, plan)
    assert message.type == MessageType.FILE
    cast.refused(Forbidden, lambda: messages.list_messages(stage.db, ivy, talk))

    stage.clock.advance(MOMENT)
    joined = conversations.add_participant(stage.db, bob, talk, ivy.user_id)
    assert joined.participants == [ada.user_id, bob.user_id, ivy.user_id]
    news, *_ = messages.list_messages(stage.db, ivy, talk)
    assert news.type == MessageType.SYSTEM

    messages.mark_read(stage.db, bob, talk, message.message_id)
    first = messages.list_messages(stage.db, ada, talk).items[-1]
    assert first.read_by == {ada.user_id, bob.user_id}

    conversations.remove_participant(stage.db, ivy, talk, ivy.user_id)
    cast.refused(Forbidden, lambda: messages.list_messages(stage.db, ivy, talk))
    assert [each.type for each in notifications.list_notifications(stage.db, bob)] == [
        NotificationType.MESSAGE
    ]
    assert joined.type == ConversationType.GROUP
