"""Bucket transfers: exports of tables to a bucket, and imports of a bucket to a new table, with progress.

A bucket of a data file is a folder beside it (`FILE.buckets`), and nothing outside of that folder is read or written.
At AWS it is a bucket of S3.
"""

import re
import uuid
from pathlib import Path
from typing import Any

from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign
from tablewright.console.operations.table_backups import Description, seconds, wait_for
from tablewright.console.tasks import Task, TaskReport
from tablewright.errors import ServiceError, UsageError
from tablewright.lifecycle.deploy.table_state import import_schema

EXPORT_FORMATS = {"json": "DYNAMODB_JSON", "ion": "ION"}
IMPORT_FORMATS = {**EXPORT_FORMATS, "csv": "CSV"}
COMPRESSIONS = ("none", "gzip", "zstd")
MAX_LISTED = 50
_BUCKET = re.compile(r"[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]")


def bucket_state(opened: OpenDesign) -> dict[str, Any]:
    """Return whether exports and imports are possible, and the buckets that exist."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        return {"available": True, "why": None, "folder": None, "buckets": []}
    if connection.buckets is None:
        why = "A database in memory has no buckets. Open a data file: its buckets are the folders in FILE.buckets."
        return {"available": False, "why": why, "folder": None, "buckets": []}
    folder = Path(connection.buckets)
    names = sorted(path.name for path in folder.iterdir() if path.is_dir()) if folder.is_dir() else []
    return {"available": True, "why": None, "folder": str(folder), "buckets": names[:MAX_LISTED]}


def _require_bucket(opened: OpenDesign, bucket: str) -> None:
    state = bucket_state(opened)
    if not state["available"]:
        raise UsageError(state["why"])
    if not _BUCKET.fullmatch(bucket) or ".." in bucket:
        raise UsageError(
            f"{bucket!r} is not the name of a bucket: 3 to 63 lowercase letters, digits, points and hyphens"
        )


def _require_prefix(prefix: str | None) -> None:
    if prefix and (prefix.startswith("/") or ".." in prefix.split("/") or "\\" in prefix or "\0" in prefix):
        raise UsageError(f"{prefix!r} is not a key prefix: it has no leading / and no ..")


def start_export(
    opened: OpenDesign, table: str, bucket: str, prefix: str | None, form: str, *, enable_recovery: bool
) -> Task:
    """Start a task that exports a table to a bucket."""
    opened.table(table)
    _require_bucket(opened, bucket)
    _require_prefix(prefix)
    connection = opened.db.connection
    if isinstance(connection, Embedded) and connection.buckets is not None:
        (Path(connection.buckets) / bucket).mkdir(parents=True, exist_ok=True)
    described = connection.call("DescribeTable", {"TableName": table})["Table"]
    if enable_recovery:
        specification = {"PointInTimeRecoveryEnabled": True}
        request: dict[str, Any] = {"TableName": table, "PointInTimeRecoverySpecification": specification}
        connection.call("UpdateContinuousBackups", request)
    request = {"TableArn": described["TableArn"], "S3Bucket": bucket, "ExportFormat": EXPORT_FORMATS[form]}
    request |= {"S3Prefix": prefix} if prefix else {}
    arn = _begin_export(opened, request, table)

    def run(report: TaskReport) -> dict[str, Any]:
        def poll() -> Description:
            description: Description = connection.call("DescribeExport", {"ExportArn": arn})[
                "ExportDescription"
            ]
            return description

        ended = wait_for(
            poll,
            lambda export: export["ExportStatus"] == "IN_PROGRESS",
            report,
            lambda export: f"exporting {table}",
        )
        if ended["ExportStatus"] != "COMPLETED":
            raise UsageError(f"the export failed: {ended.get('FailureMessage', ended.get('FailureCode'))}")
        return {"items": ended.get("ItemCount", 0), "bucket": bucket, "manifest": ended.get("ExportManifest")}

    return opened.tasks.start("export", f"Export {table} to {bucket}", run, table=table)


def _begin_export(opened: OpenDesign, request: dict[str, Any], table: str) -> str:
    try:
        reply = opened.db.connection.call("ExportTableToPointInTime", request)
    except ServiceError as error:
        if error.code != "PointInTimeRecoveryUnavailableException":
            raise
        raise UsageError(f"an export of {table} needs point-in-time recovery; turn it on first") from None
    return str(reply["ExportDescription"]["ExportArn"])


def start_import(
    opened: OpenDesign, bucket: str, prefix: str | None, form: str, compression: str, into: str, like: str
) -> Task:
    """Start a task that imports the objects of a bucket to a new table, with the keys of `like`."""
    opened.table(like)
    _require_bucket(opened, bucket)
    _require_prefix(prefix)
    connection = opened.db.connection
    source = {"S3Bucket": bucket} | ({"S3KeyPrefix": prefix} if prefix else {})
    creation = {"TableName": into, "BillingMode": "PAY_PER_REQUEST", **import_schema(connection, like)}
    request = {
        "ClientToken": str(uuid.uuid4()),
        "S3BucketSource": source,
        "InputFormat": IMPORT_FORMATS[form],
        "InputCompressionType": compression.upper(),
        "TableCreationParameters": creation,
    }
    arn = connection.call("ImportTable", request)["ImportTableDescription"]["ImportArn"]

    def run(report: TaskReport) -> dict[str, Any]:
        ended = wait_for(
            lambda: connection.call("DescribeImport", {"ImportArn": arn})["ImportTableDescription"],
            lambda job: job["ImportStatus"] == "IN_PROGRESS",
            report,
            lambda job: f"{job.get('ImportedItemCount', 0):,} items imported",
        )
        imported, rejected = ended.get("ImportedItemCount", 0), ended.get("ErrorCount", 0)
        if ended["ImportStatus"] != "COMPLETED":
            reason = ended.get("FailureMessage", ended.get("FailureCode"))
            raise UsageError(f"the import failed: {reason} ({imported:,} imported, {rejected:,} rejected)")
        return {"table": into, "items": imported, "rejected": rejected}

    return opened.tasks.start("import", f"Import {bucket} to {into}", run, table=into, exclusive=True)


def list_exports(opened: OpenDesign) -> list[dict[str, Any]]:
    """Return the exports of the tables of the design, newest first."""
    call = opened.db.connection.call
    try:
        summaries = call("ListExports", {"MaxResults": 25})["ExportSummaries"]
        exports = [
            call("DescribeExport", {"ExportArn": summary["ExportArn"]})["ExportDescription"]
            for summary in summaries
        ]
    except ServiceError:  # not every endpoint has exports
        return []
    shown = [
        {
            "table": export["TableArn"].rpartition("/")[2],
            "status": export["ExportStatus"],
            "started_at": seconds(export["StartTime"]) if "StartTime" in export else None,
            "bucket": export["S3Bucket"],
            "items": export.get("ItemCount"),
            "manifest": export.get("ExportManifest"),
            "failure": export.get("FailureMessage"),
        }
        for export in exports
    ]
    ours = [export for export in shown if export["table"] in opened.tables]
    return sorted(ours, key=lambda export: -(export["started_at"] or 0))
