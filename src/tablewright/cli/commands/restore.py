"""Make a new table of a backup, or of a table as it was at a second of the last 35 days.

The new table has the keys, indexes and billing of its source; TTL, stream, tags and recovery are to be set up again.
For a moment, the source must have point-in-time recovery.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tablewright.cli.commands.backup import list_backups
from tablewright.cli.job_wait import moment, open_tables, place_argument, plain, wait_for
from tablewright.cli.output import Progress, bold, say
from tablewright.errors import ServiceError, UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "restore"
SUMMARY = "make a new table of a backup, or of a moment"
EPILOG = """\
examples:
  tablewright restore --backup before-migration --into UsersBefore
  tablewright restore --table Users --to 2026-02-18T14:25:00 --into UsersBefore --on http://127.0.0.1:8000
  tablewright restore --table Users --to latest --into UsersCopy --on aws:eu-north-1
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `restore` understands."""
    place_argument(parser)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument(
        "--backup", metavar="NAME", help="a backup, by its ARN or its name; the newest of that name"
    )
    source.add_argument("--table", metavar="NAME", help="a table, as it was at a moment")
    parser.add_argument(
        "--to", metavar="MOMENT", help="when: 2026-02-18T14:25:00 (UTC), or latest, five minutes ago"
    )
    parser.add_argument("--into", metavar="NAME", required=True, help="the table to make")
    parser.add_argument("--json", action="store_true", help="print what DescribeTable shows of it")


def run(options: argparse.Namespace) -> int:
    """Restore, and wait until the table is there."""
    if bool(options.table) != bool(options.to):
        raise UsageError("--table and --to go together: name the moment, or latest")
    request = _moment_request(options) if options.table else {}
    connection = open_tables(options.on)
    try:
        with Progress(1, "table restored") as progress:
            table = _restore(connection, options, request, progress)
            progress.step(options.into)
    finally:
        connection.close()
    if options.json:
        say(json.dumps(plain(table), indent=2))
    else:
        say(f"{bold(options.into)} is there: {table['ItemCount']:,} items, {table['TableSizeBytes']:,} bytes")
    return 0


def _moment_request(options: argparse.Namespace) -> dict[str, Any]:
    if options.to == "latest":
        return {"SourceTableName": options.table, "UseLatestRestorableTime": True}
    try:
        return {"SourceTableName": options.table, "RestoreDateTime": moment(options.to)}
    except argparse.ArgumentTypeError as error:
        raise UsageError(f"--to: {error}") from None


def _restore(
    connection: "Connection", options: argparse.Namespace, request: dict[str, Any], progress: Progress
) -> dict[str, Any]:
    target = {"TargetTableName": options.into}
    if options.table:
        _restore_moment(connection, request | target)
    else:
        connection.call("RestoreTableFromBackup", {"BackupArn": _find(connection, options.backup), **target})

    def ask() -> dict[str, Any]:
        return connection.call("DescribeTable", {"TableName": options.into})["Table"]  # type: ignore[no-any-return]

    return wait_for(
        ask, lambda answer: answer["TableStatus"] == "CREATING", progress, lambda answer: options.into
    )


def _restore_moment(connection: "Connection", request: dict[str, Any]) -> None:
    try:
        connection.call("RestoreTableToPointInTime", request)
    except ServiceError as refusal:
        if refusal.code != "PointInTimeRecoveryUnavailableException":
            raise
        raise UsageError(
            f"{refusal}: what it was is not known. Switch recovery on for the next time "
            "(tablewright export --enable-recovery, or point_in_time_recovery in the design)"
        ) from None


def _find(connection: "Connection", backup: str) -> str:
    """The ARN of a backup that is given by its ARN or its name."""
    if backup.startswith("arn:"):
        return backup
    arns = [each["BackupArn"] for each in list_backups(connection) if each["BackupName"] == backup]
    if not arns:
        raise UsageError(
            f"there is no backup named {backup}; tablewright backup --list shows those there are"
        )
    return str(arns[-1])
