from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.tables import Table

CODE = "TW203"
tokens = Table("tokens", key="id", ttl="ttl", literal=True)


class Token(Entity, table=tokens):
    id: str
    ttl: Annotated[int, markers.Ttl()]


class Elsewhere(Entity, table=tokens):
    id: str
    expires_at: Annotated[int, markers.Ttl()]
    ttl: int


class Lasting(Entity, table=tokens):
    id: str


passes = [Design("written", entities=[Token, Lasting]), Design("no entities yet", tables=[tokens])]
fails = [
    (Design("no entity writes it", entities=[Lasting]), [("warning", "tokens", "nothing expires")]),
    (
        Design("entity not in the index", entities=[Elsewhere]),
        [("error", "Elsewhere.expires_at", "has ttl='ttl'")],
    ),
]
