from datetime import timedelta
from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW201"
tokens = Table("tokens", key="tokenId", ttl="expiresAt")
milliseconds = Table("milliseconds", key="tokenId", ttl="expiresAtMs")


class Token(Entity, table=tokens):
    token_id: str
    created_at: Timestamp = markers.now()
    expires_at: Annotated[int, markers.Ttl(after=timedelta(days=30), of="created_at")]


class OptionalToken(Entity, table=tokens):
    token_id: str
    expires_at: int | None = None


class IsoToken(Entity, table=tokens):
    token_id: str
    expires_at: str


class TimestampToken(Entity, table=tokens):
    token_id: str
    expires_at: Timestamp | None = None


class MillisecondToken(Entity, table=milliseconds):
    token_id: str
    expires_at_ms: int


passes = [Design("seconds", entities=[Token]), Design("optional index key", entities=[OptionalToken])]
fails = [
    (Design("text", entities=[IsoToken]), [("error", "IsoToken.expires_at", "a str and not a number")]),
    (Design("timestamp", entities=[TimestampToken]), [("error", "TimestampToken.expires_at", "a datetime")]),
    (
        Design("milliseconds", entities=[MillisecondToken]),
        [("error", "MillisecondToken.expires_at_ms", "in milliseconds")],
    ),
]
