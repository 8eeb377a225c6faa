"""CreateTable: rules, limits, and what the new table looks like."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.state.clock import Clock
from tablewright.errors import ValidationError
from tablewright.storage import open_store
from tests.engine.table_cases import answer_to, index_of, play, request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"
NOON = 1_700_000_000.123


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=NOON))
    yield database
    database.close()


def test_golden_cases(db: Database, update_golden: bool) -> None:
    play("create_table.txt", db, update=update_golden)


def test_a_new_table_is_described_in_full(db: Database) -> None:
    request = request_of(
        "music",
        "artist song | song:S artist:S year:N + lsi by-year artist year INCLUDE=mood,bpm + gsi by-song song KEYS_ONLY",
    )
    reply = db.call(
        "CreateTable",
        {**request, "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"}},
    )
    shown = reply["TableDescription"]
    assert re.fullmatch(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", shown.pop("TableId"))
    assert shown == {
        "AttributeDefinitions": [
            {"AttributeName": "artist", "AttributeType": "S"},
            {"AttributeName": "song", "AttributeType": "S"},
            {"AttributeName": "year", "AttributeType": "N"},
        ],
        "TableName": "music",
        "KeySchema": [
            {"AttributeName": "artist", "KeyType": "HASH"},
            {"AttributeName": "song", "KeyType": "RANGE"},
        ],
        "TableStatus": "CREATING",
        "CreationDateTime": NOON,
        "ProvisionedThroughput": {
            "NumberOfDecreasesToday": 0,
            "ReadCapacityUnits": 0,
            "WriteCapacityUnits": 0,
        },
        "BillingModeSummary": {"BillingMode": "PAY_PER_REQUEST"},
        "DeletionProtectionEnabled": False,
        "TableArn": ARN,
        "TableSizeBytes": 0,
        "ItemCount": 0,
        "LocalSecondaryIndexes": [
            {
                "IndexName": "by-year",
                "IndexArn": f"{ARN}/index/by-year",
                "KeySchema": [
                    {"AttributeName": "artist", "KeyType": "HASH"},
                    {"AttributeName": "year", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["bpm", "mood"]},
                "IndexSizeBytes": 0,
                "ItemCount": 0,
            }
        ],
        "GlobalSecondaryIndexes": [
            {
                "IndexName": "by-song",
                "IndexArn": f"{ARN}/index/by-song",
                "IndexStatus": "CREATING",
                "KeySchema": [{"AttributeName": "song", "KeyType": "HASH"}],
                "Projection": {"ProjectionType": "KEYS_ONLY"},
                "ProvisionedThroughput": {
                    "NumberOfDecreasesToday": 0,
                    "ReadCapacityUnits": 0,
                    "WriteCapacityUnits": 0,
                },
                "IndexSizeBytes": 0,
                "ItemCount": 0,
            }
        ],
        "StreamSpecification": {"StreamEnabled": True, "StreamViewType": "KEYS_ONLY"},
        "LatestStreamLabel": "2023-11-14T22:13:20.123",
        "LatestStreamArn": f"{ARN}/stream/2023-11-14T22:13:20.123",
    }


def test_the_next_look_shows_it_settled(db: Database) -> None:
    db.call("CreateTable", request_of("music", "artist | artist:S + gsi same artist"))
    shown = db.call("DescribeTable", {"TableName": "music"})["Table"]
    warm = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert (shown["TableStatus"], shown["GlobalSecondaryIndexes"][0]["IndexStatus"]) == ("ACTIVE", "ACTIVE")
    assert (shown["WarmThroughput"], shown["GlobalSecondaryIndexes"][0]["WarmThroughput"]) == (warm, warm)
    assert shown["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == shown["CreationDateTime"]


def test_settings_are_described(db: Database) -> None:
    request = request_of("music", "artist | artist:S")
    db.call(
        "CreateTable",
        {
            **request,
            "SSESpecification": {"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": "1234"},
            "TableClass": "STANDARD_INFREQUENT_ACCESS",
            "DeletionProtectionEnabled": True,
            "OnDemandThroughput": {"MaxReadRequestUnits": 7},
            "WarmThroughput": {"ReadUnitsPerSecond": 13_000},
            "ResourcePolicy": "{}",
        },
    )
    shown = db.call("DescribeTable", {"TableName": ARN})["Table"]
    assert shown["SSEDescription"] == {
        "Status": "ENABLED",
        "SSEType": "KMS",
        "KMSMasterKeyArn": "arn:aws:kms:us-east-1:123456789012:key/1234",
    }
    assert shown["TableClassSummary"] == {"TableClass": "STANDARD_INFREQUENT_ACCESS"}
    assert shown["DeletionProtectionEnabled"]
    assert shown["OnDemandThroughput"] == {"MaxReadRequestUnits": 7}
    assert shown["WarmThroughput"] == {
        "ReadUnitsPerSecond": 13_000,
        "WriteUnitsPerSecond": 4_000,
        "Status": "ACTIVE",
    }


def global_indexes(count: int, **projection: Any) -> dict[str, Any]:
    indexes = [index_of(f"index-{number}", "artist") for number in range(count)]
    for index in indexes:
        index["Projection"] = projection or {"ProjectionType": "ALL"}
    return {"GlobalSecondaryIndexes": indexes}


@pytest.mark.parametrize(
    ("members", "words"),
    [
        (global_indexes(19), "ok"),
        (global_indexes(20), "ok"),
        (global_indexes(21), "GlobalSecondaryIndex count exceeds the per-table limit of 20"),
    ],
    ids=["19", "20", "21"],
)
def test_twenty_global_indexes(db: Database, members: dict[str, Any], words: str) -> None:
    assert answer_to(db, "CreateTable", {**request_of("music", "artist | artist:S"), **members}).endswith(
        words
    )


@pytest.mark.parametrize(
    ("count", "words"),
    [(4, "ok"), (5, "ok"), (6, "Number of LocalSecondaryIndexes exceeds per-table limit of 5")],
)
def test_five_local_indexes(db: Database, count: int, words: str) -> None:
    indexes = " ".join(f"+ lsi index-{number} artist song" for number in range(count))
    request = request_of("music", f"artist song | artist:S song:S {indexes}")
    assert answer_to(db, "CreateTable", request).endswith(words)


@pytest.mark.parametrize(
    ("last", "words"),
    [(19, "ok"), (20, "ok"), (21, "Member must have length less than or equal to 20")],
)
def test_twenty_projected_attributes_an_index(db: Database, last: int, words: str) -> None:
    names = [f"a{number}" for number in range(last)]
    members = global_indexes(1, ProjectionType="INCLUDE", NonKeyAttributes=names)
    assert answer_to(db, "CreateTable", {**request_of("music", "artist | artist:S"), **members}).endswith(
        words
    )


@pytest.mark.parametrize(("count", "accepted"), [(99, True), (100, True), (101, False)])
def test_a_hundred_projected_attributes_a_table(db: Database, count: int, accepted: bool) -> None:
    names = [f"a{number}" for number in range(count)]
    chunks = [names[start : start + 20] for start in range(0, count, 20)]
    indexes = [index_of(f"index-{chunk[0]}", "artist", f"INCLUDE={','.join(chunk)}") for chunk in chunks]
    request = {**request_of("music", "artist | artist:S"), "GlobalSecondaryIndexes": indexes}
    assert (answer_to(db, "CreateTable", request) == "ok") is accepted


@pytest.mark.parametrize(("length", "accepted"), [(254, True), (255, True), (256, False)])
def test_names_have_up_to_255_characters(db: Database, length: int, accepted: bool) -> None:
    name = "n" * length
    for request in (
        {**request_of("music", "artist | artist:S"), "TableName": name},
        request_of("attribute", f"{name} | {name}:S"),
        request_of("index", f"artist | artist:S + gsi {name} artist"),
        request_of("projected", f"artist | artist:S + gsi index artist INCLUDE={name}"),
    ):
        answer = answer_to(db, "CreateTable", request)
        assert (answer == "ok") is accepted, answer
        assert accepted or "length less than or equal to 255" in answer


def test_a_refused_table_leaves_nothing(db: Database) -> None:
    with pytest.raises(ValidationError):
        db.call(
            "CreateTable", request_of("music", "artist | artist:S") | {"Tags": [{"Key": "", "Value": ""}]}
        )
    assert db.call("ListTables", {})["TableNames"] == []
