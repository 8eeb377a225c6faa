from typing import Annotated

from tablewright.design import fields
from tablewright.design.designs import Design
from tablewright.design.entities import Entity
from tablewright.design.keys import Copy, Keys
from tablewright.design.tables import Index, Table

CODE = "TW503"
main = Table("main", key=("PK", "SK"), indexes=[Index("GSI1", "GSI1PK")], literal=True)


class Kept(Entity, table=main, type="KEPT"):
    user_id: str
    token: Annotated[str, fields.Encrypted(context=("user_id",))]
    phone: Annotated[str, fields.Hashed()]
    keys = Keys(primary=("USER#{user_id}", "KEPT"), GSI1="PHONE#{phone}")


class AsKey(Entity, table=main, type="KEY"):
    user_id: str
    phone: Annotated[str, fields.Encrypted()]
    keys = Keys(primary=("USER#{user_id}", "KEY"), GSI1="PHONE#{phone}")


class Bound(Entity, table=main, type="BOUND"):
    user_id: str
    pin: Annotated[str, fields.Hashed()]
    token: Annotated[str, fields.Encrypted(context=("pin",))]
    views: Annotated[int, fields.Encrypted(), fields.Counter()]
    nick: Annotated[str, fields.Hashed(), fields.Unique(normalise=str.lower)]
    keys = Keys(primary=("USER#{user_id}", "BOUND"))


class Copied(Entity, table=main, type="COPIED"):
    user_id: str
    token: Annotated[str, fields.Encrypted(context=("user_id",))]
    keys = Keys(primary=("USER#{user_id}", "COPIED"))
    short = Copy(fields=("token",), primary=("SHORT#{user_id}", "COPY"))


passes = [Design("kept", entities=[Kept])]
fails = [
    (Design("a key", entities=[AsKey]), [("error", "AsKey.phone", "a key is made of it")]),
    (
        Design("bound", entities=[Bound]),
        [
            ("error", "Bound.nick", "comes too late"),
            ("error", "Bound.token", "a secret itself"),
            ("error", "Bound.views", "neither found nor counted"),
        ],
    ),
    (Design("copied", entities=[Copied]), [("error", "Copied.token", "without user_id")]),
]
