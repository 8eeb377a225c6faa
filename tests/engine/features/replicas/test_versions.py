"""Versions of items: one row in the feed for each item, in the order of writes, and expiry in one region."""

import json

from tablewright.engine.core.changes import ItemVersion
from tablewright.engine.features.replicas.replica_groups import version_space
from tablewright.engine.features.replicas.versions import entry_of, feed, last_number
from tests.engine.features.replicas.replicated_table import EU, START, US, World, world

__all__ = ["world"]

DAY = 24 * 3600
TIME = int(START * 1_000_000)


def rows(world: World, region: str) -> list[tuple[int, ItemVersion, bool]]:
    database = world[region]
    table = database.state.catalog.table("music")
    found = database.sessions.read(lambda tx: feed(tx, table, 0, 100))
    return [(row.number, row.version, row.item is not None) for row in found]


def test_an_item_is_in_the_feed_once_with_its_last_write(world: World) -> None:
    world.put(US, "nina", "1")
    world.put(US, "miles")
    world.put(US, "nina", "2")
    assert rows(world, US) == [(2, ItemVersion(TIME, US), True), (3, ItemVersion(TIME + 1, US), True)]
    world.delete(US, "nina")
    assert rows(world, US) == [(2, ItemVersion(TIME, US), True), (4, ItemVersion(TIME + 2, US), False)]


def test_numbers_are_not_used_again(world: World) -> None:
    world.put(US, "nina", "1")
    space = version_space(world[US].state.catalog.table("music"))
    world.pull(EU, US)
    world.clock.advance(1)
    world.put(EU, "nina", "2")
    world.replicate()
    assert world[US].sessions.read(lambda tx: last_number(tx.rows, space)) == 2
    assert rows(world, US) == [(2, ItemVersion(TIME + 1_000_000, EU), True)]


def test_an_undone_write_has_no_version(world: World) -> None:
    table = world[US].state.catalog.table("music")
    space = version_space(table)
    put = {"Put": {"TableName": "music", "Item": {"artist": {"S": "nina"}}}}
    check = {
        "ConditionCheck": {
            "TableName": "music",
            "Key": {"artist": {"S": "x"}},
            "ConditionExpression": "attribute_exists(artist)",
        }
    }
    status, _ = world[US].call_json(
        "TransactWriteItems", json.dumps({"TransactItems": [put, check]}).encode()
    )
    assert status == 400
    key = table.keys.of_key({"artist": {"S": "nina"}})
    assert world[US].sessions.read(lambda tx: entry_of(tx.rows, space, key)) is None


def expire(world: World) -> None:
    specification = {"AttributeName": "until", "Enabled": True}
    world[US].call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": specification})
    world.put(US, "nina", until={"N": str(int(START) + 10)})
    world.replicate()
    world.clock.advance(60)


def test_the_region_that_wrote_an_item_deletes_it_when_it_expires(world: World) -> None:
    expire(world)
    assert world[EU].sweep() == 0
    assert world[US].sweep() == 1
    world.replicate()
    assert world.songs(EU) == {}
    identities = [record.get("userIdentity") for record in world.records(US)]
    assert identities == [None, {"PrincipalId": "dynamodb.amazonaws.com", "Type": "Service"}]
    assert [record["eventName"] for record in world.records(EU)] == ["INSERT", "REMOVE"]
    assert [record.get("userIdentity") for record in world.records(EU)] == [None, None]


def test_an_expired_item_of_an_absent_region_is_deleted_a_day_later(world: World) -> None:
    expire(world)
    assert world[EU].sweep() == 0
    world.clock.advance(DAY)
    assert world[EU].sweep() == 1


def test_an_item_from_before_the_replicas_expires_once() -> None:
    world = World()
    world.create()
    world.put(US, "nina", until={"N": str(int(START) + 10)})
    specification = {"AttributeName": "until", "Enabled": True}
    world[US].call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": specification})
    world.join(EU)
    world.clock.advance(60)
    assert (world[EU].sweep(), world[US].sweep()) == (0, 1)
    world.replicate()
    assert world.songs(EU) == {}
    world.close()
