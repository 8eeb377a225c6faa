"""Conversations and messages."""

from typing import Annotated

from pydantic import Field

from tablewright import fields
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import Conversation, Message
from tablewright_systems.collabhub.service import conversations, messages
from tablewright_systems.collabhub.service.inputs import Id
from tablewright_systems.collabhub.service.messages import MessageDraft
from tablewright_systems.service import sorted_page
from tablewright_systems.web import (
    Actor,
    Body,
    CurrentCaller,
    Db,
    PageReply,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Conversations", "Conversations and messages.")


class ParticipantId(Body):
    """The id of a user."""

    user_id: Id


class NewGroup(Body):
    """The participants of a group besides the caller."""

    user_ids: Annotated[list[Id], Field(min_length=1, max_length=100)]
    application_id: Id | None = None


class NewChannel(Body):
    """The channel of a startup, and its participants besides the founder."""

    startup_id: Id
    user_ids: Annotated[list[Id], Field(min_length=1, max_length=100)]


class ReadPosition(Body):
    """The last message that was read."""

    message_id: Id


class ConversationSummary(View):
    """A conversation in the caller's list."""

    conversation_id: str
    type: design.ConversationType
    last_message_at: fields.Timestamp
    last_message_preview: str
    last_read_message_id: str
    has_unread: bool


class Seat(View):
    """A participant, and the last message that the participant has read."""

    user_id: str
    last_read_message_id: str


@router.get("/conversations")
def list_conversations(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[ConversationSummary]:
    """List the caller's conversations, those with the latest messages first."""
    found = paging.run(db, design.ConversationsOfUser(user_id=caller.user_id))
    return PageReply.map(found, ConversationSummary.model_validate)


@router.post("/conversations/direct")
def start_direct(db: Db, actor: Actor, other: ParticipantId) -> Conversation:
    """Get the direct conversation with a user, or start it."""
    return conversations.start_direct(db, actor, other.user_id)


@router.post("/conversations/groups", status_code=201)
def start_group(db: Db, actor: Actor, group: NewGroup) -> Conversation:
    """Start a group conversation; about an application, with its applicant and its founder."""
    return conversations.start_group(db, actor, group.user_ids, group.application_id)


@router.post("/conversations/channels", status_code=201)
def start_channel(db: Db, actor: Actor, channel: NewChannel) -> Conversation:
    """Start the channel of a startup."""
    return conversations.start_channel(db, actor, channel.startup_id, channel.user_ids)


@router.get("/conversations/{conversation_id}")
def read_conversation(db: Db, caller: CurrentCaller, conversation_id: str) -> Conversation:
    """Get a conversation and its participants."""
    return messages.read_conversation(db, caller, conversation_id)


@router.get("/conversations/{conversation_id}/participants", responses=problems(404, 409))
def list_participants(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest
) -> PageReply[Seat]:
    """List the participants by ID, and how far each of them has read."""
    seats = messages.list_participants(db, caller, conversation_id)
    page = sorted_page(seats, paging, f"participants {conversation_id}", lambda seat: seat.user_id)
    return PageReply.map(page, Seat.model_validate)


@router.post("/conversations/{conversation_id}/participants")
def add_participant(db: Db, actor: Actor, conversation_id: str, other: ParticipantId) -> Conversation:
    """Add a participant."""
    return conversations.add_participant(db, actor, conversation_id, other.user_id)


@router.delete("/conversations/{conversation_id}/participants/{user_id}", status_code=204)
def remove_participant(db: Db, actor: Actor, conversation_id: str, user_id: str) -> None:
    """Leave a conversation; or remove a participant, as the owner of the group or the founder of the startup."""
    conversations.remove_participant(db, actor, conversation_id, user_id)


@router.post("/conversations/{conversation_id}/messages", status_code=201)
def send_message(db: Db, actor: Actor, conversation_id: str, draft: MessageDraft) -> Message:
    """Send a message. `mark` is an idempotency key: a message with the same mark is sent once.

    The same message with the same mark returns the stored message; another message is a conflict (409).
    """
    return messages.send_message(db, actor, conversation_id, draft)


@router.get("/conversations/{conversation_id}/messages", responses=problems(404, 409))
def list_messages(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest
) -> PageReply[Message]:
    """List the messages of a conversation, newest first, each with the users who have read it."""
    return PageReply.of(messages.list_messages(db, caller, conversation_id, paging))


@router.get("/conversations/{conversation_id}/unread", responses=problems(404, 409))
def list_unread(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest
) -> PageReply[Message]:
    """List the messages that the caller has not read, oldest first."""
    return PageReply.of(messages.list_unread(db, caller, conversation_id, paging))


@router.put("/conversations/{conversation_id}/read")
def mark_read(db: Db, caller: CurrentCaller, conversation_id: str, mark: ReadPosition) -> ConversationSummary:
    """Mark a conversation as read up to a message."""
    seat = messages.mark_read(db, caller, conversation_id, mark.message_id)
    return ConversationSummary.model_validate(seat)
