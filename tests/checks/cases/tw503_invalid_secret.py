from typing import Annotated

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.fields import markers
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Copy, Keys
from tablewright.design.tables import Table

CODE = "TW503"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")], literal=True)


class Kept(Entity, table=main, type="KEPT"):
    user_id: str
    token: Annotated[str, markers.Encrypted(context=("user_id",))]
    phone: Annotated[str, markers.Hashed()]
    keys = Keys(primary=("USER#{user_id}", "KEPT"), GSI1="PHONE#{phone}")


class AsKey(Entity, table=main, type="KEY"):
    user_id: str
    phone: Annotated[str, markers.Encrypted()]
    keys = Keys(primary=("USER#{user_id}", "KEY"), GSI1="PHONE#{phone}")


class Bound(Entity, table=main, type="BOUND"):
    user_id: str
    pin: Annotated[str, markers.Hashed()]
    token: Annotated[str, markers.Encrypted(context=("pin",))]
    views: Annotated[int, markers.Encrypted(), markers.Counter()]
    nick: Annotated[str, markers.Hashed(), markers.Unique(normalise=str.lower)]
    keys = Keys(primary=("USER#{user_id}", "BOUND"))


class Copied(Entity, table=main, type="COPIED"):
    user_id: str
    token: Annotated[str, markers.Encrypted(context=("user_id",))]
    keys = Keys(primary=("USER#{user_id}", "COPIED"))
    short = Copy(fields=("token",), primary=("SHORT#{user_id}", "COPY"))


passes = [Design("valid secrets", entities=[Kept])]
fails = [
    (Design("a key", entities=[AsKey]), [("error", "AsKey.phone", "part of a key")]),
    (
        Design("bound", entities=[Bound]),
        [
            ("error", "Bound.nick", "has no effect"),
            ("error", "Bound.token", "a secret too"),
            ("error", "Bound.views", "neither looked up nor counted"),
        ],
    ),
    (Design("copied", entities=[Copied]), [("error", "Copied.token", "without user_id")]),
]
