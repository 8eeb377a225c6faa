"""Capacity demand: units by table and index."""

from tablewright import Index, Table
from tablewright.planning.capacity_demand import CapacityResource, Units, added, scaled, total

LOCAL, REMOTE = Index("local", "PK", "rank", local=True), Index("remote", "team")
table = Table("app", key=("PK", "SK"), indexes=[LOCAL, REMOTE])


def test_a_local_index_uses_the_capacity_of_its_table() -> None:
    assert [str(CapacityResource.of(table, index)) for index in (None, LOCAL, REMOTE)] == [
        "app",
        "app",
        "app.remote",
    ]


def test_demands_are_added_by_place_and_scaled() -> None:
    one = {CapacityResource(table): Units(1, 2), CapacityResource(table, REMOTE): Units(write=1)}
    both = added([one, {CapacityResource(table): Units(3, 0)}])
    assert both == {CapacityResource(table): Units(4, 2), CapacityResource(table, REMOTE): Units(0, 1)}
    assert total(scaled(both, 2)) == Units(8, 6)
    assert scaled(both, 0) == {}
