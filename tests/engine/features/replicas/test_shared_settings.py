"""Shared settings: only what a change has changed gets a new value."""

from tablewright.engine.features.replicas.replica_groups import note_change, shared_indexes, shared_value
from tests.engine.features.replicas.replicated_table import US, World, world

__all__ = ["world"]


def test_only_changed_settings_get_a_new_stamp(world: World) -> None:
    before = world[US].state.catalog.table("music").definition
    after = {**before, "TimeToLive": {"AttributeName": "until", "Enabled": True}}
    noted = note_change(before, after, 1_900_000_000.0, US)
    changed = {
        name
        for name, entry in noted["Replication"]["Settings"].items()
        if entry != before["Replication"]["Settings"].get(name)
    }
    assert changed == {"TimeToLive"}
    assert shared_value(noted, "TimeToLive")["AttributeName"] == "until"


def test_a_regional_change_is_not_noted(world: World) -> None:
    before = world[US].state.catalog.table("music").definition
    assert (
        note_change(before, {**before, "Tags": {"a": "b"}}, 1.0, US)["Replication"] == before["Replication"]
    )


def test_a_deleted_index_is_remembered_as_deleted(world: World) -> None:
    created = {
        "IndexName": "by-song",
        "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    song = [{"AttributeName": "song", "AttributeType": "S"}]
    world.update(US, AttributeDefinitions=song, GlobalSecondaryIndexUpdates=[{"Create": created}])
    assert list(shared_indexes(world[US].state.catalog.table("music").definition)) == ["by-song"]
    world.update(US, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-song"}}])
    definition = world[US].state.catalog.table("music").definition
    assert shared_indexes(definition) == {}
    assert definition["Replication"]["Settings"]["Index/by-song"]["Value"] is None
