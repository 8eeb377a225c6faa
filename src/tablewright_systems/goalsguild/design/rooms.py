"""Chat rooms and threads of assistance (003:60-67), with the members that the document does not name (T13)."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Copy, Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.goalsguild.design.goals import Visibility
from tablewright_systems.goalsguild.design.tables import Id, Prose, Title, Ttl, core


class Role(Enum):
    """What somebody is in a room."""

    OWNER = "owner"
    MEMBER = "member"


class Room(Entity, table=core, type="Room"):
    """Where people chat."""

    id: str = fields.new_id()
    name: Title
    visibility: Visibility = Visibility.PRIVATE
    created_by: Id
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ROOM#{id}", "META"))


class Member(Entity, table=core, type="Member"):
    """Who may read and write in a room."""

    room_id: str
    user_id: Id
    role: Role = Role.MEMBER
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ROOM#{room_id}", "MEMBER#{user_id}"))
    listing = Copy(primary=("USER#{user_id}", "ROOM#{room_id}"))


class Message(Entity, table=core, type="Message"):
    """What somebody said in a room. Its id tells its time, so that the whole key is known by room and id."""

    id: str
    room_id: str
    user_id: Id
    text: Prose
    created_at: fields.Timestamp
    edited_at: fields.Timestamp | None = None
    on_timeline: bool = False
    ttl: Ttl = None

    keys = Keys(
        primary=("ROOM#{room_id}", "MSG#{created_at}#{id}"),
        GSI1=Sparse("USER#{user_id}", "ENTITY#Message#{created_at}#{id}", when="on_timeline"),
    )


class Receipt(Entity, table=core, type="Receipt"):
    """That a message was taken, under the name its sender gave it: who asks again gets the same message."""

    room_id: str
    user_id: Id
    client_id: str = Field(min_length=1, max_length=100)
    message_id: str
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="created_at")] = None

    keys = Keys(primary=("ROOM#{room_id}", "SENT#{user_id}#{client_id}"))


class AssistThread(Entity, table=core, type="AssistThread"):
    """A talk with the assistant; it is its user's alone."""

    id: str = fields.new_id()
    user_id: Id
    title: Title
    closed: bool = False
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ASSIST#{id}", "META"))
    listing = Copy(primary=("USER#{user_id}", "ASSIST#{id}"))


class AssistMsg(Entity, table=core, type="AssistMsg"):
    """What was said in it, by its user or by the assistant."""

    id: str
    thread_id: str
    user_id: Id
    text: Prose
    created_at: fields.Timestamp

    keys = Keys(primary=("ASSIST#{thread_id}", "MSG#{created_at}#{id}"))


class ChatHistory(Query[Message]):
    """Chat history, in the order in which it was said."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MSG#')"


class RecentMessages(Query[Message]):
    """Chat history, the newest first."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MSG#')"
    newest_first = True


class MessageAt(Get[Message]):
    """One message."""

    room_id: str
    created_at: fields.Timestamp
    message_id: str
    key = "PK = ROOM#{room_id} AND SK = MSG#{created_at}#{message_id}"
    consistent = True


class ReceiptOf(Get[Receipt]):
    """What became of a message that was sent under this name."""

    room_id: str
    user_id: str
    client_id: str
    consistent = True


class RoomById(Get[Room]):
    """Get a room."""

    room_id: str
    key = "PK = ROOM#{room_id} AND SK = META"
    consistent = True


class MembersOfRoom(Query[Member]):
    """Who is in a room."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MEMBER#')"


class MemberOf(Get[Member]):
    """Whether somebody is in a room, and as what."""

    room_id: str
    user_id: str
    consistent = True


class RoomsOfUser(Query[Member]):
    """The rooms that somebody is in."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'ROOM#')"
    consistent = True


class ThreadById(Get[AssistThread]):
    """Get a thread of assistance."""

    thread_id: str
    key = "PK = ASSIST#{thread_id} AND SK = META"
    consistent = True


class ThreadsOfUser(Query[AssistThread]):
    """Somebody's threads of assistance, the newest first."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'ASSIST#')"
    newest_first = True
    suppress: ClassVar = {"TW309": "by the ids of threads, which are ULIDs"}
    consistent = True


class ThreadHistory(Query[AssistMsg]):
    """What was said in a thread of assistance, in its order."""

    thread_id: str
    key = "PK = ASSIST#{thread_id} AND begins_with(SK, 'MSG#')"
    consistent = True
