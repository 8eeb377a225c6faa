"""Conversations: their participants, and the list of each participant's conversations.

Participants are stored twice: in the conversation, and as an item for each participant that lists it for that user
(R1). Both change in one transaction, on condition that the list of participants is the one that was read (R31).
"""

from collections.abc import Sequence
from typing import Annotated

from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.collabhub import design
from tablewright_systems.collabhub.design import MAX_PARTICIPANTS, Conversation, ConversationType
from tablewright_systems.collabhub.service import messages
from tablewright_systems.collabhub.service.messages import (
    last_message_values,
    message_writes,
    participant,
    read_conversation,
    system_message,
)
from tablewright_systems.collabhub.service.permissions import Id, active, active_among, own_startup
from tablewright_systems.service import (
    Caller,
    Conflict,
    Forbidden,
    Invalid,
    NotFound,
    busy,
    require_found,
    sorted_page,
    transact,
)
from tablewright_systems.web import (
    Actor,
    CurrentCaller,
    Db,
    PageRequest,
    Router,
    View,
    problems,
)

router = Router("Conversations", "Conversations and messages.")


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


_when_participants_changed = writes.retrying(
    on=(errors.AlreadyExists, errors.ConditionNotMet, errors.DoesNotExist), otherwise=busy
)
"""Runs a flow again when another request has changed the participants."""


@router.post("/conversations/direct")
def start_direct(db: Db, caller: Actor, user_id: Id) -> Conversation:
    """Get the direct conversation with a user, or start it."""
    if user_id == caller.user_id:
        raise Invalid("a direct conversation needs another user", "userId")
    low, high = sorted((caller.user_id, user_id))
    target = design.DirectLinkOf(low_id=low, high_id=high)
    link = db.run(target)
    if link is None:
        _require_active(db, [user_id])
        conversation = _conversation(db, [low, high], ConversationType.DIRECT)
        link = design.DirectLink(low_id=low, high_id=high, conversation_id=conversation.conversation_id)
        try:
            return _start(db, caller, conversation, writes.Create(link))
        except errors.AlreadyExists:
            link = require_found(db.run(target), "direct conversation of these two users")
    return read_conversation(db, caller, link.conversation_id)


@router.post("/conversations/groups", status_code=201)
def start_group(
    db: Db,
    caller: Actor,
    user_ids: Annotated[list[Id], Field(min_length=1, max_length=100)],
    application_id: Id | None = None,
) -> Conversation:
    """Start a group conversation; about an application, with its applicant and its founder."""
    # About an application, of both its parties.
    participants = _participants(caller, user_ids)
    if application_id is not None:
        _require_parties(db, caller, application_id, participants)
    _require_active(db, participants)
    conversation = _conversation(db, participants, ConversationType.GROUP)
    return _start(db, caller, conversation.changed(related_application_id=application_id))


@router.post("/conversations/channels", status_code=201)
def start_channel(
    db: Db, caller: Actor, startup_id: Id, user_ids: Annotated[list[Id], Field(min_length=1, max_length=100)]
) -> Conversation:
    """Start the channel of a startup."""
    # Only its founder starts it, and adds and removes participants.
    own_startup(db, caller, startup_id)
    participants = _participants(caller, user_ids)
    _require_active(db, participants)
    conversation = _conversation(db, participants, ConversationType.STARTUP_CHANNEL)
    return _start(db, caller, conversation.changed(related_startup_id=startup_id))


@router.post("/conversations/{conversation_id}/participants")
@_when_participants_changed
def add_participant(db: Db, caller: Actor, conversation_id: str, user_id: Id) -> Conversation:
    """Add a participant."""
    # A system message announces it.
    before = read_conversation(db, caller, conversation_id)
    _require_changeable(before)
    if before.related_startup_id is not None:
        own_startup(db, caller, before.related_startup_id)
    _require_active(db, [user_id])
    if user_id in before.participants:
        raise Conflict("this user is already a participant", "userId")
    if len(before.participants) >= MAX_PARTICIPANTS:
        raise Conflict(f"a conversation has at most {MAX_PARTICIPANTS} participants", "userId")
    notice = system_message(db, caller, conversation_id, f"{user_id} has joined")
    joining = participant(before, user_id).changed(**last_message_values(notice))
    after = [*before.participants, user_id]
    change = writes.Create(joining)
    transact(db, active(caller), change, writes.Create(notice), *message_writes(before, notice, after))
    return read_conversation(db, caller, conversation_id)


@router.delete("/conversations/{conversation_id}/participants/{user_id}", status_code=204)
@_when_participants_changed
def remove_participant(db: Db, caller: Actor, conversation_id: str, user_id: str) -> None:
    """Leave a conversation; or remove a participant, as the owner of the group or the founder of the startup."""
    # Or remove another participant, as the owner of a group or the founder of a channel.
    before = read_conversation(db, caller, conversation_id)
    _require_changeable(before)
    if user_id != caller.user_id:
        _require_owner(db, caller, before)
    if user_id not in before.participants:
        raise NotFound(f"participant {user_id}")
    if len(before.participants) == 1:
        raise Conflict("the last participant cannot leave a conversation", "userId")
    notice = system_message(db, caller, conversation_id, f"{user_id} has left")
    after = [remaining_id for remaining_id in before.participants if remaining_id != user_id]
    change = writes.Delete(design.ParticipantOf(conversation_id=conversation_id, user_id=user_id))
    transact(db, active(caller), change, writes.Create(notice), *message_writes(before, notice, after))


def _conversation(db: Repository, participants: list[str], kind: ConversationType) -> Conversation:
    now = db.now()
    return Conversation(
        conversation_id=fields.ulid(now.timestamp()),
        participants=participants,
        type=kind,
        last_message_at=now,
        created_at=now,
    )


def _start(db: Repository, caller: Caller, conversation: Conversation, *more: writes.Write) -> Conversation:
    seats = [writes.Create(participant(conversation, user_id)) for user_id in conversation.participants]
    _, created, *_ = transact(db, active(caller), writes.Create(conversation), *more, *seats)
    return created


def _participants(caller: Caller, user_ids: Sequence[str]) -> list[str]:
    """Return the caller and the others, without duplicates."""
    participants = list(dict.fromkeys([caller.user_id, *user_ids]))
    if not 2 <= len(participants) <= MAX_PARTICIPANTS:
        raise Invalid(f"a conversation has 2 to {MAX_PARTICIPANTS} participants", "userIds")
    return participants


def _require_active(db: Repository, user_ids: list[str]) -> None:
    """Raise NotFound unless all of them are active users."""
    active = active_among(db, user_ids)
    for user_id in user_ids:
        if user_id not in active:
            raise NotFound(f"active user {user_id}")


def _require_parties(db: Repository, caller: Caller, application_id: str, participants: list[str]) -> None:
    """Require that the caller applied or decides, and that both sides of the application are participants."""
    application = require_found(
        db.run(design.ApplicationById(application_id=application_id)), f"application {application_id}"
    )
    startup = require_found(
        db.run(design.StartupById(startup_id=application.startup_id)), f"startup {application.startup_id}"
    )
    parties = {application.applicant_id, startup.founder_id}
    if caller.user_id not in parties:
        raise Forbidden("only the applicant and the founder may start a conversation about an application")
    if not parties <= set(participants):
        raise Invalid("the applicant and the founder must both be participants", "userIds")


def _require_changeable(conversation: Conversation) -> None:
    if conversation.type == ConversationType.DIRECT:
        raise Conflict("the participants of a direct conversation cannot change", "type")


def _require_owner(db: Repository, caller: Caller, conversation: Conversation) -> None:
    """Require the founder of a channel, or the owner of a group: its first participant who is an active user.

    The user who starts a group is its first participant. If that user leaves or is banned, the next one is the owner.
    """
    if conversation.related_startup_id is not None:
        own_startup(db, caller, conversation.related_startup_id)
        return
    remaining = active_among(db, conversation.participants)
    owner = next(user_id for user_id in conversation.participants if user_id in remaining)
    if owner != caller.user_id:
        raise Forbidden("only the owner of the group may remove other participants")


@router.get("/conversations")
def list_conversations(db: Db, caller: CurrentCaller, paging: PageRequest) -> reads.Page[ConversationSummary]:
    """List the caller's conversations, those with the latest messages first."""
    page = paging.run(db, design.ConversationsOfUser(user_id=caller.user_id))
    return page.map(ConversationSummary.model_validate)


@router.get("/conversations/{conversation_id}/participants", responses=problems(404, 409))
def list_participants(
    db: Db, caller: CurrentCaller, conversation_id: str, paging: PageRequest
) -> reads.Page[Seat]:
    """List the participants by ID, and how far each of them has read."""
    seats = messages.list_participants(db, caller, conversation_id)
    page = sorted_page(seats, paging, f"participants {conversation_id}", lambda seat: seat.user_id)
    return page.map(Seat.model_validate)


@router.put("/conversations/{conversation_id}/read")
def mark_read(db: Db, caller: CurrentCaller, conversation_id: str, message_id: Id) -> ConversationSummary:
    """Mark a conversation as read up to a message."""
    seat = messages.mark_read(db, caller, conversation_id, message_id)
    return ConversationSummary.model_validate(seat)
