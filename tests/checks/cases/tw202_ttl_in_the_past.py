from datetime import timedelta
from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW202"
by_expiry = Table("activities", key="id", ttl="expiresAt")
by_time = Table("events", key="id", ttl="timestamp")


class Activity(Entity, table=by_expiry):
    id: str
    timestamp: Timestamp
    expires_at: Annotated[int, markers.Ttl(after=timedelta(days=90), of="timestamp")]


class Misnamed(Entity, table=by_time):
    id: str
    created_at: Timestamp = markers.now()
    timestamp: Annotated[int, markers.Ttl(after=timedelta(days=90), of="created_at")]


class Event(Entity, table=by_time):
    id: str
    timestamp: int


class Automatic(Entity, table=by_expiry):
    id: str
    expires_at: int = markers.touched()


passes = [Design("ninety days later", entities=[Activity]), Design("special characters", entities=[Misnamed])]
fails = [
    (Design("the time of the event", entities=[Event]), [("error", "Event.timestamp", "has passed")]),
    (
        Design("the time of the write", entities=[Automatic]),
        [("error", "Automatic.expires_at", "has passed")],
    ),
]
