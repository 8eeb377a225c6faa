"""A database with a frozen clock, a bucket and one table, `music`, for the tests of single operations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

START = 1_700_000_000
BUCKET = "files"
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/music"
CREATE_MUSIC: dict[str, Any] = {
    "TableName": "music",
    "BillingMode": "PAY_PER_REQUEST",
    "KeySchema": [{"AttributeName": "artist", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "artist", "AttributeType": "S"}],
}


@contextmanager
def open_music(folder: Path | None = None) -> Iterator[Database]:
    """The database; `folder` is its bucket directory."""
    if folder is not None:
        (folder / BUCKET).mkdir()
    database = Database(open_store(), Clock(start=START), buckets=folder)
    database.call("CreateTable", CREATE_MUSIC)
    try:
        yield database
    finally:
        database.close()


def item(artist: str, **texts: str) -> dict[str, Any]:
    return {"artist": {"S": artist}, **{name: {"S": text} for name, text in texts.items()}}


def put(db: Database, artist: str, **texts: str) -> None:
    db.call("PutItem", {"TableName": "music", "Item": item(artist, **texts)})


def artists(db: Database, table: str = "music") -> list[str]:
    """The keys of all items of a table, sorted."""
    return sorted(found["artist"]["S"] for found in db.call("Scan", {"TableName": table})["Items"])


def enable_recovery(db: Database) -> None:
    enabled = {"PointInTimeRecoveryEnabled": True}
    db.call("UpdateContinuousBackups", {"TableName": "music", "PointInTimeRecoverySpecification": enabled})


def create_backup(db: Database, name: str = "nightly") -> str:
    """Create a backup, wait until it is available, return its ARN."""
    details = db.call("CreateBackup", {"TableName": "music", "BackupName": name})["BackupDetails"]
    finish_jobs(db)
    return str(details["BackupArn"])


def start_export(db: Database, **members: Any) -> dict[str, Any]:
    """Start an export and return its description while it runs."""
    request = {"TableArn": ARN, "S3Bucket": BUCKET, **members}
    reply = db.call("ExportTableToPointInTime", request)
    return reply["ExportDescription"]  # type: ignore[no-any-return]


def start_import(db: Database, table: str = "imported", **members: Any) -> dict[str, Any]:
    """Start an import and return its description while it runs."""
    request = {
        "ClientToken": f"token-{table}",
        "S3BucketSource": {"S3Bucket": BUCKET},
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {**CREATE_MUSIC, "TableName": table},
        **members,
    }
    return db.call("ImportTable", request)["ImportTableDescription"]  # type: ignore[no-any-return]


def finish_jobs(db: Database) -> None:
    """Wait for all backup, restore, export and import jobs."""
    db.jobs.wait()
