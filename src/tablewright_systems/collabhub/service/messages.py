"""Messages (181-198): sent once, listed for every participant, read up to a position.

Sending takes two round trips, whatever the number of participants: one read of the conversation, then one
transaction that writes the message, updates the conversation for every participant, and notifies them. The
transaction requires the participants that were read (T31), and only a newer message updates a conversation (T2).
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic import model_validator

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub.design.conversations import (
    Conversation,
    ConversationById,
    Message,
    MessageById,
    Messages,
    MessageType,
    Participant,
    ParticipantOf,
    SentMessage,
    SentUnder,
    UnreadMessages,
)
from tablewright_systems.collabhub.design.notifications import Notification, NotificationType
from tablewright_systems.collabhub.design.tables import Line, Text, Url
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.authorization import (
    MAX_ATTEMPTS,
    busy,
    require_found,
    transact,
    transact_as,
)
from tablewright_systems.collabhub.service.notifications import notification_write
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Forbidden, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging
from tablewright_systems.service.schemas import Body

PREVIEW = 120
"""How many characters of a message are shown in lists."""

_TRANSACTION = 100
_NOTHING = "!"
"""Sorts before every message."""


class MessageDraft(Body):
    """A new message. `mark` is an idempotency key of the sender: a message with the same mark is sent once."""

    content: Text
    file_url: Url | None = None
    mark: Line | None = None

    @model_validator(mode="after")
    def _require_content(self) -> "MessageDraft":
        if not self.content and self.file_url is None:
            raise ValueError("a message needs content or a file")
        return self


@writes.retrying(attempts=MAX_ATTEMPTS, on=errors.ConditionNotMet, otherwise=busy)
def send_message(db: Repository, caller: Caller, conversation_id: str, draft: MessageDraft) -> Message:
    """Send a message to a conversation of the caller; again if the participants or the last message changed."""
    conversation = read_conversation(db, caller, conversation_id)
    message = _message(db, caller, conversation_id, draft)
    done = [
        writes.Create(message),
        *_mark_write(message, draft.mark),
        *message_writes(conversation, message, conversation.participants),
    ]
    notifications = _notifications(db, conversation, message)
    room = _TRANSACTION - len(done) - 1
    try:
        transact_as(db, caller, *done, *map(writes.Create, notifications[:room]))
    except errors.AlreadyExists:
        return _sent_before(db, caller, conversation_id, draft)
    _notify_remaining(db, notifications[room:])
    return message


def system_message(db: Repository, caller: Caller, conversation_id: str, content: str) -> Message:
    """Return a system message about an action of the caller."""
    draft = MessageDraft(content=content)
    return _message(db, caller, conversation_id, draft).changed(type=MessageType.SYSTEM)


def last_message_values(message: Message) -> dict[str, Any]:
    """Return the values that a message changes in its conversation and in each participant's item."""
    return {
        "last_message_at": message.created_at,
        "last_message_preview": message.content[:PREVIEW],
        "last_message_id": message.message_id,
    }


def message_writes(
    conversation: Conversation, message: Message, participants: Sequence[str]
) -> list[writes.Write]:
    """Return the writes that update a conversation for its remaining participants.

    `participants` are the participants from now on. A message older than the conversation's last one updates nothing.
    """
    is_late = message.message_id < conversation.last_message_id
    changes = {} if is_late else last_message_values(message)
    as_read = Conversation.participants == conversation.participants
    if not is_late:
        as_read &= Conversation.last_message_id < message.message_id
    if participants != conversation.participants:
        changes["participants"] = participants
    target = ConversationById(conversation_id=conversation.conversation_id)
    first = writes.Update(target, set=changes, when=as_read) if changes else writes.Check(target, as_read)
    staying = [] if is_late else [each for each in conversation.participants if each in participants]
    return [first, *(_participant_write(message, each) for each in staying)]


def read_conversation(db: Repository, caller: Caller, conversation_id: str) -> Conversation:
    """Return a conversation in which the caller is a participant."""
    found = db.run(ConversationById(conversation_id=conversation_id))
    conversation = require_found(found, f"conversation {conversation_id}")
    if caller.user_id not in conversation.participants:
        raise Forbidden("you are not a participant of this conversation")
    return conversation


def list_messages(
    db: Repository, caller: Caller, conversation_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Message]:
    """List the messages of a conversation, newest first."""
    read_conversation(db, caller, conversation_id)
    return paging.run(db, Messages(conversation_id=conversation_id))


def list_unread(
    db: Repository, caller: Caller, conversation_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Message]:
    """List the messages of a conversation that the caller has not read, oldest first."""
    participant = _participant(db, caller, conversation_id)
    read = participant.last_read_message_id or _NOTHING
    return paging.run(db, UnreadMessages(conversation_id=conversation_id, read=read))


def mark_read(db: Repository, caller: Caller, conversation_id: str, message_id: str) -> Participant:
    """Mark a conversation as read up to a message. The position never moves back."""
    target = ParticipantOf(conversation_id=conversation_id, user_id=caller.user_id)
    message = MessageById(conversation_id=conversation_id, message_id=message_id)
    _participant(db, caller, conversation_id)
    try:
        transact(
            db,
            writes.Update(message, fields.of(Message.read_by).add(caller.user_id)),
            writes.Update(target, fields.of(Participant.last_read_message_id).raise_to(message_id)),
        )
    except errors.DoesNotExist as error:
        raise NotFound(f"message {message_id}") from error
    return _participant(db, caller, conversation_id)


def _participant(db: Repository, caller: Caller, conversation_id: str) -> Participant:
    participant = db.run(ParticipantOf(conversation_id=conversation_id, user_id=caller.user_id))
    if participant is None:
        raise Forbidden("you are not a participant of this conversation")
    return participant


def _message(db: Repository, caller: Caller, conversation_id: str, draft: MessageDraft) -> Message:
    now = db.now()
    return Message(
        message_id=new_ulid(now),
        conversation_id=conversation_id,
        sender_id=caller.user_id,
        content=draft.content,
        type=MessageType.TEXT if draft.file_url is None else MessageType.FILE,
        file_url=draft.file_url,
        read_by={caller.user_id},
        created_at=now,
    )


def _participant_write(message: Message, user_id: str) -> writes.Write:
    """Update a participant's item; the sender has read the message."""
    changes = last_message_values(message)
    if user_id == message.sender_id:
        changes["last_read_message_id"] = message.message_id
    return writes.Update(ParticipantOf(conversation_id=message.conversation_id, user_id=user_id), set=changes)


def _mark_write(message: Message, mark: str | None) -> list[writes.Write]:
    if mark is None:
        return []
    sent = SentMessage(
        conversation_id=message.conversation_id,
        sender_id=message.sender_id,
        mark=mark,
        message_id=message.message_id,
    )
    return [writes.Create(sent)]


def _sent_before(db: Repository, caller: Caller, conversation_id: str, draft: MessageDraft) -> Message:
    """Return the message that was sent with the same mark."""
    mark = SentUnder(conversation_id=conversation_id, sender_id=caller.user_id, mark=draft.mark or "")
    sent = require_found(db.run(mark), f"message with the mark {draft.mark}")
    found = db.run(MessageById(conversation_id=conversation_id, message_id=sent.message_id))
    return require_found(found, f"message {sent.message_id}")


def _notifications(db: Repository, conversation: Conversation, message: Message) -> list[Notification]:
    about = ("CONVERSATION", conversation.conversation_id)
    preview = message.content[:PREVIEW]
    return [
        notification_write(db, each, NotificationType.MESSAGE, "New message", preview, about).entity
        for each in conversation.participants
        if each != message.sender_id
    ]


def _notify_remaining(db: Repository, notifications: Sequence[Notification]) -> None:
    """Notify the participants for whom the transaction had no room. A failure does not affect the message."""
    with suppress(errors.TablewrightError):
        db.batch([writes.Put(each) for each in notifications])
