"""DeleteReplica: a replica with changes that the caller has not read is kept."""

from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]


def test_a_replica_with_unread_changes_is_kept(world: World) -> None:
    group = world[US].state.catalog.table("music").definition["Replication"]["Group"]
    request = {"TableName": "music", "Group": group, "Number": 0}
    world.put(EU, "nina")
    assert world[EU].call("DeleteReplica", request) == {"Deleted": False}
    assert world.songs(EU) == {"nina": "nina"}
    assert world[EU].call("DeleteReplica", {**request, "Number": 1}) == {"Deleted": True}
    assert world[EU].call("ListTables", {})["TableNames"] == []
