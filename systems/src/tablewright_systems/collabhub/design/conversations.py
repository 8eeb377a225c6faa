"""Conversations, their participants and messages."""

from datetime import timedelta
from enum import StrEnum
from typing import Annotated, ClassVar

from pydantic import Field

from tablewright import Entity, Get, Keys, Query, fields
from tablewright_systems.collabhub.design.tables import main
from tablewright_systems.service import Timestamped

MAX_PARTICIPANTS = 95
"""The maximum for which one transaction holds a message, its conversation, all participants and two more items (R2)."""


class ConversationType(StrEnum):
    """The kind of a conversation."""

    DIRECT = "DIRECT"
    GROUP = "GROUP"
    STARTUP_CHANNEL = "STARTUP_CHANNEL"


class MessageType(StrEnum):
    """The kind of a message."""

    TEXT = "TEXT"
    FILE = "FILE"
    SYSTEM = "SYSTEM"


class Conversation(
    Timestamped,
    table=main,
    type="CONVERSATION",
    expect=fields.Expect(items=500_000, size=600, writes=fields.PerSecond(300)),
):
    """A conversation. It is in no index: its participants are (R1)."""

    suppress: ClassVar = {"TW402": "the service limits it; longer lists of other programs stay readable"}

    conversation_id: str = fields.new_id()
    participants: list[str]
    type: ConversationType
    related_startup_id: str | None = None
    related_application_id: str | None = None
    last_message_at: fields.Timestamp = fields.now()
    last_message_preview: str = ""
    last_message_id: str = ""
    """Added: only a newer message updates the conversation (R2)."""

    keys = Keys(primary=("CONVERSATION#{conversation_id}", "METADATA"))


class Participant(Timestamped, table=main, type="PARTICIPANT"):
    """A participant of a conversation (R1): its place in the user's list, and the last message read."""

    conversation_id: str
    user_id: str
    type: ConversationType
    last_message_at: fields.Timestamp
    last_message_preview: str = ""
    last_message_id: str = ""
    last_read_message_id: str = ""

    keys = Keys(
        primary=("CONVERSATION#{conversation_id}", "PARTICIPANT#{user_id}"),
        GSI1=("PARTICIPANT#{user_id}", "CONVERSATION#{last_message_at}#{conversation_id}"),
    )

    @property
    def has_unread(self) -> bool:
        """Whether there are messages after the last one read."""
        return self.last_message_id > self.last_read_message_id


class Message(
    Entity,
    table=main,
    type="MESSAGE",
    expect=fields.Expect(items=50_000_000, size=600, writes=fields.PerSecond(300)),
):
    """A message. Readers are recorded in their participant items (R25); `read_by` is stored with the sender only."""

    suppress: ClassVar = {"TW402": "it holds participants only, and there are at most 96"}

    message_id: str = fields.new_id()
    conversation_id: str
    sender_id: str
    content: str
    type: MessageType = MessageType.TEXT
    file_url: str | None = None
    read_by: set[str] = Field(default_factory=set)
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("CONVERSATION#{conversation_id}", "MESSAGE#{message_id}"))


class SentMessage(Entity, table=main, type="SENT_MESSAGE"):
    """Marks that a message was sent with its sender's `mark`, so that it is not sent twice; added (R2)."""

    conversation_id: str
    sender_id: str
    mark: str
    message_id: str
    created_at: fields.Timestamp = fields.now()
    ttl: Annotated[int | None, fields.Ttl(after=timedelta(days=1), of="created_at")] = None

    keys = Keys(primary=("CONVERSATION#{conversation_id}", "SENT#{sender_id}#{mark}"))


class DirectLink(Entity, table=main, type="DIRECT_LINK"):
    """The one direct conversation of two users; added (R31). The smaller id is `low_id`."""

    low_id: str
    high_id: str
    conversation_id: str
    created_at: fields.Timestamp = fields.now()

    keys = Keys(primary=("DM#{low_id}#{high_id}", "DM"))


class ConversationById(Get[Conversation]):
    """Get conversation (A16), by its complete key: a query would return all messages too (R3)."""

    conversation_id: str
    key = "PK = CONVERSATION#{conversation_id}, SK = METADATA"
    consistent = True


class ConversationsOfUser(Query[Participant]):
    """List user conversations (A17), those with the latest messages first."""

    user_id: str
    key = "GSI1PK = PARTICIPANT#{user_id}"
    descending = True


class ParticipantOf(Get[Participant]):
    """Get a participant of a conversation."""

    conversation_id: str
    user_id: str
    consistent = True


class ParticipantsOf(Query[Participant]):
    """List the participants of a conversation, with their read positions."""

    conversation_id: str
    key = "PK = CONVERSATION#{conversation_id}, SK begins_with PARTICIPANT#"
    consistent = True


class Messages(Query[Message]):
    """List messages (A18), newest first."""

    conversation_id: str
    key = "PK = CONVERSATION#{conversation_id}, SK begins_with MESSAGE#"
    descending = True
    consistent = True


class MessageById(Get[Message]):
    """Get a message."""

    conversation_id: str
    message_id: str
    consistent = True


class UnreadMessages(Query[Message]):
    """List the messages after the last one read, oldest first."""

    suppress: ClassVar = {"TW109": "between MESSAGE# and MESSAGE#~ there are only messages"}

    conversation_id: str
    read: str
    key = "PK = CONVERSATION#{conversation_id} AND SK BETWEEN MESSAGE#{read}~ AND MESSAGE#~"
    consistent = True


class SentUnder(Get[SentMessage]):
    """Get the message that was sent with a mark."""

    conversation_id: str
    sender_id: str
    mark: str
    consistent = True


class DirectLinkOf(Get[DirectLink]):
    """Get the direct conversation of two users."""

    low_id: str
    high_id: str
    consistent = True
