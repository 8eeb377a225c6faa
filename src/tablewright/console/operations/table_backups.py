"""Backups of the tables of a design: list, create, restore to a new table, delete; and point-in-time recovery."""

import time
from collections.abc import Callable, Mapping
from typing import Any

from tablewright.console.open_designs import OpenDesign
from tablewright.console.service_messages import service_message
from tablewright.console.tasks import Task, TaskReport
from tablewright.errors import ServiceError, UsageError

FIRST_PAUSE, LAST_PAUSE = 0.05, 5.0
"""Seconds between two polls: a local store is quick, AWS takes minutes."""

Description = Mapping[str, Any]


def wait_for(
    poll: Callable[[], Description],
    is_running: Callable[[Description], bool],
    report: TaskReport,
    describe: Callable[[Description], str],
) -> Description:
    """Poll until the job has ended; return its last description. A cancelled task stops waiting; the job continues."""
    pause = FIRST_PAUSE
    while True:
        description = poll()
        if not is_running(description):
            return description
        report(0, None, describe(description))
        report.wait(pause)
        pause = min(pause * 1.5, LAST_PAUSE)


MAX_BACKUPS = 500
LATEST_NAME = 255


def list_backups(opened: OpenDesign) -> list[dict[str, Any]]:
    """Return the backups of the tables of the design, newest first."""
    backups: list[dict[str, Any]] = []
    request: dict[str, Any] = {"BackupType": "ALL", "Limit": 100}
    while len(backups) < MAX_BACKUPS:
        reply = opened.db.connection.call("ListBackups", request)
        backups += [
            _summary(summary) for summary in reply["BackupSummaries"] if summary["TableName"] in opened.tables
        ]
        if "LastEvaluatedBackupArn" not in reply:
            break
        request["ExclusiveStartBackupArn"] = reply["LastEvaluatedBackupArn"]
    return sorted(backups, key=lambda backup: -backup["created_at"])


def _summary(backup: Description) -> dict[str, Any]:
    return {
        "arn": backup["BackupArn"],
        "name": backup["BackupName"],
        "table": backup["TableName"],
        "created_at": seconds(backup["BackupCreationDateTime"]),
        "status": backup["BackupStatus"],
        "type": backup["BackupType"],
        "bytes": backup.get("BackupSizeBytes", 0),
    }


def seconds(value: Any) -> float:
    """Return a time of a reply as seconds since 1970; boto3 returns a `datetime`."""
    return float(value.timestamp()) if hasattr(value, "timestamp") else float(value)


def find_backup(opened: OpenDesign, arn: str) -> dict[str, Any]:
    """Return a backup of a table of the design; `UsageError` if there is none."""
    backup = next((candidate for candidate in list_backups(opened) if candidate["arn"] == arn), None)
    if backup is None:
        raise UsageError(f"there is no backup {arn} of a table of {opened.name}; reload the list")
    return backup


def create_backup(opened: OpenDesign, table: str, name: str | None) -> Task:
    """Start a task that backs up a table."""
    opened.table(table)
    label = (name or f"{table}-{time.strftime('%Y-%m-%d-%H%M%S', time.gmtime())}")[-LATEST_NAME:]
    call = opened.db.connection.call

    def run(report: TaskReport) -> dict[str, Any]:
        report(0, None, f"backing up {table}")
        arn = call("CreateBackup", {"TableName": table, "BackupName": label})["BackupDetails"]["BackupArn"]
        ended = wait_for(
            lambda: call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]["BackupDetails"],
            lambda backup: backup["BackupStatus"] == "CREATING",
            report,
            lambda backup: label,
        )
        return {"name": label, "arn": ended["BackupArn"], "bytes": ended.get("BackupSizeBytes", 0)}

    return opened.tasks.start("backup", f"Back up {table}", run, table=table)


def restore_backup(opened: OpenDesign, arn: str, into: str) -> Task:
    """Start a task that restores a backup to a new table."""
    backup = find_backup(opened, arn)
    _require_absent(opened, into)
    call = opened.db.connection.call

    def run(report: TaskReport) -> dict[str, Any]:
        report(0, None, f"restoring to {into}")
        call("RestoreTableFromBackup", {"BackupArn": arn, "TargetTableName": into})
        ended = wait_for(
            lambda: call("DescribeTable", {"TableName": into})["Table"],
            lambda restored: restored["TableStatus"] == "CREATING",
            report,
            lambda restored: into,
        )
        return {"table": into, "items": ended.get("ItemCount", 0), "bytes": ended.get("TableSizeBytes", 0)}

    return opened.tasks.start(
        "restore", f"Restore {backup['name']} to {into}", run, table=into, exclusive=True
    )


def _require_absent(opened: OpenDesign, name: str) -> None:
    try:
        opened.db.connection.call("DescribeTable", {"TableName": name})
    except ServiceError as error:
        if error.code == "ResourceNotFoundException":
            return
        raise
    raise UsageError(f"table {name} exists; a backup is restored to a new table, so give another name")


def delete_backup(opened: OpenDesign, arn: str, confirm: str) -> None:
    """Delete a backup; `confirm` is its name."""
    backup = find_backup(opened, arn)
    if confirm != backup["name"]:
        raise UsageError(f"to delete this backup, type its name {backup['name']}; nothing was deleted")
    opened.db.connection.call("DeleteBackup", {"BackupArn": arn})


def recovery_state(opened: OpenDesign, table: str) -> dict[str, Any]:
    """Return whether a table has point-in-time recovery, and the earliest and latest time that can be restored."""
    try:
        reply = opened.db.connection.call("DescribeContinuousBackups", {"TableName": table})
    except ServiceError as error:
        return {"enabled": False, "earliest": None, "latest": None, "why": service_message(error)}
    recovery = reply["ContinuousBackupsDescription"].get("PointInTimeRecoveryDescription", {})
    times = {
        name: seconds(recovery[member]) if member in recovery else None
        for name, member in (
            ("earliest", "EarliestRestorableDateTime"),
            ("latest", "LatestRestorableDateTime"),
        )
    }
    return {"enabled": recovery.get("PointInTimeRecoveryStatus") == "ENABLED", **times, "why": None}


def set_recovery(opened: OpenDesign, table: str, *, enabled: bool, confirm: str | None) -> dict[str, Any]:
    """Turn point-in-time recovery on or off; to turn it off, `confirm` is the name of the table."""
    opened.table(table)
    if not enabled and confirm != table:
        raise UsageError(
            f"turning recovery off deletes the earlier versions of all items of {table}; "
            f"type the name {table} to confirm"
        )
    specification = {"PointInTimeRecoveryEnabled": enabled}
    request = {"TableName": table, "PointInTimeRecoverySpecification": specification}
    opened.db.connection.call("UpdateContinuousBackups", request)
    return recovery_state(opened, table)
