from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Scan
from tablewright.design.tables import Table

CODE = "TW001"
notes = Table("notes", key="id")


class Note(Entity, table=notes):
    id: str


class AllNotes(Scan[Note]):
    pass


passes = [Design("a reason", patterns=[AllNotes], suppress={"TW303:AllNotes": "an export at night"})]
fails = [
    (
        Design("no reason", patterns=[AllNotes], suppress={"TW303:AllNotes": " "}),
        [("warning", "AllNotes", "without a reason")],
    )
]
