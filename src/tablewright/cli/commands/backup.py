"""Copy tables as they are now, and keep the copies until they are deleted.

A backup is of one table at one moment; those of several tables are not of the same moment. `tablewright restore` makes
a new table of one.
"""

import argparse
import json
import time
from typing import TYPE_CHECKING, Any

from tablewright.cli.job_wait import open_tables, pages, place_argument, plain, shown, wait_for
from tablewright.cli.output import Progress, bold, say
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.connections import Connection

NAME = "backup"
SUMMARY = "back up tables, list backups, delete one"
EPILOG = """\
examples:
  tablewright backup --table Users                     a copy of a table in tablewright.db, here
  tablewright backup --all --name before-migration --on http://127.0.0.1:8000
  tablewright backup --list --on aws:eu-north-1
  tablewright backup --delete ARN
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `backup` understands."""
    place_argument(parser)
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--table", metavar="NAME", action="append", help="a table; may be repeated")
    what.add_argument("--all", action="store_true", help="every table")
    what.add_argument("--list", action="store_true", help="list the backups there are")
    what.add_argument("--delete", metavar="ARN", help="delete a backup")
    parser.add_argument("--name", help="what the backups are called (the table's name and the time)")
    parser.add_argument("--json", action="store_true", help="print what AWS's API shows of them")


def run(options: argparse.Namespace) -> int:
    """Do what was asked for."""
    connection = open_tables(options.on)
    try:
        if options.list:
            _show(options, list_backups(connection))
        elif options.delete:
            reply = connection.call("DeleteBackup", {"BackupArn": options.delete})
            _show(options, [reply["BackupDescription"]["BackupDetails"]])
        else:
            _show(options, _make(connection, options))
    finally:
        connection.close()
    return 0


def list_backups(connection: "Connection") -> list[dict[str, Any]]:
    """All backups, the system's too."""
    mark = ("LastEvaluatedBackupArn", "ExclusiveStartBackupArn")
    return pages(connection, "ListBackups", "BackupSummaries", {"BackupType": "ALL"}, mark)


def _make(connection: "Connection", options: argparse.Namespace) -> list[dict[str, Any]]:
    tables = options.table or pages(
        connection, "ListTables", "TableNames", {}, ("LastEvaluatedTableName", "ExclusiveStartTableName")
    )
    if not tables:
        raise UsageError(f"{options.on} holds no tables")
    made = []
    with Progress(len(tables), "tables backed up") as progress:
        for table in tables:
            progress.step(table, count=0)
            made.append(_back_up(connection, table, options.name, progress))
            progress.step(table)
    return made


def _back_up(connection: "Connection", table: str, name: str | None, progress: Progress) -> dict[str, Any]:
    called = name or f"{table}-{time.strftime('%Y-%m-%d-%H%M%S', time.gmtime())}"[-255:]
    details = connection.call("CreateBackup", {"TableName": table, "BackupName": called})["BackupDetails"]

    def ask() -> dict[str, Any]:
        reply = connection.call("DescribeBackup", {"BackupArn": details["BackupArn"]})
        return reply["BackupDescription"]["BackupDetails"]  # type: ignore[no-any-return]

    return wait_for(ask, lambda answer: answer["BackupStatus"] == "CREATING", progress, lambda answer: table)


def _show(options: argparse.Namespace, backups: list[dict[str, Any]]) -> None:
    if options.json:
        say(json.dumps(plain(backups), indent=2))
    elif not backups:
        say(f"{options.on} holds no backups")
    else:
        width = max(len("NAME"), *(len(backup["BackupName"]) for backup in backups))
        say(bold(f"{'NAME':<{width}}  {'MADE (UTC)':<19}  {'STATUS':<9}  {'BYTES':>14}  ARN"))
        for backup in backups:
            made, size = shown(backup["BackupCreationDateTime"]), backup.get("BackupSizeBytes", 0)
            status, arn = backup["BackupStatus"], backup["BackupArn"]
            say(f"{backup['BackupName']:<{width}}  {made}  {status:<9}  {size:>14,}  {arn}")
