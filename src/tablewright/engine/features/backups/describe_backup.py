"""DescribeBackup: show a backup and its source table."""

from typing import Any

from tablewright.engine.core.jobs.backup_arns import ARN
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Shape
from tablewright.engine.core.sessions import Reading
from tablewright.engine.features.backups import backups

NAME = "DescribeBackup"
MODE = "read"
SHAPE = Shape(BackupArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The backup's ARN."""
    return request["BackupArn"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """The description of the backup."""
    return {"BackupDescription": backups.show(backups.find(tx, request)[1])}
