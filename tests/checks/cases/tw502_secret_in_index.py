from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.tables import Table

CODE = "TW502"
narrow = Table("users", key="userId", indexes=[Index("email-index", "email", projection=["name"])])
wide = Table("users", key="userId", indexes=[Index("email-index", "email")])


class Narrow(Entity, table=narrow):
    user_id: str
    email: str
    name: str
    mfa_secret: str


class Sealed(Entity, table=wide):
    user_id: str
    email: str
    mfa_secret: Annotated[str, markers.Encrypted()]


class Wide(Entity, table=wide):
    user_id: str
    email: str
    mfa_secret: str


passes = [Design("not projected", entities=[Narrow]), Design("encrypted", entities=[Sealed])]
fails = [(Design("projected", entities=[Wide]), [("warning", "Wide.mfa_secret", "into email-index")])]
