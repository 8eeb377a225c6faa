"""Chat rooms and assistant threads (F9, F10), with members, which the document lacks (R13)."""

from datetime import timedelta
from enum import Enum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Copy, Entity, Get, Keys, Query, Sparse, fields
from tablewright_systems.goalsguild.design.tables import Id, Ttl, Visibility, core
from tablewright_systems.service.schemas import EPOCH_AS_TIME
from tablewright_systems.service.stored_values import StoredTime


class Role(Enum):
    """Role of a member of a room."""

    OWNER = "owner"
    MEMBER = "member"


class Room(Entity, table=core, type="Room"):
    """A chat room."""

    id: str = fields.new_id()
    name: str
    visibility: Visibility = Visibility.PRIVATE
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ROOM#{id}", "META"))


class Member(Entity, table=core, type="Member"):
    """A member, who can read and write in a room."""

    room_id: str
    user_id: Id
    role: Role = Role.MEMBER
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ROOM#{room_id}", "MEMBER#{user_id}"))
    listing = Copy(primary=("USER#{user_id}", "ROOM#{room_id}"))


class Message(Entity, table=core, type="Message"):
    """A message in a room. Its ID contains its time, so room and ID determine the whole key."""

    id: str
    room_id: str
    user_id: Id
    text: str
    created_at: StoredTime
    edited_at: fields.Timestamp | None = None
    on_timeline: bool = False
    ttl: Ttl = None

    keys = Keys(
        primary=("ROOM#{room_id}", "MSG#{created_at}#{id}"),
        GSI1=Sparse("USER#{user_id}", "ENTITY#Message#{created_at}#{id}", when="on_timeline"),
    )


class Receipt(Entity, table=core, type="Receipt"):
    """Receipt of a message under the client's own ID: a repeated request returns the same message."""

    room_id: str
    user_id: Id
    client_id: str = Field(min_length=1, max_length=100)
    message_id: str
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="created_at"), *EPOCH_AS_TIME] = None

    keys = Keys(primary=("ROOM#{room_id}", "SENT#{user_id}#{client_id}"))


class AssistThread(Entity, table=core, type="AssistThread"):
    """A private thread of a user with the assistant."""

    id: str = fields.new_id()
    user_id: Id
    title: str
    closed: bool = False
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("ASSIST#{id}", "META"))
    listing = Copy(primary=("USER#{user_id}", "ASSIST#{id}"))


class AssistMsg(Entity, table=core, type="AssistMsg"):
    """A message of the user or the assistant in a thread."""

    id: str
    thread_id: str
    user_id: Id
    text: str
    created_at: StoredTime

    keys = Keys(primary=("ASSIST#{thread_id}", "MSG#{created_at}#{id}"))


class ChatHistory(Query[Message]):
    """Chat history, oldest first."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MSG#')"
    consistent = True


class RecentMessages(Query[Message]):
    """Chat history, newest first."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MSG#')"
    descending = True


class MessageAt(Get[Message]):
    """Get a message."""

    room_id: str
    created_at: fields.Timestamp
    message_id: str
    key = "PK = ROOM#{room_id} AND SK = MSG#{created_at}#{message_id}"
    consistent = True


class ReceiptOf(Get[Receipt]):
    """Get the receipt of a message by the client's ID."""

    room_id: str
    user_id: str
    client_id: str
    consistent = True


class RoomById(Get[Room]):
    """Get a room."""

    room_id: str
    key = "PK = ROOM#{room_id} AND SK = META"
    consistent = True


class ReceiptsOfRoom(Query[Receipt]):
    """List the receipts of the messages of a room."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'SENT#')"
    consistent = True


class MembersOfRoom(Query[Member]):
    """List the members of a room."""

    room_id: str
    key = "PK = ROOM#{room_id} AND begins_with(SK, 'MEMBER#')"
    consistent = True


class MemberOf(Get[Member]):
    """Get the membership of a user in a room."""

    room_id: str
    user_id: str
    consistent = True


class RoomsOfUser(Query[Member]):
    """List the rooms of a user."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'ROOM#')"
    consistent = True


class ThreadById(Get[AssistThread]):
    """Get an assistant thread."""

    thread_id: str
    key = "PK = ASSIST#{thread_id} AND SK = META"
    consistent = True


class ThreadsOfUser(Query[AssistThread]):
    """List the assistant threads of a user, newest first."""

    user_id: str
    key = "PK = USER#{user_id} AND begins_with(SK, 'ASSIST#')"
    descending = True
    suppress: ClassVar = {"TW309": "by the ids of threads, which are ULIDs"}
    consistent = True


class ThreadHistory(Query[AssistMsg]):
    """List the messages of an assistant thread, oldest first."""

    thread_id: str
    key = "PK = ASSIST#{thread_id} AND begins_with(SK, 'MSG#')"
    consistent = True
