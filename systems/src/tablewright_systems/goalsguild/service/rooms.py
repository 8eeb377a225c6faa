"""Chat rooms: members can read and post messages; the owner admits and removes members.

A message is stored under the server's time, which its id contains too. A sender who is not sure whether a message
arrived sends it again under the same `client_id`, and it is there once.
"""

from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tablewright import Repository, errors, fields, reads, writes
from tablewright_systems.goalsguild.design.rooms import (
    ChatHistory,
    Member,
    MemberOf,
    MembersOfRoom,
    Message,
    MessageAt,
    Receipt,
    ReceiptOf,
    ReceiptsOfRoom,
    RecentMessages,
    Role,
    Room,
    RoomById,
    RoomsOfUser,
)
from tablewright_systems.goalsguild.design.tables import Prose, Title, Visibility
from tablewright_systems.goalsguild.design.users import User
from tablewright_systems.goalsguild.service.permissions import Id, active, update_as, write_as
from tablewright_systems.service import (
    FIRST_PAGE,
    ApiError,
    Caller,
    Conflict,
    Forbidden,
    Gone,
    NotFound,
    erase_all,
    require_found,
    transact,
)
from tablewright_systems.web import Body, CurrentCaller, Db, PageRequest, Router, problems

router = Router("Rooms", "Chat rooms, and threads with the assistant.")

MAX_MESSAGE_LIFETIME = timedelta(days=30)


class NewMessage(Body):
    """A new message. Repeated requests with the same `clientId` create one message."""

    text: Prose
    client_id: str | None = Field(default=None, min_length=1, max_length=100)
    lifetime_seconds: int | None = Field(default=None, ge=1, le=int(MAX_MESSAGE_LIFETIME.total_seconds()))
    on_timeline: bool = False


_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


@router.post("/rooms", status_code=201)
def create_room(
    db: Db, caller: CurrentCaller, *, name: Title, visibility: Visibility = Visibility.PRIVATE
) -> Room:
    """Create a room that you own."""
    room = Room(name=name, visibility=visibility)
    owner = Member(room_id=room.id, user_id=caller.user_id, role=Role.OWNER)
    created, *_ = write_as(db, caller, writes.Create(room), writes.Create(owner))
    return created


@router.get("/rooms/{room_id}")
def room_of(db: Db, caller: CurrentCaller, room_id: Id) -> Room:
    """Get a room that you are a member of, or a public room."""
    room = require_found(db.run(RoomById(room_id=room_id)), f"room {room_id}")
    if room.visibility is not Visibility.PUBLIC and not _member(db, caller, room_id):
        raise NotFound(f"room {room_id}")
    return room


@router.delete("/rooms/{room_id}", status_code=204)
def delete_room(db: Db, caller: CurrentCaller, room_id: Id) -> None:
    """Delete a room that you own, with its messages.

    If the deletion is interrupted, send the request again to continue it.
    """
    # After an interruption, call again to continue.
    write_as(db, caller, writes.Delete(RoomById(room_id=room_id)), _owned(caller, room_id))
    _delete_contents(db, room_id, caller.user_id)


@router.put("/rooms/{room_id}/owner")
def transfer(
    db: Db, caller: CurrentCaller, room_id: Id, user_id: Annotated[str, Field(max_length=128)]
) -> Member:
    """Make another member the owner of a room that you own."""
    # The caller stays a member.
    if user_id == caller.user_id:
        raise Conflict("you own this room already")
    write_as(db, caller, *_new_owner(room_id, caller.user_id, user_id))
    return db.get_or_raise(MemberOf(room_id=room_id, user_id=user_id))


def leave_all(db: Repository, user_id: str) -> None:
    """Remove a user whose account is being deleted from all rooms.

    A room that the user owned gets the member who joined first as its owner; without other members it is deleted.
    """
    for member in db.iterate(RoomsOfUser(user_id=user_id), unknown="skip"):
        if member.role is Role.OWNER and not _find_owner(db, member):
            db.delete(RoomById(room_id=member.room_id))
            _delete_contents(db, member.room_id, user_id)
        db.delete(MemberOf(room_id=member.room_id, user_id=user_id))


@router.get("/rooms/{room_id}/members", responses=problems(403))
def members(
    db: Db, caller: CurrentCaller, room_id: Id, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Member]:
    """List the members of a room that you are a member of."""
    _require_member(db, caller, room_id)
    return paging.run(db, MembersOfRoom(room_id=room_id))


@router.post("/rooms/{room_id}/members", status_code=201)
def join(db: Db, caller: CurrentCaller, room_id: Id) -> Member:
    """Join a public room."""
    is_public = Room.visibility == Visibility.PUBLIC
    room = writes.Check(RoomById(room_id=room_id), is_public, otherwise=NotFound(f"public room {room_id}"))
    joined, *_ = write_as(db, caller, _admission(room_id, caller.user_id), room)
    return joined


@router.put("/rooms/{room_id}/members/{user_id}", status_code=201)
def add_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> Member:
    """Add a user to a room that you own."""
    if user_id == caller.user_id:
        raise Forbidden("you cannot add yourself; join the room instead")
    added, *_ = transact(
        db,
        _admission(room_id, user_id),
        active(caller.user_id),
        active(user_id),
        _owned(caller, room_id),
        _lasting(room_id),
    )
    return added


@router.delete("/rooms/{room_id}/members/{user_id}", status_code=204)
def remove_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> None:
    """Leave a room, or remove a member from a room that you own."""
    # The owner stays.
    delete = writes.Delete(
        MemberOf(room_id=room_id, user_id=user_id),
        when=Member.role == Role.MEMBER,
        otherwise={
            errors.DoesNotExist: NotFound(f"member {user_id}"),
            errors.ConditionNotMet: Conflict("the owner cannot leave the room; transfer or delete the room"),
        },
    )
    if user_id == caller.user_id:
        transact(db, delete)
    else:
        write_as(db, caller, _owned(caller, room_id), delete)


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
    inside = writes.Check(MemberOf(room_id=room_id, user_id=caller.user_id), otherwise=_outside())
    checks: list[writes.Write] = [inside, _lasting(room_id)]
    if client_id is not None:
        receipt = Receipt(room_id=room_id, user_id=caller.user_id, client_id=client_id, message_id=message.id)
        checks.append(writes.Create(receipt, otherwise=_Sent("this was sent already")))
    try:
        posted, *_ = write_as(db, caller, writes.Create(message), *checks)
    except _Sent:
        assert client_id is not None
        return _sent(db, caller, room_id, client_id)
    return posted


@router.get("/rooms/{room_id}/messages", responses=problems(403))
def history(
    db: Db,
    caller: CurrentCaller,
    room_id: Id,
    paging: PageRequest = FIRST_PAGE,
    *,
    newest_first: Annotated[bool, Query(alias="newestFirst", description="Newest messages first.")] = True,
) -> reads.Page[Message]:
    """List the messages of a room that you are a member of."""
    _require_member(db, caller, room_id)
    pattern = RecentMessages(room_id=room_id) if newest_first else ChatHistory(room_id=room_id)
    return paging.run(db, pattern)


@router.patch("/rooms/{room_id}/messages/{message_id}")
def edit(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id, text: Prose) -> Message:
    """Edit one of your messages."""
    message = _message(db, caller, room_id, message_id)
    if message.user_id != caller.user_id:
        raise Forbidden("only the author can edit a message")
    return update_as(
        db,
        caller,
        MessageAt(room_id=room_id, created_at=message.created_at, message_id=message_id),
        writes.Check(MemberOf(room_id=room_id, user_id=caller.user_id), otherwise=_outside()),
        changes={"text": text, "edited_at": db.now()},
        otherwise=NotFound(f"message {message_id}"),
    )


@router.delete("/rooms/{room_id}/messages/{message_id}", status_code=204)
def withdraw(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id) -> None:
    """Delete one of your messages, or any message in a room that you own."""
    message = _message(db, caller, room_id, message_id)
    is_owner = [] if message.user_id == caller.user_id else [_owned(caller, room_id)]
    write_as(db, caller, writes.Delete(message), *is_owner)


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


def _admission(room_id: str, user_id: str) -> writes.Create[Member]:
    """Make a user a member of a room."""
    return writes.Create(
        Member(room_id=room_id, user_id=user_id), otherwise=Conflict("this user is a member already")
    )


def _lasting(room_id: str) -> writes.Check[Room]:
    """Check that a room exists: its deletion begins with the room itself, which blocks additions."""
    return writes.Check(RoomById(room_id=room_id), otherwise=NotFound(f"room {room_id}"))


def _owned(caller: Caller, room_id: str) -> writes.Check[Member]:
    return writes.Check(
        MemberOf(room_id=room_id, user_id=caller.user_id),
        Member.role == Role.OWNER,
        otherwise=Forbidden("you do not own this room"),
    )


def _new_owner(
    room_id: str, owner_id: str, user_id: str
) -> tuple[writes.Update[Member], writes.Update[Member], writes.Check[Room], writes.Check[User]]:
    """Return the writes that make a member the owner in place of another one."""
    becomes = writes.Update(
        MemberOf(room_id=room_id, user_id=user_id),
        set={"role": Role.OWNER},
        otherwise=NotFound(f"member {user_id}"),
    )
    was = writes.Update(
        MemberOf(room_id=room_id, user_id=owner_id),
        set={"role": Role.MEMBER},
        when=Member.role == Role.OWNER,
        otherwise=Forbidden("you do not own this room"),
    )
    return becomes, was, _lasting(room_id), active(user_id)


def _find_owner(db: Repository, owner: Member) -> bool:
    """Make another member the owner of a room; return False if there is none."""
    others = [
        other for other in db.iterate(MembersOfRoom(room_id=owner.room_id)) if other.user_id != owner.user_id
    ]
    for other in sorted(others, key=lambda member: (member.created_at, member.user_id)):
        with suppress(ApiError):  # left meanwhile, is suspended, or is being deleted too
            transact(db, *_new_owner(owner.room_id, owner.user_id, other.user_id))
            return True
    return False


def _delete_contents(db: Repository, room_id: str, owner_id: str) -> None:
    """Delete what is left of a deleted room; the membership of its owner last, so that the owner can continue."""
    for member in db.iterate(MembersOfRoom(room_id=room_id)):
        if member.user_id != owner_id:
            db.delete(member)
    erase_all(db, ChatHistory(room_id=room_id), ReceiptsOfRoom(room_id=room_id))
    db.delete(MemberOf(room_id=room_id, user_id=owner_id))


def _outside() -> Forbidden:
    return Forbidden("you are not a member of this room")


def _member(db: Repository, caller: Caller, room_id: str) -> Member | None:
    return db.run(MemberOf(room_id=room_id, user_id=caller.user_id))


def _require_member(db: Repository, caller: Caller, room_id: str) -> None:
    if _member(db, caller, room_id) is None:
        raise _outside()


def _message(db: Repository, caller: Caller, room_id: str, message_id: str) -> Message:
    _require_member(db, caller, room_id)
    missing = f"message {message_id}"
    try:
        target = MessageAt(room_id=room_id, created_at=time_of(message_id), message_id=message_id)
    except (ValueError, OverflowError):
        raise NotFound(missing) from None
    return require_found(db.run(target), missing)


def _sent(db: Repository, caller: Caller, room_id: str, client_id: str) -> Message:
    """Return the message that was posted with this client ID."""
    receipt = db.run(ReceiptOf(room_id=room_id, user_id=caller.user_id, client_id=client_id))
    if receipt is None:
        raise Gone("this message was already sent, and its receipt has expired")
    try:
        return _message(db, caller, room_id, receipt.message_id)
    except NotFound:
        raise Gone("this message was already sent, and has been deleted") from None


@router.get("/rooms")
def my_rooms(db: Db, caller: CurrentCaller) -> RoomsOfUser:
    """List the rooms that you are a member of."""
    return RoomsOfUser(user_id=caller.user_id)


@router.post("/rooms/{room_id}/messages", status_code=201, responses=problems(403, 404, 410), name="post")
def post_message(db: Db, caller: CurrentCaller, room_id: Id, body: NewMessage) -> Message:
    """Post a message in a room that you are a member of."""
    lifetime = timedelta(seconds=body.lifetime_seconds) if body.lifetime_seconds else None
    return post(
        db,
        caller,
        room_id,
        body.text,
        client_id=body.client_id,
        lifetime=lifetime,
        on_timeline=body.on_timeline,
    )
