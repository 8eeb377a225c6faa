"""Conversations (160-179): their participants, and the list of each participant's conversations.

Participants are stored twice: in the conversation, and as an item for each participant that lists it for that user
(T1). Both change in one transaction, on condition that the list of participants is the one that was read (T31).
"""

from collections.abc import Sequence

from tablewright import Repository, errors, reads, writes
from tablewright_systems.collabhub.design.conversations import (
    MAX_PARTICIPANTS,
    Conversation,
    ConversationsOfUser,
    ConversationType,
    DirectLink,
    DirectLinkOf,
    Message,
    Participant,
    ParticipantOf,
)
from tablewright_systems.collabhub.design.users import UsersById, UserStatus
from tablewright_systems.collabhub.ids import new_ulid
from tablewright_systems.collabhub.service.authorization import (
    MAX_ATTEMPTS,
    busy,
    own_startup,
    require_found,
    transact_as,
    written_entity,
)
from tablewright_systems.collabhub.service.messages import (
    last_message_values,
    message_writes,
    read_conversation,
    system_message,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Invalid, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging

_when_participants_changed = writes.retrying(
    attempts=MAX_ATTEMPTS,
    on=(errors.AlreadyExists, errors.ConditionNotMet, errors.DoesNotExist),
    otherwise=busy,
)
"""Runs a flow again when another request has changed the participants."""


def start_direct(db: Repository, caller: Caller, other_id: str) -> Conversation:
    """Return the direct conversation of two users; it is created if there is none."""
    if other_id == caller.user_id:
        raise Invalid("a direct conversation needs another user", "userId")
    low, high = sorted((caller.user_id, other_id))
    link = db.run(DirectLinkOf(low_id=low, high_id=high))
    if link is None:
        _require_users(db, [other_id])
        conversation = _conversation(db, [low, high], ConversationType.DIRECT)
        link = DirectLink(low_id=low, high_id=high, conversation_id=conversation.conversation_id)
        try:
            return _start(db, caller, conversation, writes.Create(link))
        except errors.AlreadyExists:
            link = require_found(
                db.run(DirectLinkOf(low_id=low, high_id=high)), "direct conversation of these two users"
            )
    return read_conversation(db, caller, link.conversation_id)


def start_group(
    db: Repository, caller: Caller, user_ids: Sequence[str], application_id: str | None = None
) -> Conversation:
    """Start a conversation of several users, including the caller."""
    participants = _participants(caller, user_ids)
    _require_users(db, participants)
    conversation = _conversation(db, participants, ConversationType.GROUP)
    return _start(db, caller, conversation.changed(related_application_id=application_id))


def start_channel(db: Repository, caller: Caller, startup_id: str, user_ids: Sequence[str]) -> Conversation:
    """Start the channel of a startup. Only its founder starts it and adds participants."""
    own_startup(db, caller, startup_id)
    participants = _participants(caller, user_ids)
    _require_users(db, participants)
    conversation = _conversation(db, participants, ConversationType.STARTUP_CHANNEL)
    return _start(db, caller, conversation.changed(related_startup_id=startup_id))


@_when_participants_changed
def add_participant(db: Repository, caller: Caller, conversation_id: str, user_id: str) -> Conversation:
    """Add a participant; a system message announces it."""
    _require_users(db, [user_id])
    before = read_conversation(db, caller, conversation_id)
    _require_host(db, caller, before)
    if user_id in before.participants:
        raise Conflict("this user is already a participant", "userId")
    if len(before.participants) == MAX_PARTICIPANTS:
        raise Conflict(f"a conversation has at most {MAX_PARTICIPANTS} participants", "userId")
    notice = system_message(db, caller, conversation_id, f"{user_id} has joined")
    joining = _participant(before, user_id).changed(**last_message_values(notice))
    after = [*before.participants, user_id]
    _change_participants(db, caller, before, after, notice, writes.Create(joining))
    return read_conversation(db, caller, conversation_id)


@_when_participants_changed
def remove_participant(db: Repository, caller: Caller, conversation_id: str, user_id: str) -> None:
    """Leave a conversation; or remove a participant, if the caller may add some."""
    before = read_conversation(db, caller, conversation_id)
    if user_id != caller.user_id:
        _require_host(db, caller, before)
    elif before.type == ConversationType.DIRECT:
        raise Conflict("the participants of a direct conversation cannot change", "type")
    if user_id not in before.participants:
        raise NotFound(f"participant {user_id}")
    if len(before.participants) == 1:
        raise Conflict("the last participant cannot leave a conversation", "userId")
    notice = system_message(db, caller, conversation_id, f"{user_id} has left")
    after = [each for each in before.participants if each != user_id]
    leaving = writes.Delete(ParticipantOf(conversation_id=conversation_id, user_id=user_id))
    _change_participants(db, caller, before, after, notice, leaving)


def list_conversations(
    db: Repository, caller: Caller, paging: Paging = FIRST_PAGE
) -> reads.Page[Participant]:
    """List the caller's conversations, those with the latest messages first."""
    return paging.run(db, ConversationsOfUser(user_id=caller.user_id))


def _conversation(db: Repository, participants: list[str], kind: ConversationType) -> Conversation:
    now = db.now()
    return Conversation(
        conversation_id=new_ulid(now),
        participants=participants,
        type=kind,
        last_message_at=now,
        created_at=now,
    )


def _participant(conversation: Conversation, user_id: str) -> Participant:
    """Return a participant's item of a conversation without messages (T4)."""
    return Participant(
        conversation_id=conversation.conversation_id,
        user_id=user_id,
        type=conversation.type,
        last_message_at=conversation.last_message_at,
    )


def _start(db: Repository, caller: Caller, conversation: Conversation, *more: writes.Write) -> Conversation:
    participants = [writes.Create(_participant(conversation, each)) for each in conversation.participants]
    done = transact_as(db, caller, writes.Create(conversation), *more, *participants)
    return written_entity(Conversation, done[0])


def _change_participants(
    db: Repository,
    caller: Caller,
    before: Conversation,
    after: list[str],
    notice: Message,
    change: writes.Write,
) -> None:
    """Change the participants and add the system message."""
    transact_as(db, caller, change, writes.Create(notice), *message_writes(before, notice, after))


def _participants(caller: Caller, user_ids: Sequence[str]) -> list[str]:
    """Return the caller and the others, without duplicates."""
    participants = list(dict.fromkeys([caller.user_id, *user_ids]))
    if not 2 <= len(participants) <= MAX_PARTICIPANTS:
        raise Invalid(f"a conversation has 2 to {MAX_PARTICIPANTS} participants", "userIds")
    return participants


def _require_users(db: Repository, user_ids: Sequence[str]) -> None:
    """Raise NotFound unless all of them are active users."""
    found = db.run(UsersById(user_id=list(user_ids)))
    active = {each.user_id for each in found if each.status == UserStatus.ACTIVE}
    for user_id in user_ids:
        if user_id not in active:
            raise NotFound(f"active user {user_id}")


def _require_host(db: Repository, caller: Caller, conversation: Conversation) -> None:
    """Require that the caller may add participants: in a group all may, in a channel only the founder."""
    if conversation.type == ConversationType.DIRECT:
        raise Conflict("the participants of a direct conversation cannot change", "type")
    if conversation.related_startup_id is not None:
        own_startup(db, caller, conversation.related_startup_id)
