"""Read demand: units of one run of a pattern; `test_measured` compares them with the engine."""

from typing import Annotated, Any

import pytest

from tablewright import BatchGet, Design, Entity, Find, Get, Index, Keys, Query, Scan, Table, fields
from tablewright.planning.capacity_demand import total
from tablewright.planning.request_demand import demand_of_run, demand_of_write, items_read, stored_rows
from tablewright.planning.workloads import EntityUse, PatternUse, Workload

BY_NAME = Index("by-name", "name", projection=["type"])
main = Table("main", key=("PK", "SK"), indexes=[BY_NAME])


class Note(Entity, table=main, type="NOTE", expect=fields.Expect(per_partition=40)):
    room: str
    note_id: str
    name: str
    keys = Keys(primary=("ROOM#{room}", "{note_id}"))


class NoteById(Get[Note]):
    room: str
    note_id: str


class Consistent(NoteById):
    consistent = True


class NotesById(BatchGet[Note]):
    room: str
    note_id: list[str]
    expected_items = 3


class NotesOf(Query[Note]):
    room: str
    key = "PK = ROOM#{room}"


class Named(NotesOf):
    name: str
    filter = "name = {name}"
    expected_items = 2


class Paged(NotesOf):
    page_size = 10


class ByName(Find[Note]):
    name: str
    key = "name = {name}"
    fields = ("name",)


class All(Scan[Note]):
    pass


PATTERNS: list[Any] = [NoteById, Consistent, NotesById, NotesOf, Named, Paged, ByName, All]
DESIGN = Design("notes", entities=[Note], patterns=PATTERNS)
WORKLOAD = Workload(entities={"Note": EntityUse(size=5_000, items=100)})


@pytest.mark.parametrize(
    ("pattern", "units"),
    [
        (NoteById, 1.0),
        (Consistent, 2.0),
        (NotesById, 3.0),
        (NotesOf, 24.5),  # 200,000 bytes
        (Named, 24.5),  # a filter reads the whole partition
        (Paged, 6.5),  # 10 items
        (ByName, 0.5),
        (All, 62.0),  # 4 partitions of 125,000 bytes
    ],
)
def test_units_of_one_run(pattern: Any, units: float) -> None:
    assert total(demand_of_run(DESIGN, pattern.__plan__, WORKLOAD)).read == units


def test_declared_items_override_the_partition() -> None:
    assert items_read(NotesOf.__plan__, PatternUse(items=7)) == 7
    assert items_read(NotesOf.__plan__, PatternUse()) == 40
    assert items_read(ByName.__plan__, PatternUse(items=7)) == 1


def test_rows_of_a_table_and_of_an_index() -> None:
    use = EntityUse(size=5_000, items=100, present={"by-name": 0.25})
    month = Workload(entities={"Note": use})
    assert stored_rows(DESIGN, main, None, month) == [(100, 5_000)]
    ((count, size),) = stored_rows(DESIGN, main, BY_NAME, month)
    assert count == 25
    assert size < 200


notes = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("all", "allKey"), Index("keys", "keysKey", projection="KEYS_ONLY")],
)


class IndexedNote(Entity, table=notes, type="NOTE"):
    note_id: str
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), all="A", keys="K")


class Member(Entity, table=notes, type="MEMBER"):
    member_id: str
    email: Annotated[str, fields.Unique()]
    keys = Keys(primary=("MEMBER#{member_id}", "MEMBER"))


def units(entity: type[Entity], kind: str, **use: object) -> dict[str, tuple[float, float]]:
    demand = demand_of_write(entity.layout, kind, EntityUse.model_validate({"size": 1_500, **use}))
    return {str(resource): (found.read, found.write) for resource, found in demand.items()}


@pytest.mark.parametrize(
    ("kind", "use", "expected"),
    [
        ("create", {}, {"main": 2, "main.all": 2, "main.keys": 1}),
        ("update", {}, {"main": 2, "main.all": 2, "main.keys": 0}),
        ("update", {"moves": 1}, {"main": 2, "main.all": 4, "main.keys": 2}),
        ("update", {"moves": {"keys": 0.5}}, {"main": 2, "main.all": 2, "main.keys": 1}),
        ("create", {"present": {"all": 0.5}}, {"main": 2, "main.all": 1, "main.keys": 1}),
        ("create", {"fails": 1}, {"main": 2, "main.all": 0, "main.keys": 0}),
        ("delete", {}, {"main": 2, "main.all": 2, "main.keys": 1}),
    ],
)
def test_a_write_without_copies(kind: str, use: dict[str, object], expected: dict[str, float]) -> None:
    assert {resource: write for resource, (_, write) in units(IndexedNote, kind, **use).items()} == expected


def test_a_lock_makes_a_transaction_with_twice_the_units() -> None:
    assert units(Member, "create") == {"main": (0, 2 * (2 + 1))}


def test_deleting_reads_the_item_first() -> None:
    assert units(Member, "delete") == {"main": (1, 2 * (2 + 1))}


def test_only_a_changed_unique_value_rewrites_its_lock() -> None:
    assert units(Member, "update") == {"main": (0, 2)}
    assert units(Member, "update", relocks=1) == {"main": (1, 2 * (2 + 2))}
