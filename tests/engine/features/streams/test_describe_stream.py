"""DescribeStream: a stream and its shards, page by page."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.engine.streaming import (
    START,
    close_stream,
    create_table,
    item,
    open_memory,
    put,
    read_all,
    shard_id,
)


@pytest.fixture
def db() -> Iterator[Database]:
    database = open_memory()
    yield database
    database.close()


@pytest.fixture
def arn(db: Database) -> str:
    return create_table(db, "NEW_IMAGE")


def describe(db: Database, arn: str, **request: Any) -> dict[str, Any]:
    described: dict[str, Any] = db.call("DescribeStream", {"StreamArn": arn, **request})["StreamDescription"]
    return described


def test_an_open_stream(db: Database, arn: str) -> None:
    described = describe(db, arn)
    (shard,) = described.pop("Shards")
    assert described == {
        "StreamArn": arn,
        "StreamLabel": "2023-11-14T22:13:20.000",
        "StreamStatus": "ENABLED",
        "StreamViewType": "NEW_IMAGE",
        "CreationRequestDateTime": START,
        "TableName": "events",
        "KeySchema": [
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
    }
    assert re.fullmatch(r"shardId-\d{20}-[0-9a-f]{8}", shard["ShardId"])
    assert list(shard["SequenceNumberRange"]) == ["StartingSequenceNumber"]
    assert re.fullmatch(r"\d{21,40}", shard["SequenceNumberRange"]["StartingSequenceNumber"])


def test_a_closed_stream_has_an_end(db: Database, arn: str) -> None:
    put(db, item("a"))
    close_stream(db)
    described = describe(db, arn)
    numbers = {name: int(text) for name, text in described["Shards"][0]["SequenceNumberRange"].items()}
    written = int(read_all(db, arn)[0]["dynamodb"]["SequenceNumber"])
    assert described["StreamStatus"] == "DISABLED"
    assert numbers["StartingSequenceNumber"] < written <= numbers["EndingSequenceNumber"]


def test_the_shard_keeps_its_name_as_time_passes(db: Database, arn: str) -> None:
    before = describe(db, arn)["Shards"][0]
    db.clock.advance(30 * 3600)
    after = describe(db, arn)["Shards"][0]
    assert before["ShardId"] == after["ShardId"]
    assert (
        before["SequenceNumberRange"]["StartingSequenceNumber"]
        < after["SequenceNumberRange"]["StartingSequenceNumber"]
    )


def test_nothing_follows_the_last_shard(db: Database, arn: str) -> None:
    described = describe(db, arn, ExclusiveStartShardId=shard_id(db, arn), Limit=1)
    assert described["Shards"] == []
    assert "LastEvaluatedShardId" not in described


def test_the_start_shard_need_not_exist(db: Database, arn: str) -> None:
    assert len(describe(db, arn, ExclusiveStartShardId="a" * 40)["Shards"]) == 1
    assert describe(db, arn, ExclusiveStartShardId="z" * 40)["Shards"] == []


def test_the_shard_has_no_children(db: Database, arn: str) -> None:
    expected = {"Type": "CHILD_SHARDS", "ShardId": shard_id(db, arn)}
    assert describe(db, arn, ShardFilter=expected)["Shards"] == []


@pytest.mark.parametrize("label", ["2015-05-11T21:21:33.291", "nonsense"])
def test_an_unknown_label_is_not_found(db: Database, arn: str, label: str) -> None:
    missing = f"{arn.rpartition('/')[0]}/{label}"
    with pytest.raises(ServiceError) as error:
        describe(db, missing)
    assert error.value.code == "ResourceNotFoundException"
    assert error.value.message == f"Requested resource not found: Stream: {missing} not found"


def test_an_unknown_stream_is_not_found(db: Database, arn: str) -> None:
    missing = arn.replace("events", "missing")
    with pytest.raises(ServiceError) as error:
        describe(db, missing)
    assert error.value.code == "ResourceNotFoundException"
    assert error.value.message == f"Requested resource not found: Stream: {missing} not found"


VALUE = "1 validation error detected: Value {} at '{}' failed to satisfy constraint: Member must "
SHARD = "shardId-00000001700000000000-00000000"

INVALID: list[tuple[dict[str, Any], str]] = [
    ({"StreamArn": None}, VALUE.format("null", "streamArn") + "not be null"),
    ({"StreamArn": "x" * 40}, "Invalid StreamArn"),
    ({"Limit": 0}, VALUE.format("'0'", "limit") + "have value greater than or equal to 1"),
    ({"Limit": 101}, VALUE.format("'101'", "limit") + "have value less than or equal to 100"),
    (
        {"ExclusiveStartShardId": "x"},
        VALUE.format("'x'", "exclusiveStartShardId") + "have length greater than or equal to 28",
    ),
    (
        {"ShardFilter": {"Type": "CHILD_SHARDS", "ShardId": "qwerty"}},
        VALUE.format("'qwerty'", "shardFilter.shardId") + "have length greater than or equal to 28",
    ),
    (
        {"ShardFilter": {"Type": "foo", "ShardId": SHARD}},
        VALUE.format("'foo'", "shardFilter.type") + "satisfy enum value set: [CHILD_SHARDS]",
    ),
    ({"ShardFilter": {"ShardId": SHARD}}, VALUE.format("null", "shardFilter.type") + "not be null"),
    (
        {"ShardFilter": {"Type": "CHILD_SHARDS"}},
        VALUE.format("null", "shardFilter.shardId") + "not be null",
    ),
]


@pytest.mark.parametrize(("request_", "message"), INVALID)
def test_invalid_values(db: Database, arn: str, request_: dict[str, Any], message: str) -> None:
    with pytest.raises(ServiceError) as error:
        db.call("DescribeStream", {"StreamArn": arn, **request_})
    assert (error.value.code, error.value.message) == ("ValidationException", message)
