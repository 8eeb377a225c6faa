"""ListGlobalTables: tables with replicas are not global tables of version 2017."""

from tests.engine.features.replicas.replicated_table import US, World, world

__all__ = ["world"]


def test_no_global_table_is_listed(world: World) -> None:
    assert world[US].call("ListGlobalTables", {"RegionName": US, "Limit": 1}) == {"GlobalTables": []}
