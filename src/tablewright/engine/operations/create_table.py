"""CreateTable: a new, empty table with its indexes."""

from typing import Any

from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.shapes import TABLE_NAME, Shape
from tablewright.errors import ResourceInUse

NAME = "CreateTable"
MODE = "write"
SHAPE = Shape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> dict[str, Any]:
    """From the request to its value."""
    return request


def run(tx: Writing, ask: dict[str, Any]) -> Reply:
    """Make the spaces and write the definition."""
    catalog = tx.database.catalog
    if catalog.find(ask["TableName"]):
        raise ResourceInUse(f"Table already exists: {ask['TableName']}")
    number = catalog.next_number(tx.rows)
    spaces = {"": number}
    for member in ("GlobalSecondaryIndexes", "LocalSecondaryIndexes"):
        for index in ask.get(member, ()):
            spaces[index["IndexName"]] = catalog.next_number(tx.rows)
    for space in spaces.values():
        tx.rows.create_space(space)
    table = catalog.save(tx.rows, {"Id": number, "Spaces": spaces, "Description": ask})
    return {"TableDescription": table.description}
