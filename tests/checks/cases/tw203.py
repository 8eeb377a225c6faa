from typing import Annotated

from tablewright.design import fields
from tablewright.design.designs import Design
from tablewright.design.entities import Entity
from tablewright.design.tables import Table

CODE = "TW203"
tokens = Table("tokens", key="id", ttl="ttl", literal=True)


class Token(Entity, table=tokens):
    id: str
    ttl: Annotated[int, fields.Ttl()]


class Elsewhere(Entity, table=tokens):
    id: str
    expires_at: Annotated[int, fields.Ttl()]
    ttl: int


class Lasting(Entity, table=tokens):
    id: str


passes = [Design("written", entities=[Token, Lasting]), Design("no entities yet", tables=[tokens])]
fails = [
    (Design("nobody", entities=[Lasting]), [("warning", "tokens", "nothing expires")]),
    (Design("elsewhere", entities=[Elsewhere]), [("error", "Elsewhere.expires_at", "has ttl='ttl'")]),
]
