"""RestoreTableFromBackup: create a table with the items of a backup."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape, Text
from tablewright.engine.core.sessions import Writing
from tablewright.engine.features.backups import backups, restore_overrides, restores

NAME = "RestoreTableFromBackup"
MODE = "write"
PLANS = True
TARGET = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True)
SHAPE = Shape(TargetTableName=TARGET, BackupArn=ARN, **restore_overrides.SHAPES)


@dataclass(frozen=True, slots=True)
class RestoreTableFromBackup:
    """Parsed RestoreTableFromBackup request."""

    target: str
    backup: str
    raw: dict[str, Any]


def parse(request: dict[str, Any]) -> RestoreTableFromBackup:
    """Parse the request."""
    return RestoreTableFromBackup(request["TargetTableName"], request["BackupArn"], request)


def run(tx: Writing, request: RestoreTableFromBackup) -> Reply:
    """Announce the table, and plan the job that fills it."""
    name, backup = backups.find(tx, request.backup)
    state, now = tx.state, round(tx.now(), 3)
    description = restore_overrides.describe(request.raw, backup["Description"], state.region, now, NAME)
    restores.require_free(tx, request.target)
    backups.require_idle(backup, "another table")
    summary = {
        "SourceBackupArn": backup["Details"]["BackupArn"],
        "SourceTableArn": backup["Source"]["TableArn"],
        "RestoreDateTime": backup["Details"]["BackupCreationDateTime"],
    }
    target = restores.announce(tx, description, summary)
    job_records.save(tx.rows, "backup", name.key, backup | {"Restoring": request.target})
    restores.from_backup(tx, target, name.key, backup["Space"])
    return {"TableDescription": restores.show(target)}
