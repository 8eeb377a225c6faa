"""Write demand: units of the table and its indexes; `test_measured` compares them with the engine."""

from typing import Annotated

import pytest

from tablewright import Entity, Index, Keys, Table, fields
from tablewright.planning.workloads import EntityUse
from tablewright.planning.write_demand import demand_of_write

main = Table(
    "main",
    key=("PK", "SK"),
    indexes=[Index("all", "allKey"), Index("keys", "keysKey", projection="KEYS_ONLY")],
)


class Note(Entity, table=main, type="NOTE"):
    note_id: str
    keys = Keys(primary=("NOTE#{note_id}", "NOTE"), all="A", keys="K")


class Member(Entity, table=main, type="MEMBER"):
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
    assert {resource: write for resource, (_, write) in units(Note, kind, **use).items()} == expected


def test_a_lock_makes_a_transaction_with_twice_the_units() -> None:
    assert units(Member, "create") == {"main": (0, 2 * (2 + 1))}


def test_deleting_reads_the_item_first() -> None:
    assert units(Member, "delete") == {"main": (1, 2 * (2 + 1))}


def test_only_a_changed_unique_value_rewrites_its_lock() -> None:
    assert units(Member, "update") == {"main": (0, 2)}
    assert units(Member, "update", relocks=1) == {"main": (1, 2 * (2 + 2))}
