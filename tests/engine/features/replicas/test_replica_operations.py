"""CreateReplica: repeating it changes nothing, and another table of that name is not replaced."""

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest

from tablewright.engine.core.table_removal import remove_table
from tablewright.engine.features.replicas.membership import invitation
from tablewright.errors import ResourceInUse, SerializationError, ValidationError
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world
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


VALUES: tuple[Any, ...] = (None, -1, "zz", [5], {"x": 5})
VECTOR_INDEX = {
    "IndexName": "by-vector",
    "VectorAttribute": {"AttributeName": "v"},
    "Dimensions": 2,
    "DistanceFunction": "COSINE",
    "Projection": {"ProjectionType": "ALL"},
}


def invited(**members: Any) -> tuple[World, dict[str, Any]]:
    """Regions with the table `music` in one of them, and its request to create a replica in another one."""
    world = World()
    world.create(
        "artist song | artist:S song:S + gsi by-song song ALL + lsi by-other artist song ALL", **members
    )
    ttl = {"AttributeName": "ends", "Enabled": True}
    world[US].call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": ttl})
    world.update(US, ReplicaUpdates=[{"Create": {"RegionName": EU, "TableClassOverride": "STANDARD"}}])
    return world, invitation(world[US].state.catalog.table("music"))


def places(document: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The paths of all values in a document."""
    if path:
        yield path
    pairs = document.items() if isinstance(document, dict) else enumerate(document)
    for key, value in pairs if isinstance(document, dict | list) else ():
        if isinstance(value, dict | list):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def changed(document: Any, path: tuple[Any, ...], value: Any = ...) -> Any:
    """A copy of a document with another value at a path, or without it."""
    copy = parent = deepcopy(document)
    for key in path[:-1]:
        parent = parent[key]
    if value is ...:
        del parent[path[-1]]
    else:
        parent[path[-1]] = value
    return copy


def test_a_malformed_request_is_rejected_and_stores_nothing() -> None:
    world, request = invited(VectorIndexes=[VECTOR_INDEX])
    rejected = accepted = 0
    for path in places(request):
        for value in (..., *VALUES):
            try:
                world[EU].call("CreateReplica", changed(request, path, value))
            except (ValidationError, SerializationError):
                rejected += 1
                assert world[EU].call("ListTables", {})["TableNames"] == [], (path, value)
            else:
                accepted += 1
                assert world.describe(EU)["TableStatus"] == "CREATING", (path, value)
                remove(world)
    assert rejected > accepted > 0
    world[EU].call("CreateReplica", request)
    world.replicate()
    assert world.describe(EU)["TableStatus"] == "ACTIVE"
    world.close()


def remove(world: World) -> None:
    table = world[EU].state.catalog.table("music")
    world[EU].sessions.write(lambda tx: remove_table(tx, table))


@pytest.mark.parametrize(
    "member", [{"Status": "CREATING"}, {"Source": 5}, {"Source": "../x"}, {"Changed": "zz"}, {"Status": "zz"}]
)
def test_a_malformed_member_is_named(world: World, member: dict[str, Any]) -> None:
    request = deepcopy(invitation(world[US].state.catalog.table("music")))
    request["Replication"]["Members"][US] |= member
    with pytest.raises(
        ValidationError, match=r"^Replication\.Members\.us-east-1.* is malformed; only the servers"
    ):
        world[AP].call("CreateReplica", request)


def test_a_region_that_is_not_a_new_member_gets_no_replica(world: World) -> None:
    with pytest.raises(ValidationError, match=r"^Replication\.Members\.ap-southeast-2 is malformed"):
        world[AP].call("CreateReplica", invitation(world[US].state.catalog.table("music")))
    assert world[AP].call("ListTables", {})["TableNames"] == []
