from typing import Annotated

from pydantic import Field

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.tables import Table

CODE = "TW403"
rooms = Table("rooms", key=("PK", "SK"))


def copy() -> Copy:
    return Copy(each="members", name="member", primary=("USER#{member}", "ROOM#{room_id}"))


class Room(Entity, table=rooms):
    room_id: str
    members: Annotated[list[str], Field(max_length=98)]
    name: Annotated[str, markers.Unique()]
    keys = Keys(primary=("ROOM#{room_id}", "META"))
    by_member = copy()


class Hall(Entity, table=rooms):
    room_id: str
    members: Annotated[list[str], Field(max_length=99)]
    name: Annotated[str, markers.Unique()]
    keys = Keys(primary=("ROOM#{room_id}", "META"))
    by_member = copy()


class Channel(Entity, table=rooms):
    room_id: str
    members: list[str]
    keys = Keys(primary=("ROOM#{room_id}", "META"))
    by_member = copy()


passes = [Design("100 items", entities=[Room])]
fails = [
    (Design("101 items", entities=[Hall]), [("error", "Hall.members", "up to 101 items")]),
    (Design("no limit", entities=[Channel]), [("warning", "Channel.members", "at most 99")]),
]
