"""DescribeBackup: a backup, and the table it was made of."""

from typing import Any

from tablewright.engine.backups import records
from tablewright.engine.backups.names import ARN
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Reading
from tablewright.engine.shapes import Shape

NAME = "DescribeBackup"
MODE = "read"
SHAPE = Shape(BackupArn=ARN)


def parse(request: dict[str, Any]) -> str:
    """The backup's ARN."""
    return request["BackupArn"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """What is known of it."""
    return {"BackupDescription": records.show(records.find(tx, ask)[1])}
