"""DeleteTable: remove a table with all its items and indexes."""

from typing import Any

from tablewright.engine import change_journal, ttl
from tablewright.engine.backups.snapshots import backups, row_copies
from tablewright.engine.collection_sizes import sizes_range
from tablewright.engine.jobs import row_removals
from tablewright.engine.operations import Reply
from tablewright.engine.requests.arns import table_name
from tablewright.engine.sessions import Writing
from tablewright.engine.state.catalog import COLLECTIONS, EXPIRY, JOURNAL, Table
from tablewright.engine.streams import stream_records as streams
from tablewright.engine.tables.table_descriptions import show_deleted
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import ResourceInUse, ValidationError

NAME = "DeleteTable"
MODE = "write"
COUNTS = True
SHAPE = TableShape(TableName=TABLE_NAME)


def parse(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def run(tx: Writing, request: str) -> Reply:
    """Delete the table. Its streams stay readable for a day; with point-in-time recovery, a backup is kept."""
    catalog = tx.state.catalog
    if catalog.announced(tx.rows, request):
        raise ResourceInUse(
            f"Attempt to change a resource which is still in use: Table is being created: {table_name(request)}"
        )
    table = tx.described(request)
    if table.description["DeletionProtectionEnabled"]:
        raise ValidationError(
            "Resource cannot be deleted as it is currently protected against deletion. "
            "Disable deletion protection first."
        )
    if "Building" in table.definition or "Deleting" in table.definition:
        raise ResourceInUse(
            f"Attempt to change a resource which is still in use: Table is being updated: {table.name}"
        )
    shown = show_deleted(tx, table)
    streams.retire(tx, table)
    catalog.remove(tx.rows, table)
    row_removals.remove_range(tx, EXPIRY, *ttl.schedule_range(table))
    if table.has_local_indexes:
        row_removals.remove_range(tx, COLLECTIONS, *sizes_range(table))
    row_removals.remove_spaces(tx, _left_behind(tx, table))
    return {"TableDescription": shown}


def _left_behind(tx: Writing, table: Table) -> list[int]:
    """The spaces to remove: not the items' space when a backup takes it over or a job is copying it."""
    is_copied = bool(table.definition.get("Copying"))
    if table.is_journaled and not is_copied:
        row_removals.remove_range(tx, JOURNAL, *change_journal.range_of(table.id))
    if table.definition.get("Recovery"):
        backups.keep_deleted(tx, table)
    elif is_copied:
        row_copies.orphan(tx, table)
    else:
        return list(table.definition["Spaces"].values())
    return [index.space for index in table.indexes]
