"""Messages: sent once, listed for every participant, read up to a position.

Sending reads the conversation and the recipients, then one transaction writes the message, updates the conversation
for every participant, and notifies those who are active; if it cannot hold all notifications, it writes them to the
outbox. It requires the participants that were read (R31), and only a newer message updates a conversation (R2).
"""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from pydantic import model_validator

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import (
    Conversation,
    Message,
    MessageType,
    Participant,
    ParticipantOf,
)
from tablewright_systems.collabhub.service.notifications import message_notifications
from tablewright_systems.collabhub.service.permissions import (
    Line,
    Text,
    Url,
    active,
    active_among,
    active_user,
)
from tablewright_systems.service import (
    FIRST_PAGE,
    Caller,
    Conflict,
    Forbidden,
    NotFound,
    busy,
    require_found,
    transact,
)
from tablewright_systems.service.schemas import Body
from tablewright_systems.web import Actor, CurrentCaller, Db, PageRequest, Router, problems

router = Router("Conversations")

PREVIEW = 120
"""How many characters of a message are shown in lists."""

_TRANSACTION = 100
_NOTHING = "!"
"""Sorts before every message."""


class MessageDraft(Body):
    """A new message. `mark` is an idempotency key of the sender: a message with the same mark is sent once.

    Another message with the same mark is a conflict.
    """

    content: Text
    file_url: Url | None = None
    mark: Line | None = None

    @model_validator(mode="after")
    def _require_content(self) -> "MessageDraft":
        if not self.content and self.file_url is None:
            raise ValueError("a message needs content or a file")
        return self


class _SentBefore(Exception):
    """A message with the same mark was sent before."""


@router.post("/conversations/{conversation_id}/messages", status_code=201)
@writes.retrying(on=errors.ConditionNotMet, otherwise=busy)
def send_message(db: Db, caller: Actor, conversation_id: str, draft: MessageDraft) -> Message:
    """Send a message. `mark` is an idempotency key: a message with the same mark is sent once.

    The same message with the same mark returns the stored message; another message is a conflict (409).
    """
    # Again if the participants or the last message changed.
    conversation = read_conversation(db, caller, conversation_id)
    _require_seats(db, conversation)
    others = [user_id for user_id in conversation.participants if user_id != caller.user_id]
    reached = active_among(db, others)
    recipients = [other for other in others if other in reached]
    if conversation.type == design.ConversationType.DIRECT and not recipients:
        raise Conflict("the other participant is not an active user", "conversationId")
    message = _message(db, caller, conversation_id, draft)
    actions = [
        active(caller),
        writes.Create(message),
        *_mark_write(message, draft.mark),
        *message_writes(conversation, message, conversation.participants),
    ]
    try:
        transact(db, *actions, *_notices(db, message, recipients, _TRANSACTION - len(actions)))
    except _SentBefore:
        return _sent_before(db, message, draft.mark or "")
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
    as_read = fields.of(Conversation.participants) == conversation.participants
    if not is_late:
        last = fields.of(Conversation.last_message_id)
        as_read &= last.is_absent() | (last < message.message_id)
    if participants != conversation.participants:
        changes["participants"] = participants
    target = design.ConversationById(conversation_id=conversation.conversation_id)
    first = writes.Update(target, set=changes, when=as_read) if changes else writes.Check(target, as_read)
    staying = [] if is_late else [user_id for user_id in conversation.participants if user_id in participants]
    return [first, *(_participant_write(message, user_id) for user_id in staying)]


@router.get("/conversations/{conversation_id}")
def read_conversation(db: Db, caller: CurrentCaller, conversation_id: str) -> Conversation:
    """Get a conversation and its participants."""
    active_user(db, caller)
    stored = db.run(design.ConversationById(conversation_id=conversation_id))
    conversation = require_found(stored, f"conversation {conversation_id}")
    if caller.user_id not in conversation.participants:
        raise Forbidden("you are not a participant of this conversation")
    return conversation


def list_participants(db: Repository, caller: Caller, conversation_id: str) -> list[Participant]:
    """List the participants of a conversation of the caller, with their read positions."""
    conversation = read_conversation(db, caller, conversation_id)
    return _seats(db, conversation)


@router.get("/conversations/{conversation_id}/messages", responses=problems(404, 409))
def list_messages(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Message]:
    """List the messages of a conversation, newest first, each with the users who have read it."""
    seats = list_participants(db, caller, conversation_id)
    page = paging.run(db, design.Messages(conversation_id=conversation_id))
    return page.map(lambda message: _with_readers(message, seats))


@router.get("/conversations/{conversation_id}/unread", responses=problems(404, 409))
def list_unread(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Message]:
    """List the messages that the caller has not read, oldest first."""
    seats = list_participants(db, caller, conversation_id)
    read = next(seat.last_read_message_id for seat in seats if seat.user_id == caller.user_id) or _NOTHING
    page = paging.run(db, design.UnreadMessages(conversation_id=conversation_id, read=read))
    return page.map(lambda message: _with_readers(message, seats))


def mark_read(db: Repository, caller: Caller, conversation_id: str, message_id: str) -> Participant:
    """Mark a conversation as read up to a message. The position never moves back."""
    _require_seats(db, read_conversation(db, caller, conversation_id))
    message = design.MessageById(conversation_id=conversation_id, message_id=message_id)
    seat = ParticipantOf(conversation_id=conversation_id, user_id=caller.user_id)
    transact(
        db,
        active(caller),
        writes.Check(message, otherwise=NotFound(f"message {message_id}")),
        writes.Update(seat, fields.of(Participant.last_read_message_id).raise_to(message_id)),
    )
    return require_found(db.run(seat), f"participant {caller.user_id}")


def participant(conversation: Conversation, user_id: str) -> Participant:
    """Return a participant's item of a conversation."""
    return Participant(
        conversation_id=conversation.conversation_id,
        user_id=user_id,
        type=conversation.type,
        last_message_at=conversation.last_message_at,
        last_message_preview=conversation.last_message_preview,
        last_message_id=conversation.last_message_id,
    )


def _seats(db: Repository, conversation: Conversation) -> list[Participant]:
    """Return the participants' items; a conversation that another program wrote gets them now."""
    pattern = design.ParticipantsOf(conversation_id=conversation.conversation_id)
    seats = db.all(pattern)
    if len(seats) >= len(conversation.participants):
        return seats
    create_seats(db, conversation)
    return db.all(pattern)


def _require_seats(db: Repository, conversation: Conversation) -> None:
    """Create the participants' items of a conversation that another program wrote."""
    if not conversation.last_message_id:
        _seats(db, conversation)


def create_seats(db: Repository, conversation: Conversation) -> int:
    """Create the missing items of participants, as long as the participants are the same; return how many."""
    target = design.ConversationById(conversation_id=conversation.conversation_id)
    unchanged = Conversation.participants == conversation.participants
    newest = db.run(design.Messages(conversation_id=conversation.conversation_id), limit=1)
    if newest and not conversation.last_message_id:
        conversation = conversation.changed(last_message_id=newest[0].message_id)
    last_message = {"last_message_id": conversation.last_message_id}
    created = 0
    for user_id in conversation.participants:
        seat = writes.Create(participant(conversation, user_id))
        with suppress(errors.AlreadyExists, errors.ConditionNotMet, errors.DoesNotExist):
            transact(db, writes.Update(target, set=last_message, when=unchanged), seat)
            created += 1
    return created


def _with_readers(message: Message, seats: list[Participant]) -> Message:
    """Return a message with all users who have read up to it (R25)."""
    readers = {seat.user_id for seat in seats if seat.last_read_message_id >= message.message_id}
    return message.changed(read_by=message.read_by | readers | {message.sender_id})


def _message(db: Repository, caller: Caller, conversation_id: str, draft: MessageDraft) -> Message:
    now = db.now()
    return Message(
        message_id=fields.ulid(now.timestamp()),
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
    sent = design.SentMessage(
        conversation_id=message.conversation_id,
        sender_id=message.sender_id,
        mark=mark,
        message_id=message.message_id,
    )
    return [writes.Create(sent, otherwise=_SentBefore)]


def _notices(db: Repository, message: Message, recipients: list[str], room: int) -> list[writes.Write]:
    """Return the notifications of a message; or, if there is no room for them, their entry in the outbox."""
    preview = message.content[:PREVIEW]
    if len(recipients) <= room:
        return message_notifications(db, message.conversation_id, preview, recipients)
    notice = design.MessageNotice(
        message_id=message.message_id,
        conversation_id=message.conversation_id,
        recipients=recipients,
        preview=preview,
    )
    return [writes.Create(notice)]


def _sent_before(db: Repository, message: Message, mark: str) -> Message:
    """Return the message that was sent with the same mark; raise Conflict if it is another message."""
    of = {"conversation_id": message.conversation_id}
    used = db.run(design.SentUnder(**of, sender_id=message.sender_id, mark=mark))
    message_id = require_found(used, f"message with the mark {mark}").message_id
    sent = require_found(db.run(design.MessageById(**of, message_id=message_id)), f"message {message_id}")
    if (sent.content, sent.file_url) != (message.content, message.file_url):
        raise Conflict("this mark was used for another message", "mark")
    return sent
