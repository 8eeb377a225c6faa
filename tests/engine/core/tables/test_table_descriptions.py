"""Table descriptions: the reply of CreateTable, and the description after it."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tests.engine.table_cases import request_of

ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"


NOON = 1_700_000_000.123


@pytest.fixture
def db() -> Iterator[Database]:
    database = Database(open_store(), Clock(start=NOON))
    yield database
    database.close()


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


def test_the_reply_of_create_table_has_a_warm_throughput_only_if_it_was_requested(db: Database) -> None:
    """As recorded from AWS in LocalStack's snapshots of October 2025."""
    requested = {"ReadUnitsPerSecond": 13000, "WriteUnitsPerSecond": 5000}
    request: dict[str, Any] = {
        "TableName": "warm",
        "BillingMode": "PAY_PER_REQUEST",
        "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
        "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    }
    index = {"KeySchema": request["KeySchema"], "Projection": {"ProjectionType": "ALL"}}
    request["GlobalSecondaryIndexes"] = [
        {"IndexName": "cold", **index},
        {"IndexName": "warm", **index, "WarmThroughput": requested},
    ]
    request["WarmThroughput"] = requested
    shown = db.call("CreateTable", request)["TableDescription"]
    warming = {**requested, "Status": "UPDATING"}
    assert shown["WarmThroughput"] == warming
    indexes = {entry["IndexName"]: entry.get("WarmThroughput") for entry in shown["GlobalSecondaryIndexes"]}
    assert indexes == {"cold": None, "warm": warming}
    described = db.call("DescribeTable", {"TableName": "warm"})["Table"]
    assert described["WarmThroughput"] == {**requested, "Status": "ACTIVE"}
    assert all("WarmThroughput" in entry for entry in described["GlobalSecondaryIndexes"])


def test_the_next_description_shows_the_table_as_active(db: Database) -> None:
    db.call("CreateTable", request_of("music", "artist | artist:S + gsi same artist"))
    shown = db.call("DescribeTable", {"TableName": "music"})["Table"]
    warm = {"ReadUnitsPerSecond": 12000, "WriteUnitsPerSecond": 4000, "Status": "ACTIVE"}
    assert (shown["TableStatus"], shown["GlobalSecondaryIndexes"][0]["IndexStatus"]) == ("ACTIVE", "ACTIVE")
    assert (shown["WarmThroughput"], shown["GlobalSecondaryIndexes"][0]["WarmThroughput"]) == (warm, warm)
    assert shown["BillingModeSummary"]["LastUpdateToPayPerRequestDateTime"] == shown["CreationDateTime"]
