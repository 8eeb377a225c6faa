"""Membership: replicas are created with all items, and leave without losing a change."""

import pytest

from tablewright.engine.core.table_removal import remove_table
from tablewright.engine.database import Database
from tablewright.engine.features.replicas.replica_progress import links_of
from tablewright.engine.features.replicas.replication import tidy
from tablewright.engine.regions import Regions
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceInUse, ResourceNotFound, Unreachable, ValidationError
from tests.engine.features.replicas.replicated_table import AP, EU, US, World, world
from tests.engine.table_cases import request_of

__all__ = ["world"]

DAY = 24 * 3600


def test_a_new_replica_has_the_items_that_were_there_before() -> None:
    world = World()
    world.create()
    for number in range(300):
        world.put(US, f"artist-{number}")
    world.join(EU)
    world.put(US, "artist-7", "changed")
    world.delete(US, "artist-8")
    world.replicate()
    assert world.songs(EU) == world.songs(US)
    assert len(world.songs(EU)) == 299
    world.close()


def test_the_status_changes_from_creating_to_active() -> None:
    world = World()
    world.create()
    reply = world.update(US, ReplicaUpdates=[{"Create": {"RegionName": EU}}])
    assert (reply["TableStatus"], reply["Replicas"]) == ("UPDATING", [])
    assert reply["GlobalTableVersion"] == "2019.11.21"
    assert reply["StreamSpecification"] == {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
    shown = world.describe(US)
    assert (shown["TableStatus"], shown["Replicas"][0]["ReplicaStatus"]) == ("UPDATING", "CREATING")
    world.pull(US, EU)
    assert world.describe(EU)["TableStatus"] == "CREATING"
    world.replicate()
    for region, other in ((US, EU), (EU, US)):
        shown = world.describe(region)
        assert shown["TableStatus"] == "ACTIVE"
        assert [each["RegionName"] for each in shown["Replicas"]] == [other]
        assert shown["Replicas"][0]["ReplicaStatus"] == "ACTIVE"
        assert shown["GlobalTableVersion"] == "2019.11.21"
    world.close()


def test_a_replica_has_its_own_identity_and_the_same_schema() -> None:
    world = World()
    world.create("artist | artist:S song:S + gsi by-song song ALL")
    world.join(EU)
    us, eu = world.describe(US), world.describe(EU)
    assert us["TableId"] != eu["TableId"]
    assert eu["TableArn"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/music"
    assert eu["LatestStreamArn"].startswith(eu["TableArn"])
    assert eu["GlobalSecondaryIndexes"][0]["IndexArn"] == f"{eu['TableArn']}/index/by-song"
    for member in ("KeySchema", "AttributeDefinitions", "StreamSpecification"):
        assert us[member] == eu[member]
    world.put(US, "nina", "sinnerman")
    world.replicate()
    query = {
        "TableName": "music",
        "IndexName": "by-song",
        "KeyConditionExpression": "song = :s",
        "ExpressionAttributeValues": {":s": {"S": "sinnerman"}},
    }
    assert world[EU].call("Query", query)["Count"] == 1
    world.close()


def test_a_stream_that_exists_keeps_its_view_type() -> None:
    world = World()
    world.create(StreamSpecification={"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"})
    world.join(EU)
    assert world.describe(EU)["StreamSpecification"]["StreamViewType"] == "KEYS_ONLY"
    world.close()


def test_a_third_replica_can_be_added_in_any_region(world: World) -> None:
    world.put(US, "nina")
    world.put(EU, "miles")
    world.delete(EU, "miles")
    world.join(AP, source=EU)
    assert world.songs(AP) == {"nina": "nina"}
    assert [each["RegionName"] for each in world.describe(US)["Replicas"]] == [EU, AP]
    assert [each["RegionName"] for each in world.describe(AP)["Replicas"]] == [US, EU]


def test_a_replica_is_deleted_with_its_table(world: World) -> None:
    world.put(EU, "nina")
    world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    assert world.describe(US)["Replicas"][0]["ReplicaStatus"] == "DELETING"
    world.replicate()
    assert world.songs(US) == {"nina": "nina"}
    with pytest.raises(ResourceNotFound):
        world.describe(EU)
    shown = world.describe(US)
    assert not {"Replicas", "GlobalTableVersion", "GlobalTableSettingsReplicationMode"} & shown.keys()
    assert shown["StreamSpecification"]["StreamEnabled"]
    world.put(US, "miles")
    world[US].call("DeleteTable", {"TableName": "music"})


def test_a_deleted_replica_can_be_created_again(world: World) -> None:
    world.put(US, "nina", "1")
    world.replicate()
    world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    world.replicate()
    world.put(US, "nina", "2")
    world.join(EU)
    world.put(EU, "miles")
    world.replicate()
    assert world.songs(US) == world.songs(EU) == {"nina": "2", "miles": "miles"}


def test_deleting_the_table_of_one_region_removes_only_its_replica(world: World) -> None:
    world.join(AP)
    world.put(EU, "nina")
    reply = world[EU].call("DeleteTable", {"TableName": "music"})["TableDescription"]
    assert reply["TableStatus"] == "DELETING"
    assert world.describe(EU)["TableStatus"] == "DELETING"
    world.replicate()
    with pytest.raises(ResourceNotFound):
        world.describe(EU)
    assert world.songs(US) == world.songs(AP) == {"nina": "nina"}
    for region, other in ((US, AP), (AP, US)):
        assert [each["RegionName"] for each in world.describe(region)["Replicas"]] == [other]


def test_when_all_replicas_are_deleted_no_table_is_left(world: World) -> None:
    world.clock.advance(DAY + 1)
    for region in (US, EU):
        world[region].call("DeleteTable", {"TableName": "music"})
    world.replicate()
    for region in (US, EU):
        assert world[region].call("ListTables", {})["TableNames"] == []


def test_the_source_of_a_new_replica_cannot_be_deleted_for_a_day(world: World) -> None:
    message = (
        "Replica cannot be deleted because it has acted as a source region for new replica(s) being added to the "
        "table in the last 24 hours."
    )
    with pytest.raises(ValidationError) as caught:
        world[US].call("DeleteTable", {"TableName": "music"})
    assert caught.value.message == message
    with pytest.raises(ValidationError) as caught:
        world.update(EU, ReplicaUpdates=[{"Delete": {"RegionName": US}}])
    assert caught.value.message == message
    world.clock.advance(DAY)
    world.update(EU, ReplicaUpdates=[{"Delete": {"RegionName": US}}])


def lose(world: World, region: str) -> None:
    """Remove the table of a region without a trace, as when its file is lost."""
    table = world[region].state.catalog.table("music")
    world[region].sessions.write(lambda tx: remove_table(tx, table))


def test_a_source_that_lost_its_data_is_deleted_and_created_again(world: World) -> None:
    world.put(EU, "nina")
    lose(world, US)
    world.replicate()
    world.update(EU, ReplicaUpdates=[{"Delete": {"RegionName": US}}])
    world.replicate()
    assert "Replicas" not in world.describe(EU)
    world.join(US, source=EU)
    assert world.songs(US) == {"nina": "nina"}


def test_a_source_with_another_table_of_the_same_name_is_deleted_and_that_table_stays(world: World) -> None:
    lose(world, US)
    world.create(DeletionProtectionEnabled=True)
    world.put(US, "miles")
    world.update(EU, ReplicaUpdates=[{"Delete": {"RegionName": US}}])
    world.replicate()
    assert "Replicas" not in world.describe(EU)
    assert world.songs(US) == {"miles": "miles"}


def test_a_source_that_cannot_be_reached_is_not_deleted(world: World) -> None:
    class Down:
        def call(self, operation: str, request: dict[str, object]) -> dict[str, object]:
            raise Unreachable("no route")

    links_of(world[EU].state).peer = lambda region: Down()
    with pytest.raises(ValidationError, match="has acted as a source region"):
        world.update(EU, ReplicaUpdates=[{"Delete": {"RegionName": US}}])


def test_the_last_replica_is_deleted_when_all_other_regions_lost_theirs(world: World) -> None:
    lose(world, US)
    world[EU].call("DeleteTable", {"TableName": "music"})
    world.replicate()
    assert world[EU].call("ListTables", {})["TableNames"] == []


def test_the_source_of_a_replica_that_was_lost_can_be_deleted(world: World) -> None:
    lose(world, EU)
    world.replicate()
    world[US].call("DeleteTable", {"TableName": "music"})
    world.replicate()
    assert world[US].call("ListTables", {})["TableNames"] == []


def test_a_replica_leaves_through_a_region_that_still_has_the_table(world: World) -> None:
    world.join(AP)
    world.put(EU, "nina")
    lose(world, US)
    world[EU].call("DeleteTable", {"TableName": "music"})
    world.pull(EU, US)
    tidy(world[EU].sessions)
    assert world.describe(EU)["TableStatus"] == "DELETING"
    world.replicate()
    assert world[EU].call("ListTables", {})["TableNames"] == []
    assert world.songs(AP) == {"nina": "nina"}
    assert [each["RegionName"] for each in world.describe(AP)["Replicas"]] == [US]


def test_a_protected_replica_cannot_be_deleted(world: World) -> None:
    world.update(EU, DeletionProtectionEnabled=True)
    message = (
        "Cannot delete table music in region eu-west-1 because it has deletion protection enabled. Disable deletion "
        "protection first."
    )
    with pytest.raises(ValidationError) as caught:
        world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    assert caught.value.message == message
    with pytest.raises(ValidationError) as caught:
        world[EU].call("DeleteTable", {"TableName": "music"})
    assert caught.value.message == message


def test_nothing_else_changes_while_a_replica_is_created_or_deleted(world: World) -> None:
    world.update(US, ReplicaUpdates=[{"Delete": {"RegionName": EU}}])
    with pytest.raises(ResourceInUse, match=r"^The resource which you are attempting to change is in use\.$"):
        world.update(US, DeletionProtectionEnabled=True)
    with pytest.raises(ResourceInUse):
        world.update(US, ReplicaUpdates=[{"Create": {"RegionName": AP}}])


def test_a_replica_of_another_table_of_the_same_name_is_not_created(world: World) -> None:
    world[AP].call("CreateTable", request_of("music", "artist | artist:S"))
    with pytest.raises(ValidationError) as caught:
        world.update(US, ReplicaUpdates=[{"Create": {"RegionName": AP}}])
    assert caught.value.message == (
        "Failed to create a the new replica of table with name: \u2018music\u2019 because one or more replicas "
        "already existed as tables."
    )


def test_a_table_that_appears_during_the_creation_ends_it(world: World) -> None:
    world.update(US, ReplicaUpdates=[{"Create": {"RegionName": AP}}])
    world[AP].call("CreateTable", request_of("music", "artist | artist:S"))
    world.replicate()
    assert [each["RegionName"] for each in world.describe(US)["Replicas"]] == [EU]
    assert "Replicas" not in world.describe(AP)


def test_a_database_without_regions_names_the_fix() -> None:
    database = Database(open_store())
    database.call("CreateTable", request_of("music", "artist | artist:S"))
    request = {"TableName": "music", "ReplicaUpdates": [{"Create": {"RegionName": EU}}]}
    with pytest.raises(ValidationError, match="start it with `tablewright serve`, or open it with `embedded"):
        database.call("UpdateTable", request)
    regions = Regions(database)
    database.clock.freeze()
    database.call("UpdateTable", request)
    regions.replicate()
    assert regions.database(EU, may_write=False).call("ListTables", {})["TableNames"] == ["music"]
    regions.close()
    database.close()


def test_a_replica_has_the_vector_indexes_of_its_table() -> None:
    world = World()
    index = {
        "IndexName": "by-vector",
        "VectorAttribute": {"AttributeName": "v"},
        "Dimensions": 2,
        "DistanceFunction": "COSINE",
        "Projection": {"ProjectionType": "ALL"},
    }
    create = {**request_of("music", "artist | artist:S"), "VectorIndexes": [index]}
    world[US].call("CreateTable", create)
    item = {"artist": {"S": "nina"}, "v": {"L": [{"N": "1"}, {"N": "0"}]}}
    world[US].call("PutItem", {"TableName": "music", "Item": item})
    world.join(EU)
    world[US].call("PutItem", {"TableName": "music", "Item": {**item, "artist": {"S": "ella"}}})
    world.replicate()
    (shown,) = world.describe(EU)["VectorIndexes"]
    assert shown["IndexArn"] == "arn:aws:dynamodb:eu-west-1:123456789012:table/music/index/by-vector"
    search = {
        "TableName": "music",
        "IndexName": "by-vector",
        "SearchVector": [{"N": "1"}, {"N": "0"}],
        "TopK": 5,
    }
    found = world[EU].call("SearchVectors", search)["SearchResults"]
    assert {result["Item"]["artist"]["S"] for result in found} == {"nina", "ella"}
    for change in ({"Delete": {"IndexName": "by-vector"}}, {"Create": {**index, "IndexName": "another"}}):
        with pytest.raises(
            ValidationError, match=r"^VectorIndexUpdates of a table with replicas is not impl"
        ):
            world.update(US, VectorIndexUpdates=[change])
    world.close()
