"""DescribeContinuousBackups: whether a table can be had as it was, and since when."""

from typing import Any

from tablewright.engine.backups.snapshots import recovery_window
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Reading
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound

NAME = "DescribeContinuousBackups"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """The window, if there is one."""
    table = tx.durable_table(ask)
    if table is None:
        raise TableNotFound(f"Table not found: {ask}")
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}
