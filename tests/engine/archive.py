"""A database with a frozen clock and a bucket, and functions that call its backup operations."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tablewright.dynamodb.clock import Clock
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store

START = 1_700_000_000
ARN = "arn:aws:dynamodb:us-east-1:123456789012:table/"
BUCKET = "archive"
KEYS: dict[str, Any] = {
    "KeySchema": [{"AttributeName": "id", "KeyType": "HASH"}],
    "AttributeDefinitions": [{"AttributeName": "id", "AttributeType": "S"}],
}
INDEXED: dict[str, Any] = {
    "KeySchema": KEYS["KeySchema"],
    "AttributeDefinitions": [*KEYS["AttributeDefinitions"], {"AttributeName": "team", "AttributeType": "S"}],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": "by-team",
            "KeySchema": [{"AttributeName": "team", "KeyType": "HASH"}],
            "Projection": {"ProjectionType": "ALL"},
        }
    ],
}
Item = dict[str, Any]


@contextmanager
def archive(folder: Path, path: Path | None = None) -> Iterator[Database]:
    """A database in memory, or in a file, with an empty bucket in a folder."""
    (folder / BUCKET).mkdir(parents=True, exist_ok=True)
    database = Database(open_store(path, "relaxed"), Clock(start=START), buckets=folder)
    try:
        yield database
    finally:
        database.close()


def create(db: Database, name: str = "users", keys: dict[str, Any] = KEYS, **more: Any) -> None:
    db.call("CreateTable", {"TableName": name, **keys, "BillingMode": "PAY_PER_REQUEST", **more})


def put(db: Database, key: str, table: str = "users", **values: str) -> Item:
    item = {"id": {"S": key}, **{name: {"S": value} for name, value in values.items()}}
    db.call("PutItem", {"TableName": table, "Item": item})
    return item


def delete(db: Database, key: str, table: str = "users") -> None:
    db.call("DeleteItem", {"TableName": table, "Key": {"id": {"S": key}}})


def scan(db: Database, table: str, **request: Any) -> list[Item]:
    """All items of a table, by their key."""
    found = db.call("Scan", {"TableName": table, **request})["Items"]
    return sorted(found, key=lambda item: str(item["id"]))


def recover(db: Database, table: str = "users", *, enabled: bool = True, **more: Any) -> dict[str, Any]:
    """Enable or disable point-in-time recovery."""
    asked = {"PointInTimeRecoveryEnabled": enabled, **more}
    reply = db.call(
        "UpdateContinuousBackups", {"TableName": table, "PointInTimeRecoverySpecification": asked}
    )
    return reply["ContinuousBackupsDescription"]  # type: ignore[no-any-return]


def back_up(db: Database, table: str = "users", name: str = "kept") -> str:
    """Create a backup, wait until it is available, and return its ARN."""
    details = db.call("CreateBackup", {"TableName": table, "BackupName": name})["BackupDetails"]
    db.jobs.wait()
    return str(details["BackupArn"])


def restore(db: Database, backup: str, target: str = "restored", **overrides: Any) -> dict[str, Any]:
    request = {"BackupArn": backup, "TargetTableName": target, **overrides}
    description = db.call("RestoreTableFromBackup", request)["TableDescription"]
    db.jobs.wait()
    return description  # type: ignore[no-any-return]


def restore_to(db: Database, at: float, target: str = "restored", **overrides: Any) -> dict[str, Any]:
    request = {
        "SourceTableName": "users",
        "TargetTableName": target,
        "RestoreDateTime": at,
        **overrides,
    }
    description = db.call("RestoreTableToPointInTime", request)["TableDescription"]
    db.jobs.wait()
    return description  # type: ignore[no-any-return]


def export(db: Database, table: str = "users", **request: Any) -> dict[str, Any]:
    """Run an export and return its final description."""
    reply = db.call("ExportTableToPointInTime", {"TableArn": ARN + table, "S3Bucket": BUCKET, **request})
    db.jobs.wait()
    arn = reply["ExportDescription"]["ExportArn"]
    return db.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]  # type: ignore[no-any-return]


def import_request(
    table: str, prefix: str | None, keys: dict[str, Any] = KEYS, **request: Any
) -> dict[str, Any]:
    source = {"S3Bucket": BUCKET} | ({"S3KeyPrefix": prefix} if prefix else {})
    return {
        "ClientToken": f"token-{table}",
        "S3BucketSource": source,
        "InputFormat": "DYNAMODB_JSON",
        "TableCreationParameters": {"TableName": table, **keys, "BillingMode": "PAY_PER_REQUEST"},
        **request,
    }


def import_into(
    db: Database, table: str, prefix: str | None, keys: dict[str, Any] = KEYS, **request: Any
) -> Item:
    """Run an import and return its final description."""
    reply = db.call("ImportTable", import_request(table, prefix, keys, **request))
    db.jobs.wait()
    arn = reply["ImportTableDescription"]["ImportArn"]
    return db.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"]  # type: ignore[no-any-return]


def import_export(db: Database, exported: dict[str, Any], table: str, keys: dict[str, Any] = KEYS) -> Item:
    """Import an export and return the final description."""
    prefix = exported["ExportManifest"].replace("manifest-summary.json", "data/")
    form = exported["ExportFormat"]
    return import_into(db, table, prefix, keys, InputFormat=form, InputCompressionType="GZIP")
