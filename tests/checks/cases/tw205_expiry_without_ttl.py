from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields.markers import Ttl
from tablewright.design.keys.timestamps import Timestamp
from tablewright.design.tables import Table

CODE = "TW205"
plain = Table("grants", key="grantId")
expiring = Table("sessions", key="sessionId", ttl="expiresAt")


class Grant(Entity, table=plain):
    grant_id: str
    expires_at: Timestamp


class Passport(Entity, table=plain):
    grant_id: str
    passport_expiry: str


class Session(Entity, table=expiring):
    session_id: str
    expires_at: Annotated[int, Ttl()]


passes = [
    Design("removed by DynamoDB", entities=[Session]),
    Design("the expiry of something else", entities=[Passport]),
]
fails = [
    (
        Design("text expiry", entities=[Grant]),
        [("info", "Grant.expires_at", "does not delete the item from grants")],
    )
]
