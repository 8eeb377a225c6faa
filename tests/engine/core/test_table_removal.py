"""Table removal: nothing of a table is left in the store, also no versions of its items."""

from tablewright.engine.features.replicas.replica_groups import version_space
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]


def test_the_versions_of_a_replica_are_removed_with_it(world: World) -> None:
    world.put(US, "nina")
    world.replicate()
    space = version_space(world[EU].state.catalog.table("music"))
    world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    world.replicate()
    assert not world[EU].sessions.read(lambda tx: tx.rows.has_space(space))


def test_the_versions_are_removed_when_the_last_replica_left(world: World) -> None:
    world.put(US, "nina")
    space = version_space(world[US].state.catalog.table("music"))
    world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    world.replicate()
    assert not world[US].sessions.read(lambda tx: tx.rows.has_space(space))
    assert world.songs(US) == {"nina": "nina"}
