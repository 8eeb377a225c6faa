"""EnableKinesisStreamingDestination: required members. States are in tests/engine/features/kinesis."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ResourceNotFound, ValidationError
from tests.engine.table_cases import request_of


def test_the_table_name_is_required() -> None:
    db = Database(open_store())
    with pytest.raises(ValidationError, match="The parameter 'TableName' is required"):
        db.call("EnableKinesisStreamingDestination", {})
    db.close()


STREAM = "arn:aws:kinesis:us-east-1:123456789012:stream/"
STATE = "Table is not in a valid state to enable Kinesis Streaming Destination: "


@pytest.fixture
def db(tmp_path: Path) -> Iterator[Database]:
    database = Database(open_store(), buckets=tmp_path)
    database.call("CreateTable", request_of("music", "artist | artist:S"))
    yield database
    database.close()


def call(db: Database, verb: str, stream: str = f"{STREAM}songs", **members: Any) -> dict[str, Any]:
    request = {"TableName": "music", "StreamArn": stream, **members}
    return db.call(f"{verb}KinesisStreamingDestination", request)


def shown(db: Database) -> list[dict[str, Any]]:
    reply = db.call("DescribeKinesisStreamingDestination", {"TableName": "music"})
    assert reply["TableName"] == "music"
    return list(reply["KinesisDataStreamDestinations"])


def test_a_destination_is_enabled_and_disabled(db: Database) -> None:
    assert shown(db) == []
    assert call(db, "Enable") == {
        "TableName": "music",
        "StreamArn": f"{STREAM}songs",
        "DestinationStatus": "ENABLING",
        "EnableKinesisStreamingConfiguration": {},
    }
    assert shown(db) == [{"StreamArn": f"{STREAM}songs", "DestinationStatus": "ACTIVE"}]
    assert call(db, "Disable")["DestinationStatus"] == "DISABLING"
    assert shown(db) == [{"StreamArn": f"{STREAM}songs", "DestinationStatus": "DISABLED"}]
    call(db, "Enable")
    assert [each["DestinationStatus"] for each in shown(db)] == ["ACTIVE"]


def test_one_destination_is_active_at_a_time(db: Database) -> None:
    call(db, "Enable")
    for stream in ("songs", "others"):
        with pytest.raises(ValidationError) as caught:
            call(db, "Enable", STREAM + stream)
        assert caught.value.message == (
            f"{STATE}EnableKinesisStreamingDestination must be DISABLED or ENABLE_FAILED to perform ENABLE operation."
        )
    call(db, "Disable")
    call(db, "Enable", f"{STREAM}others")
    assert [each["DestinationStatus"] for each in shown(db)] == ["DISABLED", "ACTIVE"]


def test_only_an_active_destination_is_disabled(db: Database) -> None:
    for _ in range(2):
        with pytest.raises(ValidationError) as caught:
            call(db, "Disable")
        assert caught.value.message == (
            f"{STATE}KinesisStreamingDestination must be ACTIVE to perform DISABLE operation."
        )
        call(db, "Enable", f"{STREAM}others")
        call(db, "Disable", f"{STREAM}others")


def test_the_precision_is_changed(db: Database) -> None:
    call(db, "Enable")
    micro = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    reply = call(db, "Update", UpdateKinesisStreamingConfiguration=micro)
    assert (reply["DestinationStatus"], reply["UpdateKinesisStreamingConfiguration"]) == ("UPDATING", micro)
    assert shown(db) == [{"StreamArn": f"{STREAM}songs", "DestinationStatus": "ACTIVE", **micro}]
    with pytest.raises(ValidationError, match="Precision is already set to the desired value of MICROSECOND"):
        call(db, "Update", UpdateKinesisStreamingConfiguration=micro)
    call(db, "Disable")
    with pytest.raises(ValidationError, match="Kinesis streaming is not in ACTIVE state"):
        call(db, "Update", UpdateKinesisStreamingConfiguration=micro)
    call(db, "Enable", EnableKinesisStreamingConfiguration=micro)
    assert shown(db)[0]["ApproximateCreationDateTimePrecision"] == "MICROSECOND"


def test_milliseconds_are_the_default(db: Database) -> None:
    call(db, "Enable")
    milli = {"ApproximateCreationDateTimePrecision": "MILLISECOND"}
    with pytest.raises(ValidationError, match="Precision is already set to the desired value of MILLISECOND"):
        call(db, "Update", UpdateKinesisStreamingConfiguration=milli)


@pytest.mark.parametrize("configuration", [{}, {"UpdateKinesisStreamingConfiguration": {}}])
def test_an_update_needs_a_configuration(db: Database, configuration: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="cannot be null or contain only null values"):
        call(db, "Update", **configuration)


def test_an_unknown_stream_cannot_be_updated(db: Database) -> None:
    micro = {"ApproximateCreationDateTimePrecision": "MICROSECOND"}
    with pytest.raises(
        ValidationError,
        match=r"No streaming destination with streamArn: \S+ found for table with tableName: \w+$",
    ):
        call(db, "Update", UpdateKinesisStreamingConfiguration=micro)


@pytest.mark.parametrize(
    ("stream", "problem"),
    [
        (f"{STREAM}songs".replace("us-east-1", "eu-west-1"), "which is not in the current region"),
        (f"{STREAM}songs".replace("123456789012", "210987654321"), "which is not in Active state"),
        ("arn:aws:dynamodb:us-east-1:123456789012:table/music", "User does not have a permission"),
        (f"{STREAM}../../outside", "User does not have a permission"),
        ("x" * 40, "User does not have a permission"),
    ],
)
def test_a_wrong_stream_fails_after_the_reply(db: Database, stream: str, problem: str) -> None:
    assert call(db, "Enable", stream)["DestinationStatus"] == "ENABLING"
    (failed,) = shown(db)
    assert failed["DestinationStatus"] == "ENABLE_FAILED"
    assert problem in failed["DestinationStatusDescription"]
    call(db, "Enable")
    assert [each["DestinationStatus"] for each in shown(db)] == ["ENABLE_FAILED", "ACTIVE"]


def test_the_table_must_exist(db: Database) -> None:
    for verb in ("Enable", "Disable"):
        with pytest.raises(ResourceNotFound, match="Table: missing not found"):
            call(db, verb, TableName="missing")
    with pytest.raises(ResourceNotFound, match="Table: missing not found"):
        db.call("DescribeKinesisStreamingDestination", {"TableName": "missing"})


def test_a_database_without_buckets_has_no_streams() -> None:
    database = Database(open_store())
    database.call("CreateTable", request_of("music", "artist | artist:S"))
    with pytest.raises(ValidationError, match="a database in memory has no buckets"):
        call(database, "Enable")
    database.close()
