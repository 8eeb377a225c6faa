"""Keys that an entity has at times only, where some of their attributes are fields that stay."""

from tablewright import Design, Entity, Get, Index, Keys, Query, Sparse, Table, connect

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


def test_an_item_leaves_an_index_by_one_attribute_of_its_key() -> None:
    with connect(design) as db:
        note = db.create(Note(owner="ada", note_id="1", topic="tea"))
        assert db.all(Unread(owner="ada")) == db.all(OnTopic(topic="tea")) == [note]
        read = db.update(note, set={"read_on": "2026-01-02", "topic": None})
        assert db.all(Unread(owner="ada")) == db.all(OnTopic(topic="tea")) == []
        assert db.run(NoteOf(owner="ada", note_id="1")) == read
        db.update(note, set={"read_on": None})
        assert len(db.run(Unread(owner="ada"))) == 1
