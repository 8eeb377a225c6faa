"""Computed fields in keys: computed on every write, compared by every check."""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Annotated, Any
from uuid import uuid4

import pytest
from pydantic import computed_field

from tablewright import (
    Clock,
    Copy,
    Design,
    Entity,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Sparse,
    Table,
    connect,
    fields,
    writes,
)
from tablewright.access.writes.automatic_fields import derived_changes
from tablewright.checks.runner import check
from tablewright.errors import DesignError, InvalidWrite, KeyValueError, UniqueViolation
from tablewright.generate.design_document import document
from tablewright.lifecycle.integrity import fsck
from tablewright.lifecycle.integrity.integrity_findings import Kind
from tests.access.conftest import START
from tests.design.definitions import define_pattern

main = Table(
    "main-{env}",
    key=("PK", "SK"),
    indexes=[Index("GSI1", "GSI1PK", "GSI1SK"), Index("GSI2", "GSI2PK", "GSI2SK")],
)


class Post(Entity, table=main, type="POST"):
    id: str
    title: Annotated[str, fields.Unique(within=("month",))]
    points: int = 0
    created_at: fields.Timestamp = fields.now()
    note: str = ""

    @fields.computed("created_at")
    def month(self) -> str:
        return f"{self.created_at:%Y-%m}"

    @fields.computed("points")
    def level(self) -> str | None:
        if self.points < 0:
            raise ValueError("points are never negative")
        return None if self.points == 0 else "high" if self.points > 9 else "low"

    @fields.computed("note")
    def is_noted(self) -> bool:
        return bool(self.note)

    keys = Keys(
        primary=("POST#{id}", "POST"),
        GSI1=("MONTH#{month}", "{id}"),
        GSI2=Sparse("LEVEL#{level}", "{id}", when="is_noted"),
    )
    by_month = Copy(primary=("BOARD#{month}", "POST#{id}"), fields=("title", "created_at", "id"))


class Entry(Entity, table=main, type="ENTRY"):
    """An entity whose primary key is computed, by pydantic's own decorator."""

    name: str
    text: str = ""

    @computed_field  # type: ignore[prop-decorator]
    @property
    def initial(self) -> str:
        return self.name[0].upper()

    keys = Keys(primary=("LETTER#{initial}", "ENTRY#{name}"))


class PostById(Get[Post]):
    id: str


class PostsOfMonth(Query[Post]):
    month: str
    index = "GSI1"


class PostsOfLevel(Query[Post]):
    level: str
    key = "GSI2PK = LEVEL#{level}"


class BoardOfMonth(Query[Post]):
    month: str
    key = "PK = BOARD#{month}"


class EntryByName(Get[Entry]):
    initial: str
    name: str


design = Design(
    "posts",
    entities=[Post, Entry],
    patterns=[PostById, PostsOfMonth, PostsOfLevel, BoardOfMonth, EntryByName],
)
AUGUST = datetime(2096, 8, 1, tzinfo=UTC)


@pytest.fixture(params=["memory", "http"])
def db(request: pytest.FixtureRequest) -> Iterator[Repository]:
    where = None if request.param == "memory" else request.getfixturevalue("endpoint")
    environment, clock = f"computed-{uuid4().hex[:8]}", Clock(start=START)
    with connect(design, where, environment=environment, clock=clock, create=True) as repository:
        yield repository
        assert fsck.check(repository).findings == []


def ids(page: Any) -> list[str]:
    return [each.id for each in page.items]


def test_a_computed_field_is_part_of_keys_and_not_stored(db: Repository) -> None:
    made = db.create(Post(id="1", title="a"))
    assert made.month == "2096-10"
    key = {"PK": {"S": "POST#1"}, "SK": {"S": "POST"}}
    item = db.connection.call("GetItem", {"TableName": db.context.table_name(main), "Key": key})["Item"]
    assert item["GSI1PK"] == {"S": "MONTH#2096-10"}
    assert "month" not in item
    assert db.run(PostById(id="1")) == made
    assert db.run(PostsOfMonth(month="2096-10")).items == (made,)
    assert ids(db.run(BoardOfMonth(month="2096-10"))) == ["1"]


def test_an_update_of_a_source_changes_index_keys_copies_and_locks(db: Repository) -> None:
    made = db.create(Post(id="1", title="a"))
    db.update(PostById(id="1"), set={"created_at": AUGUST})
    assert ids(db.run(PostsOfMonth(month="2096-10"))) == []
    assert ids(db.run(PostsOfMonth(month="2096-08"))) == ["1"]
    assert ids(db.run(BoardOfMonth(month="2096-08"))) == ["1"]
    assert ids(db.run(BoardOfMonth(month="2096-10"))) == []
    db.create(Post(id="2", title="a", created_at=made.created_at))
    with pytest.raises(UniqueViolation):
        db.create(Post(id="3", title="a", created_at=AUGUST))


def test_every_write_computes_the_keys(db: Repository) -> None:
    db.create(Post(id="1", title="a", note="n"))
    assert ids(db.run(PostsOfLevel(level="low"))) == []
    db.update(PostById(id="1"), add={"points": 5})
    assert ids(db.run(PostsOfLevel(level="low"))) == ["1"]
    db.transact(writes.Update(PostById(id="1"), add={"points": 5}))
    assert ids(db.run(PostsOfLevel(level="low"))) == []
    assert ids(db.run(PostsOfLevel(level="high"))) == ["1"]
    db.update(PostById(id="1"), set={"note": ""})
    assert ids(db.run(PostsOfLevel(level="high"))) == []
    db.put(Post(id="1", title="a", note="n", points=1))
    assert ids(db.run(PostsOfLevel(level="low"))) == ["1"]
    db.upsert(Post(id="1", title="a"), set={"points": 0})
    assert ids(db.run(PostsOfLevel(level="low"))) == []


def test_only_updates_of_the_sources_read_first() -> None:
    class Note(Entity, table=main, type="NOTE"):
        id: str
        at: fields.Timestamp = fields.now()
        text: str = ""

        @fields.computed("at")
        def day(self) -> str:
            return f"{self.at:%d}"

        keys = Keys(primary=("NOTE#{id}", "NOTE"), GSI1=("DAY#{day}", "{id}"))

    assert derived_changes(Note, frozenset({"at"})).has_computed
    assert not derived_changes(Note, frozenset({"text"})).has_computed
    assert not derived_changes(Entry, frozenset()).has_computed
    assert derived_changes(Entry, frozenset({"text"})).has_computed, "it may depend on every field"


def test_a_computed_primary_key_is_changed_by_move_only(db: Repository) -> None:
    db.create(Entry(name="ada"))
    assert db.run(EntryByName(initial="A", name="ada")) == Entry(name="ada")
    changed = db.update(EntryByName(initial="A", name="ada"), set={"text": "x"})
    assert changed.text == "x"
    with pytest.raises(InvalidWrite, match="name is part of the primary key"):
        db.update(EntryByName(initial="A", name="ada"), set={"name": "bob"})
    db.move(changed, name="bob")
    assert db.run(EntryByName(initial="A", name="ada")) is None
    assert db.run(EntryByName(initial="B", name="bob")) == Entry(name="bob", text="x")
    db.delete(Entry(name="bob"))
    assert db.run(EntryByName(initial="B", name="bob")) is None


def test_an_update_that_changes_a_computed_primary_key_is_rejected() -> None:
    class Task(Entity, table=main, type="TASK"):
        id: str
        due_at: fields.Timestamp

        @fields.computed("due_at")
        def day(self) -> str:
            return f"{self.due_at:%Y-%m-%d}"

        keys = Keys(primary=("DAY#{day}", "TASK#{id}"))

    class TaskOfDay(Get[Task]):
        day: str
        id: str

    tasks = Design("tasks", entities=[Task], patterns=[TaskOfDay])
    with connect(tasks, environment="test") as repository:
        repository.create(Task(id="1", due_at=AUGUST))
        target = TaskOfDay(day="2096-08-01", id="1")
        repository.update(target, set={"due_at": datetime(2096, 8, 1, 9, tzinfo=UTC)})
        with pytest.raises(
            InvalidWrite, match="the update of Task changes day, which is part of the primary key; use move"
        ):
            repository.update(target, set={"due_at": datetime(2096, 8, 2, tzinfo=UTC)})
        moved = repository.move(target, due_at=datetime(2096, 8, 2, tzinfo=UTC))
        assert repository.run(TaskOfDay(day="2096-08-02", id="1")) == moved
        with pytest.raises(InvalidWrite, match="which is made of id, due_at; day was given"):
            repository.move(moved, day="2096-08-03")


def test_a_computed_field_that_raises_names_itself(db: Repository) -> None:
    with pytest.raises(
        KeyValueError, match="Post: level cannot be computed: ValueError: points are never negative"
    ):
        db.create(Post(id="1", title="a", points=-1))


def test_stale_keys_are_found_and_repaired(db: Repository) -> None:
    db.create(Post(id="1", title="a"))
    key = {"PK": {"S": "POST#1"}, "SK": {"S": "POST"}}

    def make_stale() -> None:
        db.connection.call(
            "UpdateItem",
            {
                "TableName": db.context.table_name(main),
                "Key": key,
                "UpdateExpression": "SET GSI1PK = :m",
                "ExpressionAttributeValues": {":m": {"S": "MONTH#1999-01"}},
            },
        )

    make_stale()
    assert [each.kind for each in fsck.check(db).findings] == [Kind.STALE_INDEX_KEYS]
    fsck.check(db, repair=True)
    assert ids(db.run(PostsOfMonth(month="2096-10"))) == ["1"]


def test_checks_and_documents_know_computed_fields() -> None:
    assert {finding.code for finding in check(design) if finding.severity == "error"} == set()
    assert "computed, part of keys" in repr(document(design))


COMPUTED = "month is computed, and stored only in keys; use the fields that it is computed from"


def test_filters_and_returned_fields_cannot_be_computed() -> None:
    for setting in ({"filter": "month = 'x'"}, {"fields": ("month",)}):
        with pytest.raises(DesignError, match=COMPUTED):
            define_pattern(Query, Post, {"id": str}, key="PK = POST#{id}", **setting)


def test_a_computed_field_cannot_be_set(db: Repository) -> None:
    made = db.create(Post(id="1", title="a"))
    with pytest.raises(InvalidWrite, match=COMPUTED):
        db.update(made, set={"month": "2096-01"})
