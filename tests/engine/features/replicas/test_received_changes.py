"""Received changes: a page that is applied twice changes nothing the second time."""

from typing import Any

from tablewright.dynamodb.values.stored_items import decode, to_json
from tablewright.engine.features.replicas.received_changes import is_news, place_of, receive
from tablewright.engine.features.replicas.versions import read_page
from tests.engine.features.replicas.replicated_table import EU, US, World, world

__all__ = ["world"]


def test_a_page_that_is_applied_again_changes_nothing(world: World) -> None:
    world.put(US, "nina")
    world.put(US, "miles")
    world.delete(US, "miles")
    eu, table = world[EU], world[EU].state.catalog.table("music")
    place = eu.sessions.read(lambda tx: place_of(tx, table, US))
    page = decode(to_json(world[US].sessions.read(lambda tx: read_page(tx, place))))
    assert is_news(table, place, US, page)
    assert eu.sessions.write(lambda tx: receive(tx, "music", place, US, page)) == 2
    assert eu.sessions.write(lambda tx: receive(tx, "music", place, US, page)) == 0
    assert [record["eventName"] for record in world.records(EU)] == ["INSERT"]
    after = eu.sessions.read(lambda tx: place_of(tx, table, US))
    assert after.number == page["Number"]


def test_a_page_for_a_table_that_was_deleted_is_ignored(world: World) -> None:
    world.put(US, "nina")
    eu, table = world[EU], world[EU].state.catalog.table("music")
    place = eu.sessions.read(lambda tx: place_of(tx, table, US))
    page = decode(to_json(world[US].sessions.read(lambda tx: read_page(tx, place))))
    assert eu.sessions.write(lambda tx: receive(tx, "gone", place, US, page)) == 0


def test_binary_numbers_and_nested_values_arrive_unchanged(world: World) -> None:
    values: dict[str, Any] = {
        "b": {"B": b"\x00\xff"},
        "n": {"N": "1.5E+100"},
        "m": {"M": {"l": {"L": [{"NULL": True}, {"BS": [b"a", b"b"]}]}}},
    }
    world.put(US, "nina", **values)
    world.replicate()
    key = {"TableName": "music", "Key": {"artist": {"S": "nina"}}}
    assert world[EU].call("GetItem", key) == world[US].call("GetItem", key)
