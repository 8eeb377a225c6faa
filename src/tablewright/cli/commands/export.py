"""Write a table to a bucket: as it is, as it was, or what became of it between two moments.

A bucket of a data file is a folder in FILE.buckets, and is made if it is not there. The table must have point-in-time
recovery; --enable-recovery switches it on. It exits with code 1 when the export failed.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tablewright.cli.job_wait import buckets_argument, moment, open_tables, place_argument, plain, wait_for
from tablewright.cli.output import Progress, bold, red, say
from tablewright.errors import ServiceError, UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "export"
SUMMARY = "write a table to a bucket"
EPILOG = """\
examples:
  tablewright export --table Users --bucket archive --enable-recovery
  tablewright export --table Users --bucket archive --format ion --at 2026-02-18T14:25:00
  tablewright export --table Users --bucket archive --since 2026-02-18T00:00:00 --until 2026-02-18T12:00:00
"""
FORMATS = {"json": "DYNAMODB_JSON", "ion": "ION"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `export` understands."""
    place_argument(parser)
    parser.add_argument("--table", metavar="NAME", required=True, help="the table")
    parser.add_argument("--bucket", metavar="NAME", required=True, help="the bucket")
    buckets_argument(parser)
    parser.add_argument("--key-prefix", metavar="PATH", help="what the keys of all objects begin with")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), default="json", help="how items are written (json)"
    )
    parser.add_argument("--at", metavar="MOMENT", type=moment, help="the table as it was then")
    parser.add_argument("--since", metavar="MOMENT", type=moment, help="only what was changed since then")
    parser.add_argument("--until", metavar="MOMENT", type=moment, help="and before then; goes with --since")
    parser.add_argument(
        "--enable-recovery", action="store_true", help="switch point-in-time recovery on, if it is off"
    )
    parser.add_argument("--json", action="store_true", help="print what DescribeExport shows")


def run(options: argparse.Namespace) -> int:
    """Export, and wait for the end."""
    if options.at is not None and options.since is not None:
        raise UsageError("--at is one moment and --since a period: give one of them")
    if options.until is not None and options.since is None:
        raise UsageError("--until goes with --since: say when the period begins")
    connection = open_tables(options.on, options.buckets)
    try:
        ended = _export(connection, options)
    finally:
        connection.close()
    if options.json:
        say(json.dumps(plain(ended), indent=2))
    elif ended["ExportStatus"] == "COMPLETED":
        say(f"{ended['ItemCount']:,} items in {bold(ended['S3Bucket'])}, listed in {ended['ExportManifest']}")
    else:
        say(red(f"the export failed: {ended.get('FailureMessage', ended.get('FailureCode'))}"))
    return 0 if ended["ExportStatus"] == "COMPLETED" else 1


def _export(connection: "Connection", options: argparse.Namespace) -> dict[str, Any]:
    table = connection.call("DescribeTable", {"TableName": options.table})["Table"]
    if options.enable_recovery:
        on = {"PointInTimeRecoveryEnabled": True}
        asked = {"TableName": options.table, "PointInTimeRecoverySpecification": on}
        connection.call("UpdateContinuousBackups", asked)
    _make_bucket(connection, options.bucket)
    with Progress(1, "table exported") as progress:
        arn = _begin(connection, _request(options, table["TableArn"]))

        def ask() -> dict[str, Any]:
            return connection.call("DescribeExport", {"ExportArn": arn})["ExportDescription"]  # type: ignore[no-any-return]

        ended = wait_for(
            ask,
            lambda answer: answer["ExportStatus"] == "IN_PROGRESS",
            progress,
            lambda answer: options.table,
        )
        progress.step(options.table)
    return ended


def _begin(connection: "Connection", request: dict[str, Any]) -> str:
    try:
        return str(connection.call("ExportTableToPointInTime", request)["ExportDescription"]["ExportArn"])
    except ServiceError as refusal:
        if refusal.code != "PointInTimeRecoveryUnavailableException":
            raise
        raise UsageError(f"{refusal}; switch it on with --enable-recovery") from None


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
            name: each for name, each in period.items() if each is not None
        }
    return request


def _make_bucket(connection: "Connection", bucket: str) -> None:
    """Make the folder that stands for a bucket of a data file; elsewhere it is there, or the export says it is not."""
    buckets = getattr(connection, "buckets", None)
    if buckets is not None and "/" not in bucket and not bucket.startswith("."):
        (buckets / bucket).mkdir(parents=True, exist_ok=True)
