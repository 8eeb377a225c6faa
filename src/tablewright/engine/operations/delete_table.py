"""DeleteTable: remove a table with all its items and indexes."""

from typing import Any

from tablewright.engine import ttl
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.streams import records as streams
from tablewright.engine.tables.descriptions import show_deleted
from tablewright.engine.tables.shapes import TABLE_NAME, TableShape
from tablewright.errors import ValidationError

NAME = "DeleteTable"
MODE = "write"
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Writing, ask: str) -> Reply:
    """Drop everything the table has; its streams can still be read for a day."""
    catalog = tx.database.catalog
    table = tx.described(ask)
    if table.description["DeletionProtectionEnabled"]:
        raise ValidationError(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    shown = show_deleted(tx, table)
    streams.retire(tx, table)
    ttl.forget_all(tx, table)
    catalog.remove(tx.rows, table)
    for space in table.definition["Spaces"].values():
        tx.drop_space(space)
    return {"TableDescription": shown}
