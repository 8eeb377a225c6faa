from typing import Annotated

from pydantic import Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.tables import Table

CODE = "TW601"
plain = Table("notes", key="noteId")
events = Table("events", key=("accountId", "timestamp#eventId"))


class Note(Entity, table=plain):
    note_id: str
    body: str


class Event(Entity, table=events):
    account_id: str
    place: Annotated[str, Field(alias="timestamp#eventId")]
    status: str
    ttl: int


passes = [Design("bare", entities=[Note])]
fails = [(Design("aliased", entities=[Event]), [("info", "Event", "timestamp#eventId, status, ttl")])]
