"""RestoreTableFromBackup: a new table with the items of a backup."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.backups import documents, overrides, records, restores
from tablewright.engine.backups.names import ARN
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.shapes import Shape, Text

NAME = "RestoreTableFromBackup"
MODE = "write"
PLANS = True
TARGET = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True)
SHAPE = Shape(TargetTableName=TARGET, BackupArn=ARN, **overrides.SHAPES)


@dataclass(frozen=True, slots=True)
class RestoreTableFromBackup:
    """What is asked for."""

    target: str
    backup: str
    request: dict[str, Any]


def parse(request: dict[str, Any]) -> RestoreTableFromBackup:
    """From the request to its value."""
    return RestoreTableFromBackup(request["TargetTableName"], request["BackupArn"], request)


def run(tx: Writing, ask: RestoreTableFromBackup) -> Reply:
    """Announce the table, and plan to fill it."""
    name, backup = records.find(tx, ask.backup)
    database, now = tx.database, round(tx.now(), 3)
    description = overrides.describe(ask.request, backup["Description"], database.region, now, NAME)
    restores.require_free(tx, ask.target)
    records.require_idle(backup, "another table")
    summary = {
        "SourceBackupArn": backup["Details"]["BackupArn"],
        "SourceTableArn": backup["Source"]["TableArn"],
        "RestoreDateTime": backup["Details"]["BackupCreationDateTime"],
    }
    target = restores.announce(tx, description, summary)
    documents.save(tx.rows, "backup", name.key, backup | {"Restoring": ask.target})
    restores.from_backup(tx, target, name.key, backup["Space"])
    return {"TableDescription": restores.show(target)}
