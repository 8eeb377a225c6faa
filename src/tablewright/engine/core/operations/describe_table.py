"""DescribeTable: show a table's keys, indexes, settings, item count and size."""

from operator import itemgetter

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_descriptions import show, show_announced
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape

NAME = "DescribeTable"
# The counts may include a commit that the snapshot does not; on AWS they are hours old.
MODE = "snapshot"
SHAPE = TableShape(TableName=TABLE_NAME)
parse = itemgetter("TableName")


def run(tx: Reading, request: str) -> Reply:
    """Show the current table, also one that is being restored."""
    coming = tx.state.catalog.announced(tx.rows, request)
    return {"Table": show_announced(coming) if coming else show(tx, tx.described(request))}
