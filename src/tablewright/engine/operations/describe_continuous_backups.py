"""DescribeContinuousBackups: whether a table is backed up continuously. None is: copy the file instead."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound

NAME = "DescribeContinuousBackups"
# Among the writers, so that nothing is shown that is not durable.
MODE = "write"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Writing, ask: str) -> Reply:
    """Disabled, for any table there is."""
    if tx.database.catalog.find(ask) is None:
        raise TableNotFound(f"Table not found: {ask}")
    recovery = {"PointInTimeRecoveryStatus": "DISABLED"}
    return {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "DISABLED",
            "PointInTimeRecoveryDescription": recovery,
        }
    }
