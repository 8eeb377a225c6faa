"""DeleteTable: remove a table with all its items and indexes."""

from operator import itemgetter

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.table_removal import TABLE_DELETIONS, remove_table
from tablewright.engine.core.tables.table_descriptions import show_deleted
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import ResourceInUse, ValidationError

NAME = "DeleteTable"
MODE = "write"
COUNTS = True
SHAPE = TableShape(TableName=TABLE_NAME)
parse = itemgetter("TableName")


def run(tx: Writing, request: str) -> Reply:
    """Delete the table. Its streams stay readable for a day; with point-in-time recovery, a backup is kept."""
    catalog = tx.state.catalog
    if catalog.announced(tx.rows, request):
        raise ResourceInUse(
            f"Attempt to change a resource which is still in use: Table is being created: {table_name(request)}"
        )
    table = tx.described(request)
    for delete in TABLE_DELETIONS:
        if (reply := delete(tx, table)) is not None:
            return reply
    if table.description["DeletionProtectionEnabled"]:
        raise ValidationError(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if table.other_index(table.definition.get("Building", "")) is not None:
        raise ResourceInUse(
            "Attempt to change a resource which is still in use: "
            "Cannot delete table while indexes are being created, updated, or deleted."
        )
    if "Building" in table.definition or "Deleting" in table.definition:
        raise ResourceInUse(
            f"Attempt to change a resource which is still in use: Table is being updated: {table.name}"
        )
    shown = show_deleted(tx, table)
    remove_table(tx, table)
    return {"TableDescription": shown}
