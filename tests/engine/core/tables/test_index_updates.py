"""Index updates: global indexes that UpdateTable creates, changes and deletes."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import LimitExceeded
from tests.engine.table_cases import index_of, outcome_of, request_of


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


def units(read: int, write: int) -> dict[str, int]:
    return {"ReadCapacityUnits": read, "WriteCapacityUnits": write}


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


def test_a_new_index_follows_the_table_and_types_its_attributes(db: Database) -> None:
    create(db, "artist | artist:S")
    add_index(db, "by-year", "year", year="N")
    assert describe(db)["AttributeDefinitions"] == [
        {"AttributeName": "artist", "AttributeType": "S"},
        {"AttributeName": "year", "AttributeType": "N"},
    ]
    db.call("PutItem", {"TableName": "music", "Item": {"artist": {"S": "a"}, "year": {"N": "1"}}})
    assert scanned(db, "by-year") == ["a"]
    wrong = {"TableName": "music", "Item": {"artist": {"S": "b"}, "year": {"S": "1"}}}
    assert "Type mismatch for Index Key year" in outcome_of(db, "PutItem", wrong)
    shown = update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-year"}}])
    (index,) = shown["GlobalSecondaryIndexes"]
    assert (shown["TableStatus"], index["IndexStatus"]) == ("UPDATING", "DELETING")
    settled = describe(db)
    assert "GlobalSecondaryIndexes" not in settled
    assert settled["AttributeDefinitions"] == [{"AttributeName": "artist", "AttributeType": "S"}]
    assert outcome_of(db, "PutItem", wrong) == "ok"
    assert "does not have the specified index" in outcome_of(
        db, "Scan", {"TableName": "music", "IndexName": "by-year"}
    )


def test_an_attribute_that_another_index_needs_stays_defined(db: Database) -> None:
    create(db, "artist | artist:S year:N + gsi one year + gsi two year")
    update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "one"}}])
    assert [entry["AttributeName"] for entry in describe(db)["AttributeDefinitions"]] == ["artist", "year"]
    assert [index["IndexName"] for index in describe(db)["GlobalSecondaryIndexes"]] == ["two"]


def test_a_deleted_index_can_be_created_again(db: Database) -> None:
    create(db, "artist | artist:S")
    db.call(
        "PutItem",
        {"TableName": "music", "Item": {"artist": {"S": "a"}, "year": {"N": "1"}, "mood": {"S": "m"}}},
    )
    for key, kind in (("year", "N"), ("mood", "S")):
        add_index(db, "by-some", key, **{key: kind})
        assert scanned(db, "by-some") == ["a"]
        update(db, GlobalSecondaryIndexUpdates=[{"Delete": {"IndexName": "by-some"}}])


def test_a_table_has_at_most_twenty_global_indexes(db: Database) -> None:
    indexes = " ".join(f"+ gsi index-{number} artist" for number in range(19))
    create(db, f"artist | artist:S {indexes}")
    add_index(db, "index-20", "artist", artist="S")
    with pytest.raises(
        LimitExceeded, match="Number of global secondary indexes exceeds per-table limit of 20"
    ):
        add_index(db, "index-21", "artist", artist="S")


def test_one_update_can_change_an_index_and_create_another(db: Database) -> None:
    index = {**index_of("same", "artist"), "ProvisionedThroughput": units(3, 3)}
    create(
        db,
        "artist | artist:S",
        BillingMode="PROVISIONED",
        ProvisionedThroughput=units(5, 5),
        GlobalSecondaryIndexes=[index],
    )
    shown = update(
        db,
        AttributeDefinitions=[{"AttributeName": "artist", "AttributeType": "S"}],
        GlobalSecondaryIndexUpdates=[
            {"Create": {**index, "IndexName": "other"}},
            {"Update": {"IndexName": "same", "ProvisionedThroughput": units(4, 3)}},
        ],
    )
    assert [each["IndexStatus"] for each in shown["GlobalSecondaryIndexes"]] == ["UPDATING", "CREATING"]
    assert shown["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 3
    assert describe(db)["GlobalSecondaryIndexes"][0]["ProvisionedThroughput"]["ReadCapacityUnits"] == 4
