"""Contributors: the keys that reads, writes, queries and throttled requests name."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.features.faults.injector import Faults
from tablewright.engine.storage import open_store
from tablewright.errors import ProvisionedThroughputExceeded, ValidationError
from tests.engine.table_cases import request_of

MUSIC = "artist song | song:S artist:S + gsi by-song song"


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store())
    database.call("CreateTable", request_of("music", MUSIC))
    yield database
    database.close()


def enable(db: Database, **members: str) -> None:
    request = {"TableName": "music", "ContributorInsightsAction": "ENABLE", **members}
    db.call("UpdateContributorInsights", request)


def key(artist: str, song: str) -> dict[str, Any]:
    return {"artist": {"S": artist}, "song": {"S": song}}


def counts(db: Database, what: str, index: str | None = None) -> list[tuple[list[str], int]]:
    found = db.ask("contributors", "music", index)[what]
    return [([value["S"] for value in each["key"].values()], each["count"]) for each in found]


def test_reads_and_writes_are_counted_by_partition_and_key(db: Database) -> None:
    enable(db)
    for artist, song in (("nina", "a"), ("nina", "b"), ("ella", "c")):
        db.call("PutItem", {"TableName": "music", "Item": key(artist, song)})
    db.call("GetItem", {"TableName": "music", "Key": key("nina", "a")})
    values = {":a": {"S": "nina"}}
    db.call(
        "Query",
        {"TableName": "music", "KeyConditionExpression": "artist = :a", "ExpressionAttributeValues": values},
    )
    assert counts(db, "accessed_partitions") == [(["nina"], 5), (["ella"], 1)]
    assert counts(db, "accessed_keys") == [(["nina", "a"], 3), (["nina", "b"], 2), (["ella", "c"], 1)]


def test_an_index_is_counted_apart_from_its_table(db: Database) -> None:
    enable(db, IndexName="by-song")
    db.call("PutItem", {"TableName": "music", "Item": key("nina", "a")})
    db.call("Scan", {"TableName": "music"})
    db.call("Scan", {"TableName": "music", "IndexName": "by-song"})
    assert counts(db, "accessed_partitions", "by-song") == [(["a"], 1)]
    with pytest.raises(ValidationError, match="contributor insights of music are not enabled"):
        db.ask("contributors", "music")


def test_keys_without_items_are_left_out(db: Database) -> None:
    enable(db)
    db.call("PutItem", {"TableName": "music", "Item": key("nina", "a")})
    db.call("DeleteItem", {"TableName": "music", "Key": key("nina", "a")})
    db.call("GetItem", {"TableName": "music", "Key": key("missing", "x")})
    assert counts(db, "accessed_keys") == []


def test_accesses_are_not_counted_in_the_mode_of_throttled_keys(db: Database) -> None:
    enable(db, ContributorInsightsMode="THROTTLED_KEYS")
    db.call("PutItem", {"TableName": "music", "Item": key("nina", "a")})
    assert counts(db, "accessed_keys") == []


def test_throttled_partitions_are_counted() -> None:
    faults = Faults(partitions=True)
    db = Database(open_store(), Clock(start=1_700_000_000.0), faults=faults)
    db.call("CreateTable", request_of("music", MUSIC))
    enable(db)
    large = {**key("nina", "a"), "lyrics": {"S": "x" * 300_000}}
    throttled = 0
    for _ in range(20):
        try:
            db.call("PutItem", {"TableName": "music", "Item": large})
        except ProvisionedThroughputExceeded:
            throttled += 1
    assert throttled
    assert counts(db, "throttled_partitions") == [(["nina"], throttled)]
    db.close()


def test_nothing_is_counted_without_insights(db: Database) -> None:
    assert db.state.accesses is None
    enable(db)
    assert db.state.accesses is not None
    db.call("UpdateContributorInsights", {"TableName": "music", "ContributorInsightsAction": "DISABLE"})
    assert db.state.accesses is None
