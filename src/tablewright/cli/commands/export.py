"""Export a table to a bucket: its current items, its items at an earlier time, or the changes between two times.

A bucket of a data file is a folder in FILE.buckets, and is created if it is missing. The table must have point-in-time
recovery; --enable-recovery turns it on. The exit code is 1 if the export fails.
"""

import argparse
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import buckets_argument, json_argument, location_argument, timestamp
from tablewright.cli.data_locations import open_tables
from tablewright.cli.output import bold, count, print_json, print_line, red
from tablewright.cli.progress import Progress, wait_for
from tablewright.errors import ServiceError, UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "export"
SUMMARY = "export a table to a bucket"
EPILOG = """\
examples:
  tablewright export --table Users --bucket archive --enable-recovery
  tablewright export --table Users --bucket archive --format ion --at 2026-02-18T14:25:00
  tablewright export --table Users --bucket archive --since 2026-02-18T00:00:00 --until 2026-02-18T12:00:00
"""
FORMATS = {"json": "DYNAMODB_JSON", "ion": "ION"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `export`."""
    location_argument(parser)
    parser.add_argument("--table", metavar="NAME", required=True, help="table to export")
    parser.add_argument("--bucket", metavar="NAME", required=True, help="bucket to write to")
    buckets_argument(parser)
    parser.add_argument("--key-prefix", metavar="PATH", help="prefix of the keys of all objects")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="json", help="output format (default: json)"
    )
    parser.add_argument(
        "--at", metavar="TIME", type=timestamp, help="export the items at this time (default: now)"
    )
    parser.add_argument(
        "--since",
        metavar="TIME",
        type=timestamp,
        help="export only changes since this time; the period is 15 minutes to 24 hours",
    )
    parser.add_argument(
        "--until", metavar="TIME", type=timestamp, help="end of the period that --since begins (default: now)"
    )
    parser.add_argument(
        "--enable-recovery", action="store_true", help="turn on point-in-time recovery, which an export needs"
    )
    json_argument(parser, "the DescribeExport reply")


def run(options: argparse.Namespace) -> int:
    """Export, and wait for the end."""
    if options.at is not None and options.since is not None:
        raise UsageError("--at and --since cannot be combined; give a time, or a period")
    if options.until is not None and options.since is None:
        raise UsageError("--until needs --since, the begin of the period")
    connection = open_tables(options.on, options.buckets)
    try:
        export = _export(connection, options)
    finally:
        connection.close()
    if options.json:
        print_json(export)
    elif export["ExportStatus"] == "COMPLETED":
        items, bucket = count(export["ItemCount"], "item"), bold(export["S3Bucket"])
        print_line(f"Exported {items} to bucket {bucket}; manifest: {export['ExportManifest']}")
    else:
        print_line(red(f"export failed: {export.get('FailureMessage', export.get('FailureCode'))}"))
    return 0 if export["ExportStatus"] == "COMPLETED" else 1


def _export(connection: "Connection", options: argparse.Namespace) -> dict[str, Any]:
    table = connection.call("DescribeTable", {"TableName": options.table})["Table"]
    if options.enable_recovery:
        specification = {"PointInTimeRecoveryEnabled": True}
        request = {"TableName": options.table, "PointInTimeRecoverySpecification": specification}
        connection.call("UpdateContinuousBackups", request)
    _create_bucket(connection, options.bucket)
    with Progress(1, "table exported") as progress:
        arn = _begin(connection, _request(options, table["TableArn"]))

        def poll() -> dict[str, Any]:
            return connection.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]  # type: ignore[no-any-return]

        export = wait_for(
            poll, lambda reply: reply["ExportStatus"] == "IN_PROGRESS", progress, lambda reply: options.table
        )
        progress.advance(options.table)
    return export


def _begin(connection: "Connection", request: dict[str, Any]) -> str:
    try:
        return str(connection.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"])
    except ServiceError as error:
        if error.code != "PointInTimeRecoveryUnavailableException":
            raise
        raise UsageError(f"{error}; turn it on with --enable-recovery") from None


def _request(options: argparse.Namespace, arn: str) -> dict[str, Any]:
    request = {"TableArn": arn, "S3Bucket": options.bucket, "ExportFormat": FORMATS[options.format]}
    if options.key_prefix:
        request["S3Prefix"] = options.key_prefix
    if options.at is not None:
        request["ExportTime"] = options.at
    if options.since is not None:
        period = {"ExportFromTime": options.since, "ExportToTime": options.until}
        request["ExportType"] = "INCREMENTAL_EXPORT"
        request["IncrementalExportSpecification"] = {
            name: value for name, value in period.items() if value is not None
        }
    return request


def _create_bucket(connection: "Connection", bucket: str) -> None:
    """Create the folder of a data file's bucket; at an endpoint, a missing bucket makes the export fail."""
    buckets = getattr(connection, "buckets", None)
    if buckets is not None and "/" not in bucket and not bucket.startswith("."):
        (buckets / bucket).mkdir(parents=True, exist_ok=True)
