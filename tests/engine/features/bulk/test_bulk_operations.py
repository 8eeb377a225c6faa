"""StartBulkPutItems: put the items of the files of a bucket into an existing table."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.dynamodb.clock import Clock
from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import IdempotentParameterMismatch, ResourceInUse, ResourceNotFound, ValidationError
from tests.engine.core.operations.music_table import ARN, BUCKET, artists, open_music, put

REQUEST: dict[str, Any] = {
    "TableName": "music",
    "InputS3Configuration": {"S3Bucket": BUCKET, "S3KeyPrefix": "in/", "InputFormat": "DYNAMODB_JSON"},
    "OutputS3Configuration": {"S3Bucket": BUCKET, "S3KeyPrefix": "out/", "OutputType": ["ERROR"]},
}


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    with open_music(tmp_path) as database:
        (tmp_path / BUCKET / "in").mkdir()
        (tmp_path / BUCKET / "in" / "1.json").write_text('{"Item":{"artist":{"S":"nina"}}}\n')
        yield database


def start(db: Database, **changes: Any) -> dict[str, Any]:
    return db.call("StartBulkPutItems", {**REQUEST, **changes})["BulkOperationDescription"]  # type: ignore[no-any-return]


@pytest.mark.parametrize("table", ["music", ARN])
def test_items_are_added_to_the_table(db: Database, table: str) -> None:
    put(db, "miles")
    started = start(db, TableName=table, PerformanceTier="ACCELERATED", MaxWriteRequestUnits=1024)
    assert (started["PerformanceTier"], started["MaxWriteRequestUnits"]) == ("ACCELERATED", 1024)
    [detail] = started["TableDetails"]
    assert detail["TableName"] == "music"
    assert detail["TableId"] == db.call("DescribeTable", {"TableName": "music"})["Table"]["TableId"]
    db.jobs.wait()
    assert artists(db) == ["miles", "nina"]


def test_a_repeated_token_returns_the_same_operation(db: Database) -> None:
    first = start(db, ClientToken="t1")
    assert start(db, ClientToken="t1")["BulkOperationArn"] == first["BulkOperationArn"]
    assert start(db, ClientToken="t2")["BulkOperationArn"] != first["BulkOperationArn"]
    with pytest.raises(IdempotentParameterMismatch, match="different payload"):
        start(db, ClientToken="t1", MaxWriteRequestUnits=2048)
    db.clock.advance(8 * 3600)
    assert start(db, ClientToken="t1")["BulkOperationArn"] != first["BulkOperationArn"]


def test_without_a_token_each_request_is_an_operation_with_a_token(db: Database) -> None:
    first, second = start(db), start(db)
    assert first["BulkOperationArn"] != second["BulkOperationArn"]
    assert first["ClientToken"] != second["ClientToken"]


def test_a_missing_table_is_not_found(db: Database) -> None:
    with pytest.raises(ResourceNotFound, match="Requested resource not found: Table: nowhere not found"):
        start(db, TableName="nowhere")


def test_a_table_that_creates_an_index_is_in_use(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tablewright.engine.core.state.row_batches.MAX_ROWS", 1)
    for artist in ("a", "b", "c"):
        put(db, artist)
    index = {
        "IndexName": "by-name",
        "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
        "Projection": {"ProjectionType": "ALL"},
    }
    request = {
        "TableName": "music",
        "AttributeDefinitions": [
            {"AttributeName": "artist", "AttributeType": "S"},
            {"AttributeName": "name", "AttributeType": "S"},
        ],
        "GlobalSecondaryIndexUpdates": [{"Create": index}],
    }
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("UpdateTable", request)
        with pytest.raises(ResourceInUse, match="music is creating the index by-name"):
            start(db)
    db.jobs.wake()
    db.jobs.wait_for_all()
    start(db)


def _output(**changes: Any) -> dict[str, Any]:
    return {"OutputS3Configuration": {**REQUEST["OutputS3Configuration"], **changes}}


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"MaxWriteRequestUnits": 1023}, "Member must have value greater than or equal to 1024"),
        ({"PerformanceTier": "FAST"}, "Member must satisfy enum value set"),
        ({"InputS3Configuration": {"S3Bucket": BUCKET}}, "inputFormat"),
        ({"InputS3Configuration": {"S3Bucket": BUCKET, "InputFormat": "CSV"}}, "enum value set"),
        ({"OutputS3Configuration": {"S3Bucket": BUCKET}}, "outputType"),
        ({"OutputS3Configuration": {"OutputType": ["ERROR"]}}, "s3Bucket"),
        (_output(OutputType=[]), "OutputType must have at least one value"),
        (_output(OutputType=["ALL"]), "enum value set"),
        (_output(S3KeyPrefix="../elsewhere"), "must not lead out of the bucket"),
        (_output(S3SseKmsKeyId="key"), "KMS Key Id is not supported for this encryption type"),
        ({"ClientToken": "a$b"}, "clientToken"),
    ],
)
def test_invalid_requests_are_rejected(db: Database, changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValidationError, match=message):
        start(db, **changes)
    assert db.call("ListBulkOperations", {}) == {"BulkOperationsSummaryList": []}


def test_a_database_without_buckets_says_how_to_get_them() -> None:
    db = Database(open_store(), Clock(start=1_700_000_000))
    db.call(
        "CreateTable",
        {
            "TableName": "music",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
        },
    )
    with pytest.raises(ValidationError, match="give it a directory for them"):
        start(db)
    db.close()
