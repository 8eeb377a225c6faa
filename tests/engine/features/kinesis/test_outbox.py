"""The outbox: every change reaches its stream's file, in order, also after a crash."""

import json
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.features.kinesis import outbox
from tablewright.engine.storage import open_store
from tests.engine.table_cases import request_of

ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/songs"
START = 1_700_000_000.25


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = opened(tmp_path)
    database.call("CreateTable", request_of("music", "artist | artist:S"))
    database.call("EnableKinesisStreamingDestination", {"TableName": "music", "StreamArn": ARN})
    yield database
    database.close()


def opened(tmp_path: Path) -> Database:
    return Database(open_store(tmp_path / "app.db"), Clock(start=START), buckets=tmp_path / "buckets")


def put(db: Database, artist: str, **attributes: str) -> None:
    item = {"artist": {"S": artist}, **{name: {"S": value} for name, value in attributes.items()}}
    db.call("PutItem", {"TableName": "music", "Item": item})


def records(tmp_path: Path) -> list[dict[str, Any]]:
    file = tmp_path / "buckets/kinesis/songs.jsonl"
    return [json.loads(line) for line in file.read_text().splitlines()] if file.exists() else []


def test_records_are_as_aws_writes_them(db: Database, tmp_path: Path) -> None:
    put(db, "nina", song="x")
    put(db, "nina", song="x")  # no change, no record
    put(db, "nina", song="y")
    db.call("DeleteItem", {"TableName": "music", "Key": {"artist": {"S": "nina"}}})
    assert records(tmp_path) == []
    db.sweep()
    found = records(tmp_path)
    assert [each["eventName"] for each in found] == ["INSERT", "MODIFY", "REMOVE"]
    assert len({each.pop("eventID") for each in found}) == 3
    keys = {"artist": {"S": "nina"}}
    assert found[1] == {
        "awsRegion": "us-east-1",
        "eventName": "MODIFY",
        "userIdentity": None,
        "recordFormat": "application/json",
        "tableName": "music",
        "dynamodb": {
            "ApproximateCreationDateTime": 1_700_000_000_250,
            "Keys": keys,
            "NewImage": {**keys, "song": {"S": "y"}},
            "OldImage": {**keys, "song": {"S": "x"}},
            "SizeBytes": 40,
        },
        "eventSource": "aws:dynamodb",
    }
    assert set(found[2]["dynamodb"]) == {"ApproximateCreationDateTime", "Keys", "OldImage", "SizeBytes"}


def test_timestamps_in_microseconds_are_marked(db: Database, tmp_path: Path) -> None:
    configuration = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    db.call(
        "UpdateKinesisStreamingDestination",
        {"TableName": "music", "StreamArn": ARN, "UpdateKinesisStreamingConfiguration": configuration},
    )
    put(db, "nina")
    db.sweep()
    (found,) = records(tmp_path)
    assert found["dynamodb"]["ApproximateCreationDateTime"] == 1_700_000_000_250_000
    assert found["dynamodb"]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"


def test_expired_items_are_deleted_by_the_service(db: Database, tmp_path: Path) -> None:
    ttl = {"AttributeName": "until", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "music", "TimeToLiveSpecification": ttl})
    item = {"artist": {"S": "nina"}, "until": {"N": str(int(START))}}
    db.call("PutItem", {"TableName": "music", "Item": item})
    db.clock.advance(10)
    db.sweep()
    assert records(tmp_path)[-1]["userIdentity"] == {
        "principalId": "dynamodb.amazonaws.com",
        "type": "Service",
    }


def test_every_record_is_delivered_once_and_in_order(db: Database, tmp_path: Path) -> None:
    for number in range(25):
        put(db, "nina", song=str(number))
        if number % 10 == 0:
            db.sweep()
    db.sweep()
    db.sweep()
    songs = [each["dynamodb"]["NewImage"]["song"]["S"] for each in records(tmp_path)]
    assert songs == [str(number) for number in range(25)]


def test_closing_delivers_and_a_failed_delivery_is_repeated(
    db: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(db, "nina")
    with monkeypatch.context() as patched:

        def fail(file: Path, lines: object) -> None:
            raise OSError("disk full")

        patched.setattr(outbox, "append_lines", fail)
        with pytest.raises(OSError, match="disk full"):
            db.sweep()
    assert records(tmp_path) == []
    db.close()
    assert len(records(tmp_path)) == 1


def test_the_last_records_of_a_disabled_destination_and_a_deleted_table_are_delivered(
    db: Database, tmp_path: Path
) -> None:
    put(db, "nina")
    db.call("DisableKinesisStreamingDestination", {"TableName": "music", "StreamArn": ARN})
    put(db, "lost")
    db.call("EnableKinesisStreamingDestination", {"TableName": "music", "StreamArn": ARN})
    put(db, "ella")
    db.call("DeleteTable", {"TableName": "music"})
    db.sweep()
    names = [each["dynamodb"]["Keys"]["artist"]["S"] for each in records(tmp_path)]
    assert names == ["nina", "ella"]
    assert db.sessions.read(lambda tx: list(outbox._announced(tx))) == []


def test_a_rejected_write_has_no_record(db: Database, tmp_path: Path) -> None:
    request = {"TableName": "music", "Item": {"artist": {"S": "nina"}}}
    with pytest.raises(Exception, match="conditional request failed"):
        db.call("PutItem", {**request, "ConditionExpression": "attribute_exists(artist)"})
    db.sweep()
    assert records(tmp_path) == []


def test_only_the_owner_can_read_the_file(db: Database, tmp_path: Path) -> None:
    put(db, "nina")
    db.sweep()
    mode = (tmp_path / "buckets/kinesis/songs.jsonl").stat().st_mode
    assert stat.S_IMODE(mode) == 0o600


def test_a_copy_in_memory_keeps_no_records(db: Database, tmp_path: Path) -> None:
    copy = db.copy()
    put(copy, "nina")
    copy.sweep()
    copy.close()
    db.sweep()
    assert records(tmp_path) == []
