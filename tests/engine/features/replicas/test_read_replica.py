"""ReadReplica: pages of changes, for the replicas of the same group only."""

from typing import Any

import pytest

from tablewright.errors import ResourceNotFound
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world

__all__ = ["world"]


def request(world: World, **members: Any) -> dict[str, Any]:
    table = world[US].state.catalog.table("music")
    group = table.definition["Replication"]["Group"]
    return {"TableName": "music", "Group": group, "Region": EU, "Epoch": None, "Number": 0, **members}


def test_changes_of_the_reader_itself_are_left_out(world: World) -> None:
    world.put(US, "nina")
    world.put(EU, "miles")
    world.replicate()
    page = world[US].call("ReadReplica", request(world))
    assert [change["Version"][1] for change in page["Changes"]] == [US]
    assert (page["Number"], page["More"]) == (2, False)
    page = world[US].call("ReadReplica", request(world, Region=AP))
    assert [change["Version"][1] for change in page["Changes"]] == [US, EU]


def test_a_page_continues_at_its_position(world: World) -> None:
    world.put(US, "nina")
    page = world[US].call("ReadReplica", request(world))
    world.put(US, "miles")
    rest = world[US].call("ReadReplica", request(world, Number=page["Number"], Epoch=page["Epoch"]))
    assert [change["Item"]["artist"]["S"] for change in rest["Changes"]] == ["miles"]


@pytest.mark.parametrize("members", [{"Epoch": "another"}, {"Number": 1000}])
def test_a_position_in_another_feed_starts_again(world: World, members: dict[str, Any]) -> None:
    world.put(US, "nina")
    epoch = world[US].call("ReadReplica", request(world))["Epoch"]
    page = world[US].call("ReadReplica", request(world, **{"Epoch": epoch, "Number": 1, **members}))
    assert len(page["Changes"]) == 1


def test_a_table_of_another_group_is_not_found(world: World) -> None:
    with pytest.raises(ResourceNotFound):
        world[US].call("ReadReplica", request(world, Group="another"))
