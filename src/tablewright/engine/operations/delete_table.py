"""DeleteTable: remove a table with all its items and indexes."""

from typing import Any

from tablewright.engine.descriptions import show
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.shapes import TABLE_NAME, Shape
from tablewright.engine.streams import retire
from tablewright.engine.ttl import forget_all

NAME = "DeleteTable"
MODE = "write"
SHAPE = Shape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Writing, ask: str) -> Reply:
    """Drop everything the table has."""
    catalog = tx.database.catalog
    table = catalog.described(ask)
    shown = show(tx, table, "DELETING")
    retire(tx, table)
    forget_all(tx, table)
    catalog.remove(tx.rows, table)
    for space in table.definition["Spaces"].values():
        tx.database.tallies.forget(space)
    return {"TableDescription": shown}
