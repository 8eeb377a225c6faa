"""CreateTable: a new, empty table with its indexes."""

from typing import Any

from tablewright.engine.descriptions import describe_new, open_stream, show
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
    now = round(tx.now(), 3)
    description = describe_new(ask, tx.database.region, now)
    spaces = {"": tx.new_space()}
    for member in ("LocalSecondaryIndexes", "GlobalSecondaryIndexes"):
        for index in description.get(member, ()):
            spaces[index["IndexName"]] = tx.new_space()
    definition = {"Id": spaces[""], "Spaces": spaces, "Description": description, "Streams": []}
    stream = ask.get("StreamSpecification") or {}
    if stream.get("StreamEnabled"):
        open_stream(definition, catalog.next_number(tx.rows), stream["StreamViewType"], now)
    table = catalog.save(tx.rows, definition)
    return {"TableDescription": show(tx, table, "CREATING", "CREATING")}
