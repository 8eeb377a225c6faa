"""DescribeContinuousBackups: show whether point-in-time recovery is enabled, and its recovery window."""

from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import recovery_window
from tablewright.errors import TableNotFound

NAME = "DescribeContinuousBackups"
MODE = "read"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, request: str) -> Reply:
    """The recovery window, if recovery is enabled."""
    table = tx.durable_table(request)
    if table is None:
        tx.state.catalog.require_region(request)
        raise TableNotFound(f"Table not found: {request}")
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}
