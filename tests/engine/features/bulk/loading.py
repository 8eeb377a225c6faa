"""A database with a bucket and a table `users`, and functions that run bulk operations."""

import gzip
import json
from typing import Any

from tablewright.engine.database import Database
from tests.engine.archive import ARN as TABLE_ARN
from tests.engine.archive import BUCKET

ARN = f"{TABLE_ARN}users/bulk-operation/"
BOTH = ["ERROR", "CONDITION_CHECK_FAILURE"]


def upload(db: Database, key: str, *lines: str, zipped: bool = False) -> int:
    """Put lines into an object; return the size of the object."""
    assert db.bucket_directory is not None
    path = db.bucket_directory / BUCKET / key
    path.parent.mkdir(parents=True, exist_ok=True)
    content = "".join(f"{line}\n" for line in lines).encode()
    path.write_bytes(gzip.compress(content) if zipped else content)
    return path.stat().st_size


def line(key: str, condition: dict[str, Any] | None = None, **values: str) -> str:
    item = {"id": {"S": key}, **{name: {"S": value} for name, value in values.items()}}
    return json.dumps({"Item": item, **(condition or {})})


ABSENT = {"ConditionExpression": "attribute_not_exists(id)"}


def bulk_request(prefix: str | None = "in/", table: str = "users", **more: Any) -> dict[str, Any]:
    source: dict[str, Any] = {"S3Bucket": BUCKET, "InputFormat": "DYNAMODB_JSON"}
    source |= {"S3KeyPrefix": prefix} if prefix else {}
    source |= more.pop("source", {})
    output = {"S3Bucket": BUCKET, "S3KeyPrefix": "out", "OutputType": BOTH, **more.pop("output", {})}
    return {"TableName": table, "InputS3Configuration": source, "OutputS3Configuration": output, **more}


def describe(db: Database, arn: str) -> dict[str, Any]:
    return db.call("DescribeBulkOperation", {"BulkOperationArn": arn})["BulkOperationDescription"]  # type: ignore[no-any-return]


def bulk_put(db: Database, prefix: str | None = "in/", **more: Any) -> dict[str, Any]:
    """Run a bulk operation and return its final description."""
    started = db.call("StartBulkPutItems", bulk_request(prefix, **more))["BulkOperationDescription"]
    db.jobs.wait()
    return describe(db, started["BulkOperationArn"])


def counts(description: dict[str, Any]) -> tuple[str, int, int]:
    return (
        description["BulkOperationStatus"],
        description["ProcessedItemCount"],
        description["FailedItemCount"],
    )


def report(db: Database, description: dict[str, Any], kind: str) -> list[dict[str, Any]]:
    """The lines of a report; none if there is no file."""
    path = report_folder(db, description) / f"{kind}.json"
    return [json.loads(each) for each in path.read_text().splitlines()] if path.exists() else []


def manifest(db: Database, description: dict[str, Any]) -> dict[str, Any]:
    return json.loads((report_folder(db, description) / "manifest-summary.json").read_text())  # type: ignore[no-any-return]


def report_folder(db: Database, description: dict[str, Any]) -> Any:
    assert db.bucket_directory is not None
    operation = description["BulkOperationArn"].rpartition("/")[2]
    return db.bucket_directory / BUCKET / "out" / "AWSDynamoDB" / operation
