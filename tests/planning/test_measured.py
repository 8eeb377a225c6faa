"""Estimates equal what the engine measures, for every kind of read and write, by table and index."""

from collections.abc import Callable, Iterator
from typing import Annotated, Any

import pytest

from tablewright import (
    BatchGet,
    Copy,
    Design,
    Entity,
    Find,
    Get,
    Index,
    Keys,
    Query,
    Repository,
    Scan,
    Table,
    connect,
    embedded,
    errors,
    fields,
)
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.planning.request_demand import demand_of_run, demand_of_write
from tablewright.planning.workloads import EntityUse, PatternUse, Workload
from tests.planning.meters import Metered, measured, shown

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[
        Index("whole", "wholeKey", "SK"),
        Index("keys", "keysKey", projection="KEYS_ONLY"),
        Index("some", "someKey", projection=("title",)),
        Index("local", "PK", "title", local=True, projection="KEYS_ONLY"),
    ],
)


class Note(Entity, table=main, type="NOTE"):
    room: str
    note_id: str
    title: str
    status: str = "open"
    text: str
    keys = Keys(
        primary=("ROOM#{room}", "NOTE#{note_id}"),
        whole=("STATUS#{status}", "NOTE#{note_id}"),
        keys="STATUS#{status}",
        some="TITLE#{room}",
    )


class Person(Entity, table=main, type="PERSON"):
    person_id: str
    email: Annotated[str, fields.Unique()]
    bio: str
    updated_at: fields.Timestamp = fields.touched()
    keys = Keys(primary=("PERSON#{person_id}", "PERSON"))
    listed = Copy(
        primary=("PEOPLE", "PERSON#{person_id}"), type="LISTED", whole=("LISTED", "PERSON#{person_id}")
    )


class Member(Entity, table=main, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    bio: str
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))


class NoteById(Get[Note]):
    room: str
    note_id: str


class NoteNow(NoteById):
    consistent = True


class NotesById(BatchGet[Note]):
    room: str
    note_id: list[str]


class NotesOf(Query[Note]):
    room: str
    key = "PK = ROOM#{room} AND SK begins_with NOTE#"


class NotesByStatus(Query[Note]):
    status: str
    key = "wholeKey = STATUS#{status}"


class NoteTitled(Query[Note]):
    room: str
    title: str
    index = "local"
    key = "PK = ROOM#{room} AND title = {title}"
    fields = ("title", "text")


class OneOfTheRoom(Find[Note]):
    status: str
    note_id: str
    key = "wholeKey = STATUS#{status} AND SK = NOTE#{note_id}"


class Everything(Scan[Note]):
    pass


PATTERNS: list[Any] = [
    NoteById,
    NoteNow,
    NotesById,
    NotesOf,
    NotesByStatus,
    NoteTitled,
    OneOfTheRoom,
    Everything,
]
DESIGN = Design("measured", entities=[Note, Person, Member], patterns=PATTERNS)


@pytest.fixture
def meter() -> Iterator[Metered]:
    with embedded() as inner:
        yield Metered(inner)


@pytest.fixture
def db(meter: Metered) -> Repository:
    return connect(DESIGN, meter, create=True)


def size_of(meter: Metered, key: str, sort: str) -> int:
    request = {"TableName": "main", "Key": {"PK": {"S": key}, "SK": {"S": sort}}}
    return item_size(meter.inner.call("GetItem", request)["Item"])


def note(number: int = 1, length: int = 2_500) -> Note:
    return Note(room="r", note_id=f"{number:03}", title=f"t{number}", text="x" * length)


@pytest.mark.parametrize("length", [100, 2_500, 9_000])
def test_write_without_copies(db: Repository, meter: Metered, length: int) -> None:
    created = measured(meter, lambda: db.create(note(length=length)))
    use = EntityUse(size=size_of(meter, "ROOM#r", "NOTE#001"))
    assert shown(demand_of_write(Note.layout, "create", use)) == created
    updated = measured(meter, lambda: db.update(note(length=length), set={"text": "y" * length}))
    # A field that is neither key nor projected changes only the index that projects all attributes.
    assert updated[("main", "write")] == created[("main", "write")] - 1
    assert updated[("main.whole", "write")] == created[("main.whole", "write")]
    assert shown(demand_of_write(Note.layout, "delete", use)) == measured(
        meter, lambda: db.delete(note(length=length))
    )


def test_update_of_an_index_key_counts_two_writes(db: Repository, meter: Metered) -> None:
    found = db.create(note())
    use = EntityUse(size=size_of(meter, "ROOM#r", "NOTE#001"), moves={"whole": 1, "keys": 1})
    moved = measured(meter, lambda: db.update(found, set={"status": "closed"}))
    estimated = shown(demand_of_write(Note.layout, "update", use))
    assert estimated[("main.whole", "write")] == moved[("main.whole", "write")] == 6
    assert estimated[("main.keys", "write")] == moved[("main.keys", "write")] == 2


def test_copies_and_locks_are_transactional_writes(db: Repository, meter: Metered) -> None:
    ada = Person(person_id="ada", email="ada@example.org", bio="x" * 1_500)
    created = measured(meter, lambda: db.create(ada))
    use = EntityUse(size=size_of(meter, "PERSON#ada", "PERSON"))
    assert shown(demand_of_write(Person.layout, "create", use)) == created
    assert created == {("main", "write"): 10, ("main.whole", "write"): 4}
    updated = measured(meter, lambda: db.update(Person(**ada.__dict__), set={"bio": "y" * 1_500}))
    assert shown(demand_of_write(Person.layout, "update", use)) == updated
    assert shown(demand_of_write(Person.layout, "delete", use)) == measured(meter, lambda: db.delete(ada))


def test_lock_is_rewritten_only_if_its_value_changes(db: Repository, meter: Metered) -> None:
    bob = db.create(Member(member_id="bob", email="bob@example.org", bio="x" * 1_500))
    size = size_of(meter, "MEMBER#bob", "MEMBER")
    blind = measured(meter, lambda: db.update(bob, set={"bio": "y" * 1_500}))
    assert shown(demand_of_write(Member.layout, "update", EntityUse(size=size))) == blind
    renamed = measured(meter, lambda: db.update(bob, set={"email": "bo@example.org"}))
    assert shown(demand_of_write(Member.layout, "update", EntityUse(size=size, relocks=1))) == renamed


def test_failed_condition_is_charged_without_indexes(db: Repository, meter: Metered) -> None:
    found = db.create(note())
    size = size_of(meter, "ROOM#r", "NOTE#001")
    estimated = demand_of_write(Note.layout, "update", EntityUse(size=size, fails=1))
    assert shown(estimated) == {("main", "write"): 3.0}
    with pytest.raises(errors.ConditionNotMet):
        db.update(found, set={"text": "y"}, when=Note.status == "closed")


@pytest.mark.parametrize("length", [100, 2_500, 9_000])
def test_read_of_each_pattern(db: Repository, meter: Metered, length: int) -> None:
    for number in range(1, 8):
        db.create(note(number, length))
    size = size_of(meter, "ROOM#r", "NOTE#001")
    workload = Workload(
        entities={"Note": EntityUse(size=size, items=7)},
        patterns={
            "NotesById": PatternUse(items=3),
            "NotesOf": PatternUse(items=7),
            "NotesByStatus": PatternUse(items=7),
        },
    )
    acts: dict[type[Any], Callable[[], Any]] = {
        NoteById: lambda: db.run(NoteById(room="r", note_id="001")),
        NoteNow: lambda: db.run(NoteNow(room="r", note_id="001")),
        NotesById: lambda: db.run(NotesById(room="r", note_id=["001", "002", "003"])),
        NotesOf: lambda: db.all(NotesOf(room="r")),
        NotesByStatus: lambda: db.all(NotesByStatus(status="open")),
        NoteTitled: lambda: db.rows(NoteTitled(room="r", title="t3")),
        OneOfTheRoom: lambda: db.run(OneOfTheRoom(status="open", note_id="004")),
    }
    estimated = {pattern: shown(demand_of_run(DESIGN, pattern.__plan__, workload)) for pattern in acts}
    assert estimated == {pattern: measured(meter, act) for pattern, act in acts.items()}


@pytest.mark.parametrize("length", [100, 2_500, 9_000])
def test_scan_is_charged_for_every_partition(db: Repository, meter: Metered, length: int) -> None:
    """The distribution of items over partitions is random: each may be rounded up or not."""
    for number in range(1, 41):
        db.create(note(number, length).changed(room=f"r{number}"))
    workload = Workload(entities={"Note": EntityUse(size=size_of(meter, "ROOM#r1", "NOTE#001"), items=40)})
    estimated = shown(demand_of_run(DESIGN, Everything.__plan__, workload))[("main", "read")]
    assert abs(estimated - measured(meter, lambda: db.all(Everything()))[("main", "read")]) <= 1.5
