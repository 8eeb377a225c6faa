"""DeleteBackup: delete a backup with its items."""

from typing import Any

from tablewright.engine.core.jobs.backup_arns import ARN
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Writing
from tablewright.engine.features.backups import backups
from tablewright.engine.features.backups.recovery_window import format_time
from tablewright.errors import ValidationError

NAME = "DeleteBackup"
MODE = "write"
SHAPE = Shape(BackupArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The backup's ARN."""
    return request["BackupArn"]  # type: ignore[no-any-return]


def run(tx: Writing, request: str) -> Reply:
    """Delete the backup, unless it is in use or a system backup."""
    name, backup = backups.find(tx, request)
    if backup["Details"]["BackupType"] == "SYSTEM":
        raise ValidationError(
            f"Invalid Request: User is not allowed to delete the system backup with arn {request}. It will "
            f"automatically expire on {format_time(backup['Details']['BackupExpiryDateTime'])}"
        )
    backups.require_idle(backup, "table")
    backups.drop(tx, name, backup)
    backup["Details"]["BackupStatus"] = "DELETED"
    return {"BackupDescription": backups.show(backup)}
