from typing import Annotated

from tablewright.design import fields
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.tables import Table

CODE = "TW602"
log = Table("log", key="entryId")


class Entry(Entity, table=log, writes={"create"}):
    entry_id: str
    created_at: fields.Timestamp = fields.now()


class Draft(Entity, table=log, writes={"create", "update"}):
    entry_id: str
    version: Annotated[int, fields.Version()] = 0


class Stamped(Entity, table=log, writes={"create", "delete"}):
    entry_id: str
    version: Annotated[int, fields.Version()] = 0
    updated_at: fields.Timestamp = fields.touched()


passes = [Design("append_only", entities=[Entry]), Design("updated", entities=[Draft])]
fails = [
    (
        Design("stamped", entities=[Stamped]),
        [
            ("warning", "Stamped.updated_at", "allows no updates"),
            ("warning", "Stamped.version", "allows no updates"),
        ],
    )
]
