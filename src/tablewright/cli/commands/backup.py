"""Create backups of tables, list backups, or delete one.

A backup is a copy of one table at one time, and is kept until it is deleted. Backups of several tables are not of the
same time. `tablewright restore` creates a new table from a backup.
"""

import argparse
import time
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import json_argument, location_argument
from tablewright.cli.data_locations import list_backups, open_tables, table_names
from tablewright.cli.output import Column, format_time, print_json, print_line, print_table
from tablewright.cli.progress import Progress, wait_for
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "backup"
SUMMARY = "create, list or delete backups of tables"
EPILOG = """\
examples:
  tablewright backup --table Users                     back up a table of tablewright.db
  tablewright backup --all --name before-migration --on http://127.0.0.1:8000
  tablewright backup --list --on aws:eu-north-1
  tablewright backup --delete ARN
"""

_COLUMNS = (
    Column("NAME"),
    Column("CREATED (UTC)"),
    Column("STATUS"),
    Column("BYTES", "right"),
    Column("ARN"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `backup`."""
    location_argument(parser)
    mode = parser.add_mutually_exclusive_group(required=True)
    mode.add_argument("--table", metavar="NAME", action="append", help="back up this table; may be repeated")
    mode.add_argument("--all", action="store_true", help="back up all tables")
    mode.add_argument("--list", action="store_true", help="list backups, also those made by the system")
    mode.add_argument("--delete", metavar="ARN", help="delete a backup")
    parser.add_argument("--name", help="name of the backups (default: the table name and the time)")
    json_argument(parser, "the backup details")


def run(options: argparse.Namespace) -> int:
    """Create, list or delete backups."""
    connection = open_tables(options.on)
    try:
        if options.list:
            _show(options, list_backups(connection))
        elif options.delete:
            reply = connection.call("DeleteBackup", {"BackupArn": options.delete})
            _show(options, [reply["BackupDescription"]["BackupDetails"]])
        else:
            _show(options, _back_up_tables(connection, options))
    finally:
        connection.close()
    return 0


def _back_up_tables(connection: "Connection", options: argparse.Namespace) -> list[dict[str, Any]]:
    tables = options.table or table_names(connection)
    if not tables:
        raise UsageError(f"{options.on} has no tables")
    backups = []
    with Progress(len(tables), "tables backed up") as progress:
        for table in tables:
            progress.advance(table, count=0)
            backups.append(_back_up(connection, table, options.name, progress))
            progress.advance(table)
    return backups


def _back_up(connection: "Connection", table: str, name: str | None, progress: Progress) -> dict[str, Any]:
    backup = name or f"{table}-{time.strftime('%Y-%m-%d-%H%M%S', time.gmtime())}"[-255:]
    details = connection.call("CreateBackup", {"TableName": table, "BackupName": backup})["BackupDetails"]

    def poll() -> dict[str, Any]:
        reply = connection.call("DescribeBackup", {"BackupArn": details["BackupArn"]})
        return reply["BackupDescription"]["BackupDetails"]  # type: ignore[no-any-return]

    return wait_for(poll, lambda reply: reply["BackupStatus"] == "CREATING", progress, lambda reply: table)


def _show(options: argparse.Namespace, backups: list[dict[str, Any]]) -> None:
    if options.json:
        print_json(backups)
    elif not backups:
        print_line(f"{options.on} has no backups")
    else:
        print_table(_COLUMNS, (_row(backup) for backup in backups))


def _row(backup: dict[str, Any]) -> tuple[str, ...]:
    return (
        backup["BackupName"],
        format_time(backup["BackupCreationDateTime"]),
        backup["BackupStatus"],
        f"{backup.get('BackupSizeBytes', 0):,}",
        backup["BackupArn"],
    )
