from typing import ClassVar

from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.patterns import Scan
from tablewright.design.tables import Table

CODE = "TW002"
notes = Table("notes", key="id")


class Note(Entity, table=notes):
    id: str


class AllNotes(Scan[Note]):
    suppress: ClassVar = {"TW303": "an export at night"}


class Misplaced(Scan[Note]):
    suppress: ClassVar = {"TW302": "never consistent anyway"}


passes = [Design("matches a finding", patterns=[AllNotes])]
fails = [
    (Design("in a class", patterns=[Misplaced]), [("warning", "Misplaced", "TW302:Misplaced")]),
    (Design("in a design", patterns=[], suppress={"TW401": "x"}), [("warning", "TW401", "TW401")]),
]
