"""CreateReplica: repeating it changes nothing, and another table of that name is not replaced."""

import pytest

from tablewright.engine.replicas.membership import invitation
from tablewright.errors import ResourceInUse, ValidationError
from tests.engine.replicas.replicated_table import AP, EU, US, World, world
from tests.engine.table_cases import request_of

__all__ = ["world"]


def test_a_repeated_request_changes_nothing(world: World) -> None:
    world.put(EU, "nina")
    before = world.describe(EU)
    world[EU].call("CreateReplica", invitation(world[US].state.catalog.table("music")))
    assert world.describe(EU) == before
    assert world.songs(EU) == {"nina": "nina"}


def test_another_table_is_not_replaced(world: World) -> None:
    world[AP].call("CreateTable", request_of("music", "artist | artist:S"))
    with pytest.raises(ResourceInUse, match=r"^Table already exists: music$"):
        world[AP].call("CreateReplica", invitation(world[US].state.catalog.table("music")))


@pytest.mark.parametrize(
    "replication", [{}, {"Group": 1}, {"Group": "g", "Members": {"x": 1}, "Settings": {}}]
)
def test_a_request_that_no_server_made_is_rejected(world: World, replication: object) -> None:
    request = invitation(world[US].state.catalog.table("music")) | {"Replication": replication}
    with pytest.raises(ValidationError, match="is called by the servers of other regions only"):
        world[AP].call("CreateReplica", request)
    assert world[AP].call("ListTables", {})["TableNames"] == []
