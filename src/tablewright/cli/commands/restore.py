"""Restore a table from a backup, or from a point in time of the last 35 days, to a new table.

The new table has the keys, indexes and billing mode of the source. Set TTL, stream, tags and point-in-time recovery
again. To restore from a point in time, the source must have point-in-time recovery.
"""

import argparse
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import json_argument, location_argument, timestamp
from tablewright.cli.data_locations import list_backups, open_tables
from tablewright.cli.output import bold, count, print_json, print_line
from tablewright.cli.progress import Progress, wait_for
from tablewright.errors import ServiceError, UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "restore"
SUMMARY = "restore a table from a backup or a point in time"
EPILOG = """\
examples:
  tablewright restore --backup before-migration --into UsersBefore
  tablewright restore --table Users --to 2026-02-18T14:25:00 --into UsersBefore --on http://127.0.0.1:8000
  tablewright restore --table Users --to latest --into UsersCopy --on aws:eu-north-1
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `restore`."""
    location_argument(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--backup", metavar="NAME", help="ARN or name of a backup; of several with that name, the newest"
    )
    source.add_argument("--table", metavar="NAME", help="table to restore from a point in time; needs --to")
    parser.add_argument(
        "--to",
        metavar="TIME",
        help="point in time: 2026-02-18T14:25:00 (UTC), seconds since 1970, or latest (five minutes ago)",
    )
    parser.add_argument("--into", metavar="NAME", required=True, help="name of the new table")
    json_argument(parser, "the DescribeTable reply of the new table")


def run(options: argparse.Namespace) -> int:
    """Restore, and wait until the table is active."""
    if bool(options.table) != bool(options.to):
        raise UsageError("--table and --to must be given together; --to takes a time or latest")
    request = _point_in_time_request(options) if options.table else {}
    connection = open_tables(options.on)
    try:
        with Progress(1, "table restored") as progress:
            table = _restore(connection, options, request, progress)
            progress.advance(options.into)
    finally:
        connection.close()
    if options.json:
        print_json(table)
    else:
        size = f"{count(table['ItemCount'], 'item')}, {count(table['TableSizeBytes'], 'byte')}"
        print_line(f"Restored {bold(options.into)}: {size}")
    return 0


def _point_in_time_request(options: argparse.Namespace) -> dict[str, Any]:
    if options.to == "latest":
        return {"SourceTableName": options.table, "UseLatestRestorableTime": True}
    try:
        return {"SourceTableName": options.table, "RestoreDateTime": timestamp(options.to)}
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--to {error}") from None


def _restore(
    connection: "Connection", options: argparse.Namespace, request: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    target = {"TargetTableName": options.into}
    if options.table:
        _restore_point_in_time(connection, request | target)
    else:
        connection.call("RestoreTableFromBackup", {"BackupArn": _find(connection, options.backup), **target})

    def poll() -> dict[str, Any]:
        return connection.call("DescribeTable", {"TableName": options.into})["Table"]  # type: ignore[no-any-return]

    return wait_for(
        poll, lambda reply: reply["TableStatus"] == "CREATING", progress, lambda reply: options.into
    )


def _restore_point_in_time(connection: "Connection", request: dict[str, Any]) -> None:
    try:
        connection.call("RestoreTableToPointInTime", request)
    except ServiceError as error:
        if error.code != "PointInTimeRecoveryUnavailableException":
            raise
        raise UsageError(
            f"{error}, so its earlier states are unknown; enable recovery for the next time with "
            "point_in_time_recovery in the design, or with tablewright export --enable-recovery"
        ) from None


def _find(connection: "Connection", backup: str) -> str:
    """Return the ARN of a backup that is given by ARN or name."""
    if backup.startswith("arn:"):
        return backup
    arns = [entry["BackupArn"] for entry in list_backups(connection) if entry["BackupName"] == backup]
    if not arns:
        raise UsageError(
            f"there is no backup named {backup}; list the backups with: tablewright backup --list"
        )
    return str(arns[-1])
