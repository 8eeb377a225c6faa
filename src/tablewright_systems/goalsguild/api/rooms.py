"""Rooms and threads of assistance over HTTP."""

from datetime import timedelta

from fastapi import APIRouter
from pydantic import Field

from tablewright_systems.goalsguild.api.bodies import Body, Id
from tablewright_systems.goalsguild.design.goals import Visibility
from tablewright_systems.goalsguild.design.rooms import AssistMsg, AssistThread, Member, Message, Room
from tablewright_systems.goalsguild.design.tables import Prose, Title
from tablewright_systems.goalsguild.service import assistance, rooms
from tablewright_systems.http_api import CurrentCaller, Cursor, Db, Limit, PageReply

router = APIRouter()

LONGEST_LIFE = timedelta(days=30)


class NewRoom(Body):
    """A room to be opened."""

    name: Title
    visibility: Visibility = Visibility.PRIVATE


class NewMessage(Body):
    """Something to be said. Under the same `clientId` it is said once, however often it is sent."""

    text: Prose
    client_id: str | None = Field(None, min_length=1, max_length=100)
    lifetime_seconds: int | None = Field(None, ge=1, le=int(LONGEST_LIFE.total_seconds()))
    on_timeline: bool = False


class Words(Body):
    """What is said."""

    text: Prose


class NewThread(Body):
    """A thread to be opened."""

    title: Title


@router.post("/rooms", status_code=201)
def create_room(db: Db, caller: CurrentCaller, body: NewRoom) -> Room:
    """Open a room, and be its owner."""
    return rooms.create_room(db, caller, name=body.name, visibility=body.visibility)


@router.get("/rooms")
def my_rooms(db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None) -> PageReply[Member]:
    """The rooms that you are in."""
    return PageReply.of(rooms.my_rooms(db, caller, limit=limit, cursor=cursor))


@router.get("/rooms/{room_id}")
def room_of(db: Db, caller: CurrentCaller, room_id: Id) -> Room:
    """A room that you are in, or could join."""
    return rooms.room_of(db, caller, room_id)


@router.post("/rooms/{room_id}/members", status_code=201)
def join(db: Db, caller: CurrentCaller, room_id: Id) -> Member:
    """Join a public room."""
    return rooms.join(db, caller, room_id)


@router.get("/rooms/{room_id}/members")
def members(
    db: Db, caller: CurrentCaller, room_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[Member]:
    """Who is in a room that you are in."""
    return PageReply.of(rooms.members(db, caller, room_id, limit=limit, cursor=cursor))


@router.put("/rooms/{room_id}/members/{user_id}", status_code=201)
def add_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> Member:
    """Let somebody into a room that you own."""
    return rooms.add_member(db, caller, room_id, user_id)


@router.delete("/rooms/{room_id}/members/{user_id}", status_code=204)
def remove_member(db: Db, caller: CurrentCaller, room_id: Id, user_id: Id) -> None:
    """Leave a room, or put somebody out of one that you own."""
    rooms.remove_member(db, caller, room_id, user_id)


@router.post("/rooms/{room_id}/messages", status_code=201)
def post(db: Db, caller: CurrentCaller, room_id: Id, body: NewMessage) -> Message:
    """Say something in a room that you are in."""
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


@router.get("/rooms/{room_id}/messages")
def history(
    db: Db,
    caller: CurrentCaller,
    room_id: Id,
    newest_first: bool = True,
    limit: Limit = 20,
    cursor: Cursor = None,
) -> PageReply[Message]:
    """What was said in a room that you are in."""
    return PageReply.of(
        rooms.history(db, caller, room_id, newest_first=newest_first, limit=limit, cursor=cursor)
    )


@router.patch("/rooms/{room_id}/messages/{message_id}")
def edit(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id, body: Words) -> Message:
    """Put your own words otherwise."""
    return rooms.edit(db, caller, room_id, message_id, body.text)


@router.delete("/rooms/{room_id}/messages/{message_id}", status_code=204)
def withdraw(db: Db, caller: CurrentCaller, room_id: Id, message_id: Id) -> None:
    """Take back a message: your own, or any in a room that you own."""
    rooms.withdraw(db, caller, room_id, message_id)


@router.post("/threads", status_code=201)
def open_thread(db: Db, caller: CurrentCaller, body: NewThread) -> AssistThread:
    """Begin to talk with the assistant."""
    return assistance.open_thread(db, caller, title=body.title)


@router.get("/threads")
def my_threads(
    db: Db, caller: CurrentCaller, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[AssistThread]:
    """Your threads, the newest first."""
    return PageReply.of(assistance.my_threads(db, caller, limit=limit, cursor=cursor))


@router.get("/threads/{thread_id}")
def my_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """A thread of yours."""
    return assistance.my_thread(db, caller, thread_id)


@router.put("/threads/{thread_id}/end")
def close_thread(db: Db, caller: CurrentCaller, thread_id: Id) -> AssistThread:
    """End a thread of yours; it can still be read."""
    return assistance.close_thread(db, caller, thread_id)


@router.post("/threads/{thread_id}/messages", status_code=201)
def say(db: Db, caller: CurrentCaller, thread_id: Id, body: Words) -> AssistMsg:
    """Say something in a thread of yours."""
    return assistance.say(db, caller, thread_id, body.text)


@router.post("/threads/{thread_id}/answers", status_code=201)
def answer(db: Db, caller: CurrentCaller, thread_id: Id, body: Words) -> AssistMsg:
    """Answer in anybody's thread. For the assistant."""
    return assistance.answer(db, caller, thread_id, body.text)


@router.get("/threads/{thread_id}/messages")
def thread_history(
    db: Db, caller: CurrentCaller, thread_id: Id, limit: Limit = 20, cursor: Cursor = None
) -> PageReply[AssistMsg]:
    """What was said in a thread of yours."""
    return PageReply.of(assistance.history(db, caller, thread_id, limit=limit, cursor=cursor))
