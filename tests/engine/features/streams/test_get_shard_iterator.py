"""GetShardIterator: valid and invalid start positions."""

from collections.abc import Iterator
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.errors import ServiceError, TrimmedDataAccess
from tests.engine.streaming import (
    DAY,
    HOUR,
    START,
    create_table,
    item,
    iterator,
    open_memory,
    put,
    read_all,
    shard_id,
)


@pytest.fixture
def db() -> Iterator[Database]:
    """Three records, a second apart."""
    database = open_memory()
    create_table(database)
    for number in range(3):
        put(database, item("a", number))
        database.clock.advance(1)
    yield database
    database.close()


@pytest.fixture
def arn(db: Database) -> str:
    return str(db.state.catalog.table("events").description["LatestStreamArn"])


def numbers(db: Database, arn: str) -> list[str]:
    return [record["dynamodb"]["SequenceNumber"] for record in read_all(db, arn)]


def read_from(db: Database, start: str) -> list[int]:
    """The sort keys of the records that an iterator leads to."""
    records = db.call("GetRecords", {"ShardIterator": start})["Records"]
    return [int(record["dynamodb"]["Keys"]["sk"]["N"]) for record in records]


def test_trim_horizon_is_the_oldest_record(db: Database, arn: str) -> None:
    assert read_from(db, iterator(db, arn, "TRIM_HORIZON")) == [0, 1, 2]


def test_latest_is_after_the_newest(db: Database, arn: str) -> None:
    start = iterator(db, arn, "LATEST")
    assert read_from(db, start) == []
    put(db, item("a", 3))
    assert read_from(db, start) == [3]


def test_latest_of_an_empty_stream(db: Database) -> None:
    arn = create_table(db, name="empty")
    start = iterator(db, arn, "LATEST")
    put(db, item("a", 7), "empty")
    assert read_from(db, start) == [7]


def test_at_and_after_a_sequence_number(db: Database, arn: str) -> None:
    second = numbers(db, arn)[1]
    assert read_from(db, iterator(db, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=second)) == [1, 2]
    assert read_from(db, iterator(db, arn, "AFTER_SEQUENCE_NUMBER", SequenceNumber=second)) == [2]


def test_at_the_starting_sequence_number(db: Database, arn: str) -> None:
    (shard,) = db.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    assert read_from(db, iterator(db, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=start)) == [0, 1, 2]


def test_the_starting_number_of_an_old_stream_stays_valid(db: Database, arn: str) -> None:
    db.clock.advance(2 * DAY)
    (shard,) = db.call("DescribeStream", {"StreamArn": arn})["StreamDescription"]["Shards"]
    db.clock.advance(1)
    start = shard["SequenceNumberRange"]["StartingSequenceNumber"]
    assert read_from(db, iterator(db, arn, "AT_SEQUENCE_NUMBER", SequenceNumber=start)) == []


@pytest.mark.parametrize(
    ("time", "expected"),
    [(START - DAY, [0, 1, 2]), (START, [0, 1, 2]), (START + 0.5, [1, 2]), (START + 2, [2]), (START + 3, [])],
)
def test_at_a_timestamp(db: Database, arn: str, time: float, expected: list[int]) -> None:
    assert read_from(db, iterator(db, arn, "AT_TIMESTAMP", Timestamp=time)) == expected


@pytest.mark.parametrize("sweeping", [True, False])
@pytest.mark.parametrize("age", [DAY, DAY + HOUR])
def test_a_number_older_than_a_day_is_trimmed(db: Database, arn: str, age: float, sweeping: bool) -> None:
    first = numbers(db, arn)[0]
    db.clock.advance(age)
    if sweeping:
        db.sweep()
    for kind in ("AT_SEQUENCE_NUMBER", "AFTER_SEQUENCE_NUMBER"):
        with pytest.raises(TrimmedDataAccess):
            iterator(db, arn, kind, SequenceNumber=first)


def test_the_format_of_an_iterator(db: Database, arn: str) -> None:
    assert iterator(db, arn).startswith(f"{arn}|1|")


FUTURE = "9" * 25
ONE = "1 validation error detected: Value '{}' at '{}' failed to satisfy constraint: Member must "

INVALID: list[tuple[dict[str, Any], str, str]] = [
    ({"StreamArn": "x" * 40}, "ValidationException", "Invalid StreamArn"),
    (
        {"ShardId": "s" * 40},
        "ResourceNotFoundException",
        "Requested resource not found: Shard does not exist",
    ),
    (
        {"ShardId": "s"},
        "ValidationException",
        ONE.format("s", "shardId") + "have length greater than or equal to 28",
    ),
    (
        {"ShardIteratorType": "bulle"},
        "ValidationException",
        ONE.format("bulle", "shardIteratorType")
        + "satisfy enum value set: [AFTER_SEQUENCE_NUMBER, AT_TIMESTAMP, LATEST, AT_SEQUENCE_NUMBER, TRIM_HORIZON]",
    ),
    (
        {"ShardIteratorType": "LATEST", "SequenceNumber": "1" * 41},
        "ValidationException",
        ONE.format("1" * 41, "sequenceNumber") + "have length less than or equal to 40",
    ),
    (
        {"ShardIteratorType": "LATEST", "SequenceNumber": FUTURE},
        "ValidationException",
        "SequenceNumber must not be specified when ShardIteratorType is LATEST",
    ),
    (
        {"ShardIteratorType": "AT_SEQUENCE_NUMBER"},
        "ValidationException",
        "SequenceNumber must be specified when ShardIteratorType is AT_SEQUENCE_NUMBER",
    ),
    (
        {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": "x" * 21},
        "ValidationException",
        "Invalid SequenceNumber",
    ),
    (
        {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": FUTURE},
        "ValidationException",
        "Invalid SequenceNumber",
    ),
    (
        {"ShardIteratorType": "AT_SEQUENCE_NUMBER", "SequenceNumber": "0" * 21},
        "ValidationException",
        "Invalid SequenceNumber",
    ),
    (
        {"ShardIteratorType": "AT_TIMESTAMP"},
        "ValidationException",
        "Timestamp must be specified when ShardIteratorType is AT_TIMESTAMP",
    ),
    (
        {"ShardIteratorType": "AT_TIMESTAMP", "Timestamp": START + DAY},
        "ValidationException",
        "Timestamp must not be in the future",
    ),
]


@pytest.mark.parametrize(("request_", "code", "message"), INVALID)
def test_invalid_values(db: Database, arn: str, request_: dict[str, Any], code: str, message: str) -> None:
    whole = {"StreamArn": arn, "ShardId": shard_id(db, arn), "ShardIteratorType": "TRIM_HORIZON", **request_}
    with pytest.raises(ServiceError) as error:
        db.call("GetShardIterator", whole)
    assert (error.value.code, error.value.message) == (code, message)


def test_an_unknown_stream_is_not_found(db: Database, arn: str) -> None:
    with pytest.raises(ServiceError, match=r"Requested resource not found: Stream: .* not found"):
        db.call(
            "GetShardIterator",
            {
                "StreamArn": arn.replace("events", "missing"),
                "ShardId": shard_id(db, arn),
                "ShardIteratorType": "LATEST",
            },
        )
