"""Backfill: a new index contains the items that fit its key."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import index_of, request_of


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=1_700_000_000))
    yield database
    database.close()


def create(db: Database, notation: str, **members: Any) -> None:
    db.call("CreateTable", {**request_of("music", notation), **members})


def update(db: Database, **members: Any) -> dict[str, Any]:
    db.clock.advance(1)
    return db.call("UpdateTable", {"TableName": "music", **members})["TableDescription"]  # type: ignore[no-any-return]


def describe(db: Database) -> dict[str, Any]:
    return db.call("DescribeTable", {"TableName": "music"})["Table"]  # type: ignore[no-any-return]


def add_index(db: Database, name: str, *words: str, **types: str) -> dict[str, Any]:
    return update(
        db,
        AttributeDefinitions=[{"AttributeName": n, "AttributeType": t} for n, t in types.items()],
        GlobalSecondaryIndexUpdates=[{"Create": index_of(name, *words)}],
    )


def scanned(db: Database, index: str) -> list[str]:
    return sorted(
        item["artist"]["S"] for item in db.call("Scan", {"TableName": "music", "IndexName": index})["Items"]
    )


def test_a_new_index_contains_the_items_that_fit_its_key(db: Database) -> None:
    create(db, "artist | artist:S")
    fitting = {"text": {"S": "x"}, "longest": {"S": "x" * 2048}, "spread": {"S": "é" * 1024}}
    unfit = {
        "number": {"N": "1"},
        "empty": {"S": ""},
        "long": {"S": "x" * 2049},
        "wide": {"S": "é" * 1025},
        "nothing": {"NULL": True},
    }
    for artist, year in {**fitting, **unfit}.items():
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, "year": year}})
    db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "none"}}})
    shown = add_index(db, "by-year", "year", year="S")
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"], index["Backfilling"], index["ItemCount"]) == (
        "UPDATING",
        "CREATING",
        False,
        0,
    )
    settled = describe(db)
    (index,) = settled["GlobalSecondaryIndexes"]
    assert (settled["TableStatus"], index["IndexStatus"], index["ItemCount"]) == ("ACTIVE", "ACTIVE", 3)
    assert "Backfilling" not in index
    assert scanned(db, "by-year") == sorted(fitting)
    for artist in unfit:
        db.call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": artist}}})
    assert describe(db)["GlobalSecondaryIndexes"][0]["ItemCount"] == 3


def test_range_keys_of_a_new_index_are_measured_together(db: Database) -> None:
    create(db, "artist | artist:S")
    for artist, length in {"below": 1023, "at": 1024, "above": 1025}.items():
        values = {"a": {"S": "x" * (length - 500)}, "b": {"B": b"y" * 500}}
        db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": artist}, **values}})
    add_index(db, "by-a-b", "artist", "a", "b", artist="S", a="S", b="B")
    assert scanned(db, "by-a-b") == ["at", "below"]
