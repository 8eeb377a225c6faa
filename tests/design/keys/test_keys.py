"""Keys, sparse keys and copies as declared in an entity."""

import pytest

from tablewright import Copy, Design, Entity, Get, Index, Keys, Query, Sparse, Table, connect
from tablewright.design.keys.templates import Template
from tablewright.errors import DesignError

notes = Table(
    "notes",
    key=("owner", "noteId"),
    indexes=[Index("unread", "owner", "unreadSince"), Index("by-topic", "topic", "createdOn")],
)


class Note(Entity, table=notes):
    owner: str
    note_id: str
    topic: str | None = None
    created_on: str = "2026-01-01"
    read_on: str | None = None
    keys = Keys(
        unread=Sparse("{owner}", "{created_on}#{note_id}", when={"read_on": None}),
        indexes={"by-topic": Sparse("{topic}", "{created_on}", when="topic")},
    )


class NoteOf(Get[Note]):
    owner: str
    note_id: str


class Unread(Query[Note]):
    owner: str
    index = "unread"


class OnTopic(Query[Note]):
    topic: str
    index = "by-topic"


design = Design("notes", entities=[Note], patterns=[NoteOf, Unread, OnTopic])


def test_an_item_leaves_an_index_when_one_key_attribute_is_removed() -> None:
    with connect(design) as db:
        note = db.create(Note(owner="ada", note_id="1", topic="tea"))
        assert db.all(Unread(owner="ada")) == db.all(OnTopic(topic="tea")) == [note]
        read = db.update(note, set={"read_on": "2026-01-02", "topic": None})
        assert db.all(Unread(owner="ada")) == db.all(OnTopic(topic="tea")) == []
        assert db.run(NoteOf(owner="ada", note_id="1")) == read
        db.update(note, set={"read_on": None})
        assert len(db.run(Unread(owner="ada"))) == 1


@pytest.mark.parametrize(
    ("when", "values", "holds"),
    [
        ("open", {"open": True}, True),
        ("open", {"open": None}, False),
        (("open", "due"), {"open": True, "due": "2026"}, True),
        (("open", "due"), {"open": True}, False),
        ({"status": "open"}, {"status": "open"}, True),
        ({"status": "open"}, {"status": "closed"}, False),
        ({"read_on": None}, {}, True),
    ],
)
def test_a_sparse_key_holds_under_its_condition(when: object, values: dict[str, object], holds: bool) -> None:
    assert Sparse("KEY", when=when).holds(values) == holds  # type: ignore[arg-type]


def test_only_an_absent_field_removes_an_item_from_a_sparse_index() -> None:
    assert Sparse("{topic}", when="topic").goes_with("topic")
    assert not Sparse("{topic}", when="open").goes_with("topic")
    assert not Sparse("{topic}", when={"topic": "tea"}).goes_with("topic")


def test_index_names_that_are_no_python_names_go_into_indexes() -> None:
    keys = Keys(primary="{id}", indexes={"by-email": "{email}"}, GSI1=("A", "{id}"))
    assert keys.primary == (Template("{id}"),)
    assert keys.indexes == {"by-email": (Template("{email}"),), "GSI1": (Template("A"), Template("{id}"))}


def test_a_copy_needs_each_and_name_together() -> None:
    with pytest.raises(DesignError, match="a Copy needs each and name together"):
        Copy(each="member_ids", primary="MEMBER#{member_id}")
