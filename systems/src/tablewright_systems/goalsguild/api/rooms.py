"""HTTP endpoints for chat rooms and assistant threads."""

from datetime import timedelta
from typing import Annotated

from fastapi import Query
from pydantic import Field

from tablewright_systems.goalsguild.api.bodies import Id
from tablewright_systems.goalsguild.design.goals import Visibility
from tablewright_systems.goalsguild.design.rooms import (
    AssistMsg,
    AssistThread,
    Member,
    Message,
    Room,
    RoomsOfUser,
    ThreadsOfUser,
)
from tablewright_systems.goalsguild.design.tables import Prose, Title
from tablewright_systems.goalsguild.service import assistance, rooms
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, problems

router = Router("Rooms", "Chat rooms, and threads with the assistant.")

MAX_MESSAGE_LIFETIME = timedelta(days=30)


class NewRoom(Body):
    """A new room."""

    name: Title
    visibility: Visibility = Visibility.PRIVATE


class NewOwner(Body):
    """The member who becomes the owner of a room."""

    user_id: str = Field(max_length=128)


class NewMessage(Body):
    """A new message. Repeated requests with the same `clientId` create one message."""

    text: Prose
    client_id: str | None = Field(default=None, min_length=1, max_length=100)
    lifetime_seconds: int | None = Field(default=None, ge=1, le=int(MAX_MESSAGE_LIFETIME.total_seconds()))
    on_timeline: bool = False


class MessageText(Body):
    """Text of a message."""

    text: Prose


class NewThread(Body):
    """A new thread."""

    title: Title


@router.post("/rooms", status_code=201)
def create_room(db: Db, caller: CurrentCaller, body: NewRoom) -> Room:
    """Create a room that you own."""
    return rooms.create_room(db, caller, name=body.name, visibility=body.visibility)


@router.get("/rooms")
def my_rooms(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Member]:
    """List the rooms that you are a member of."""
    return PageReply.of(paging.run(db, RoomsOfUser(user_id=caller.user_id)))


@router.get("/rooms/{room_id}")
def room_of(db: Db, caller: CurrentCaller, room_id: Id) -> Room:
    """Get a room that you are a member of, or a public room."""
    return rooms.room_of(db, caller, room_id)


@router.delete("/rooms/{room_id}", status_code=204)
def delete_room(db: Db, caller: CurrentCaller, room_id: Id) -> None:
    """Delete a room that you own, with its messages.

    If the deletion is interrupted, send the request again to continue it.
    """
    rooms.delete_room(db, caller, room_id)


@router.put("/rooms/{room_id}/owner")
def transfer(db: Db, caller: CurrentCaller, room_id: Id, body: NewOwner) -> Member:
    """Make another member the owner of a room that you own."""
    return rooms.transfer(db, caller, room_id, body.user_id)


@router.post("/rooms/{room_id}/members", status_code=201)
def join(db: Db, caller: CurrentCaller, room_id: Id) -> Member:
    """Join a public room."""
    return rooms.join(db, caller, room_id)


@router.get("/rooms/{room_id}/members", responses=problems(403))
def members(db: Db, caller: CurrentCaller, room_id: Id, paging: PageRequest) -> PageReply[Member]:
    """List the members of a room that you are a member of."""
    return PageReply.of(rooms.members(db, caller, room_id, paging))


@router.put("/rooms/{room_id}/members/{user_id}", status_code=201)
def add_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> Member:
    """Add a user to a room that you own."""
    return rooms.add_member(db, caller, room_id, user_id)


@router.delete("/rooms/{room_id}/members/{user_id}", status_code=204)
def remove_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> None:
    """Leave a room, or remove a member from a room that you own."""
    rooms.remove_member(db, caller, room_id, user_id)


@router.post("/rooms/{room_id}/messages", status_code=201, responses=problems(403, 404, 410))
def post(db: Db, caller: CurrentCaller, room_id: Id, body: NewMessage) -> Message:
    """Post a message in a room that you are a member of."""
    lifetime = timedelta(seconds=body.lifetime_seconds) if body.lifetime_seconds else None
    return rooms.post(
        db,
        caller,
        room_id,
        body.text,
        client_id=body.client_id,
        lifetime=lifetime,
        on_timeline=body.on_timeline,
    )


@router.get("/rooms/{room_id}/messages", responses=problems(403))
def history(
    db: Db,
    caller: CurrentCaller,
    room_id: Id,
    paging: PageRequest,
    newest_first: Annotated[bool, Query(alias="newestFirst", description="Newest messages first.")] = True,
) -> PageReply[Message]:
    """List the messages of a room that you are a member of."""
    return PageReply.of(rooms.history(db, caller, room_id, newest_first=newest_first, paging=paging))


@router.patch("/rooms/{room_id}/messages/{message_id}")
def edit(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id, body: MessageText) -> Message:
    """Edit one of your messages."""
    return rooms.edit(db, caller, room_id, message_id, body.text)


@router.delete("/rooms/{room_id}/messages/{message_id}", status_code=204)
def withdraw(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id) -> None:
    """Delete one of your messages, or any message in a room that you own."""
    rooms.withdraw(db, caller, room_id, message_id)


@router.post("/threads", status_code=201)
def open_thread(db: Db, caller: CurrentCaller, body: NewThread) -> AssistThread:
    """Open a thread with the assistant."""
    return assistance.open_thread(db, caller, title=body.title)


@router.get("/threads")
def my_threads(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[AssistThread]:
    """List your threads, newest first."""
    return PageReply.of(paging.run(db, ThreadsOfUser(user_id=caller.user_id)))


@router.get("/threads/{thread_id}")
def my_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """Get one of your threads."""
    return assistance.my_thread(db, caller, thread_id)


@router.put("/threads/{thread_id}/end")
def close_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """Close one of your threads; it stays readable."""
    return assistance.close_thread(db, caller, thread_id)


@router.post("/threads/{thread_id}/messages", status_code=201, responses=problems(403, 404, 410))
def say(db: Db, caller: CurrentCaller, thread_id: Id, body: MessageText) -> AssistMsg:
    """Post a message in one of your threads."""
    return assistance.say(db, caller, thread_id, body.text)


@router.post("/threads/{thread_id}/answers", status_code=201, responses=problems(403, 404, 410))
def answer(db: Db, caller: CurrentCaller, thread_id: Id, body: MessageText) -> AssistMsg:
    """Post a reply in the thread of any user (assistant)."""
    return assistance.answer(db, caller, thread_id, body.text)


@router.get("/threads/{thread_id}/messages")
def thread_history(db: Db, caller: CurrentCaller, thread_id: Id, paging: PageRequest) -> PageReply[AssistMsg]:
    """List the messages of one of your threads."""
    return PageReply.of(assistance.history(db, caller, thread_id, paging))
