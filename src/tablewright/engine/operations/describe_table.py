"""DescribeTable: a table's keys, indexes, settings, and how much is in it."""

from typing import Any

from tablewright.engine.backups.snapshots import restores
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Reading
from tablewright.engine.tables.table_descriptions import show
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape

NAME = "DescribeTable"
# The figures may be ahead of the snapshot by what is just being committed; AWS's are hours behind.
MODE = "snapshot"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Reading, ask: str) -> Reply:
    """Show the table as it is now, also one that is being restored."""
    coming = tx.state.catalog.announced(tx.rows, ask)
    return {"Table": restores.show(coming) if coming else show(tx, tx.described(ask))}
