"""DescribeTable: a table's keys, indexes, settings, and how much is in it."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.descriptions import show
from tablewright.engine.tables.shapes import TABLE_NAME, TableShape

NAME = "DescribeTable"
# Among the writers, so that nothing is shown that is not durable, and the figures are exact.
MODE = "write"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Writing, ask: str) -> Reply:
    """Show the table as it is now."""
    return {"Table": show(tx, tx.database.catalog.described(ask))}
