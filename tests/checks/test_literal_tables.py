"""Tables declared literally: problems are reported by checks, and prevent connecting."""

import pytest

from tablewright.access.connect import connect
from tablewright.design.designs import Design
from tablewright.design.entities.entities import Entity
from tablewright.design.indexes import Index
from tablewright.design.keys.keys import Keys
from tablewright.design.patterns import Query
from tablewright.design.tables import Table
from tablewright.errors import DesignError

notes = Table("notes", key="PK", indexes=[Index("by-tag", "tag")], literal=True)


class Note(Entity, table=notes):
    note_id: str
    keys = Keys(primary="NOTE#{note_id}")


class Broken(Entity, table=notes):
    note_id: str
    tags: list[str]
    keys = Keys(primary="NOTE#{note_id}", indexes={"by-tag": "{tags}"})


class ByTag(Query[Note]):
    tag: str
    key = "begins_with(tag, {tag})"


@pytest.mark.parametrize(
    "design", [Design("entity", entities=[Broken]), Design("pattern", entities=[Note], patterns=[ByTag])]
)
def test_a_design_with_problems_is_not_connected(design: Design) -> None:
    with pytest.raises(DesignError, match=f"{design.name} can be checked, but not run"):
        connect(design)


def test_a_design_without_problems_is_connected() -> None:
    with connect(Design("sound", entities=[Note])) as db:
        db.put(Note(note_id="1"))


def test_the_same_class_raises_in_another_table() -> None:
    strict = Table("notes", key="PK", indexes=[Index("by-tag", "tag")])
    with pytest.raises(
        DesignError, match=r"Tagged uses tags, a list, in the key .*; a key can contain strings"
    ):

        class Tagged(Entity, table=strict):
            note_id: str
            tags: list[str]
            keys = Keys(primary="NOTE#{note_id}", indexes={"by-tag": "{tags}"})
