"""Chat rooms: members can read and post messages.

A message is stored under the server's time, which its id contains too. A sender who is not sure whether a message
arrived sends it again under the same `client_id`, and it is there once.
"""

from datetime import UTC, datetime, timedelta

from tablewright import Repository, fields, reads, writes
from tablewright_systems.goalsguild.design.goals import Visibility
from tablewright_systems.goalsguild.design.rooms import (
    ChatHistory,
    Member,
    MemberOf,
    MembersOfRoom,
    Message,
    MessageAt,
    Receipt,
    ReceiptOf,
    RecentMessages,
    Role,
    Room,
    RoomById,
    RoomsOfUser,
)
from tablewright_systems.goalsguild.service.transactions import (
    Action,
    account_is_active,
    create,
    transact,
)
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, Forbidden, Gone, NotFound
from tablewright_systems.service.paging import FIRST_PAGE, Paging

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def create_room(
    db: Repository, caller: Caller, *, name: str, visibility: Visibility = Visibility.PRIVATE
) -> Room:
    """Create a room owned by the caller."""
    room = Room(name=name, visibility=visibility, created_by=caller.user_id)
    owner = Member(room_id=room.id, user_id=caller.user_id, role=Role.OWNER)
    own = writes.Create(owner), Conflict("you already own this room")
    return create(db, room, account_is_active(caller.user_id), own)


def room_of(db: Repository, caller: Caller, room_id: str) -> Room:
    """Return a room that the caller is a member of, or a public room."""
    room = db.run(RoomById(room_id=room_id))
    if room is None or (room.visibility is not Visibility.PUBLIC and not _member(db, caller, room_id)):
        raise NotFound(f"room {room_id}")
    return room


def my_rooms(db: Repository, caller: Caller, paging: Paging = FIRST_PAGE) -> reads.Page[Member]:
    """Return the rooms of the caller."""
    return paging.run(db, RoomsOfUser(user_id=caller.user_id))


def members(db: Repository, caller: Caller, room_id: str, paging: Paging = FIRST_PAGE) -> reads.Page[Member]:
    """Return the members of a room, to its members."""
    _require_member(db, caller, room_id)
    return paging.run(db, MembersOfRoom(room_id=room_id))


def join(db: Repository, caller: Caller, room_id: str) -> Member:
    """Make the caller a member of a public room."""
    public = writes.Check(RoomById(room_id=room_id), Room.visibility == Visibility.PUBLIC)
    return _admit(db, room_id, caller.user_id, (public, NotFound(f"public room {room_id}")))


def add_member(db: Repository, caller: Caller, room_id: str, user_id: str) -> Member:
    """Add a user to a room that the caller owns."""
    if user_id == caller.user_id:
        raise Forbidden("you cannot add yourself; join the room instead")
    return _admit(db, room_id, user_id, _owned(caller, room_id))


def remove_member(db: Repository, caller: Caller, room_id: str, user_id: str) -> None:
    """Remove the caller from a room, or a member from a room that the caller owns; the owner stays."""
    member = _member(db, caller, room_id)
    if user_id == caller.user_id and member is not None and member.role is Role.OWNER:
        raise Conflict("the owner cannot leave the room")
    delete = writes.Delete(MemberOf(room_id=room_id, user_id=user_id), when=Member.user_id == user_id)
    leaving = delete, NotFound(f"member {user_id}")
    if user_id == caller.user_id:
        transact(db, leaving)
    else:
        transact(db, _owned(caller, room_id), leaving)


def post(
    db: Repository,
    caller: Caller,
    room_id: str,
    text: str,
    *,
    client_id: str | None = None,
    lifetime: timedelta | None = None,
    on_timeline: bool = False,
) -> Message:
    """Post a message in a room; with a `lifetime`, it expires."""
    now = db.now()
    message = Message(
        id=fields.ulid(now.timestamp()),
        room_id=room_id,
        user_id=caller.user_id,
        text=text,
        created_at=now,
        on_timeline=on_timeline,
        ttl=int((now + lifetime).timestamp()) if lifetime else None,
    )
    inside = writes.Check(MemberOf(room_id=room_id, user_id=caller.user_id)), _outside()
    leave = (inside, account_is_active(caller.user_id))
    if client_id is None:
        return create(db, message, *leave)
    receipt = Receipt(room_id=room_id, user_id=caller.user_id, client_id=client_id, message_id=message.id)
    try:
        return create(db, message, *leave, (writes.Create(receipt), _Sent("this was sent already")))
    except _Sent:
        return _sent(db, caller, room_id, client_id)


def history(
    db: Repository, caller: Caller, room_id: str, *, newest_first: bool = True, paging: Paging = FIRST_PAGE
) -> reads.Page[Message]:
    """Return the messages of a room, to its members."""
    _require_member(db, caller, room_id)
    pattern = RecentMessages(room_id=room_id) if newest_first else ChatHistory(room_id=room_id)
    return paging.run(db, pattern)


def edit(db: Repository, caller: Caller, room_id: str, message_id: str, text: str) -> Message:
    """Edit a message of the caller."""
    message = _message(db, caller, room_id, message_id)
    if message.user_id != caller.user_id:
        raise Forbidden("only the author can edit a message")
    return db.update(message, set={"text": text, "edited_at": db.now()})


def withdraw(db: Repository, caller: Caller, room_id: str, message_id: str) -> None:
    """Delete a message of the caller, or any message in a room that the caller owns."""
    message = _message(db, caller, room_id, message_id)
    member = _member(db, caller, room_id)
    if message.user_id != caller.user_id and (member is None or member.role is not Role.OWNER):
        raise Forbidden("only the author and the owner of the room can delete a message")
    db.delete(message)


def time_of(message_id: str) -> datetime:
    """Return the time in a ULID.

    >>> time_of(fields.ulid(1_750_000_000.123)).isoformat()
    '2025-06-15T15:06:40.123000+00:00'
    """
    if len(message_id) != 26:
        raise ValueError("not a ULID")
    number = 0
    for digit in message_id[:10]:
        number = number * 32 + _DIGITS.index(digit)
    return datetime.fromtimestamp(number // 1000, UTC) + timedelta(milliseconds=number % 1000)


class _Sent(Conflict):
    """The message was already posted."""


def _admit(db: Repository, room_id: str, user_id: str, leave: Action) -> Member:
    return create(db, Member(room_id=room_id, user_id=user_id), leave, account_is_active(user_id))


def _owned(caller: Caller, room_id: str) -> Action:
    check = writes.Check(MemberOf(room_id=room_id, user_id=caller.user_id), Member.role == Role.OWNER)
    return check, Forbidden("you do not own this room")


def _outside() -> Forbidden:
    return Forbidden("you are not a member of this room")


def _member(db: Repository, caller: Caller, room_id: str) -> Member | None:
    return db.run(MemberOf(room_id=room_id, user_id=caller.user_id))


def _require_member(db: Repository, caller: Caller, room_id: str) -> None:
    if _member(db, caller, room_id) is None:
        raise _outside()


def _message(db: Repository, caller: Caller, room_id: str, message_id: str) -> Message:
    _require_member(db, caller, room_id)
    missing = NotFound(f"message {message_id}")
    try:
        address = MessageAt(room_id=room_id, created_at=time_of(message_id), message_id=message_id)
    except (ValueError, OverflowError):
        raise missing from None
    message = db.run(address)
    if message is None:
        raise missing
    return message


def _sent(db: Repository, caller: Caller, room_id: str, client_id: str) -> Message:
    """Return the message that was posted with this client ID."""
    receipt = db.run(ReceiptOf(room_id=room_id, user_id=caller.user_id, client_id=client_id))
    if receipt is None:
        raise Gone("this message was already sent, and its receipt has expired")
    try:
        return _message(db, caller, room_id, receipt.message_id)
    except NotFound:
        raise Gone("this message was already sent, and has been deleted") from None
