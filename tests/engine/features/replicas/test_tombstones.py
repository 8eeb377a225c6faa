"""Tombstones: kept until no older write can arrive, then removed."""

import pytest

from tablewright.engine.features.replicas.replica_groups import version_space
from tablewright.engine.features.replicas.replication import KEPT, tidy
from tablewright.engine.features.replicas.versions import VERSION
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world

__all__ = ["world"]


def versions(world: World, region: str) -> int:
    space = version_space(world[region].state.catalog.table("music"))
    rows = world[region].sessions.read(lambda tx: list(tx.rows.range(space, VERSION, VERSION + b"\xff" * 99)))
    return len(rows)


@pytest.fixture
def deleted(world: World) -> World:
    world.put(US, "nina")
    world.put(US, "miles")
    world.replicate()
    world.delete(US, "nina")
    return world


def test_a_tombstone_is_removed_after_a_day_in_all_regions(deleted: World) -> None:
    deleted.replicate()
    assert (versions(deleted, US), versions(deleted, EU)) == (2, 2)
    deleted.clock.advance(KEPT + 1)
    deleted.replicate()
    deleted.replicate()
    assert (versions(deleted, US), versions(deleted, EU)) == (1, 1)
    assert deleted.songs(US) == deleted.songs(EU) == {"miles": "miles"}


def test_a_tombstone_is_kept_while_a_region_has_not_read_it(deleted: World) -> None:
    deleted.clock.advance(10 * KEPT)
    deleted.pull(US, EU)
    tidy(deleted[US].sessions)
    assert versions(deleted, US) == 2
    deleted.replicate()
    assert deleted.songs(EU) == {"miles": "miles"}


def test_a_new_replica_keeps_tombstones_until_it_has_read_them(deleted: World) -> None:
    deleted.replicate()
    deleted.clock.advance(KEPT + 1)
    deleted.update(US, ReplicaUpdates=[{"Create": {"RegionName": AP}}])
    deleted.pull(EU, US)
    tidy(deleted[EU].sessions)
    assert versions(deleted, EU) == 2
    deleted.replicate()
    deleted.replicate()
    assert versions(deleted, EU) == 1
    assert deleted.songs(AP) == {"miles": "miles"}
