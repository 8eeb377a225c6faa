"""DescribeContinuousBackups: whether a table is backed up continuously. None is: copy the file instead."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Reading
from tablewright.engine.tables.shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound

NAME = "DescribeContinuousBackups"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """Disabled, for any table there is."""
    if tx.settled(ask) is None:
        raise TableNotFound(f"Table not found: {ask}")
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "DISABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }
