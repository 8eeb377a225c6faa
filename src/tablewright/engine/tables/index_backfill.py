"""Backfill: write the rows of a new index for the items that its table already has.

It is complete before UpdateTable replies. Items whose values do not fit the index's key (missing, of another type,
empty, too long) are left out, as on AWS, and stay in the table.
"""

from tablewright.engine.index_rows import row_of
from tablewright.engine.sessions import Writing
from tablewright.engine.state.catalog import Index, Table


def fill(tx: Writing, table: Table, index: Index) -> None:
    """Write all rows of a new index."""
    for key, item in tx.range(table, b"", None):
        row = row_of(index, key, item)
        if row is not None:
            tx.rows.put(index.space, *row)
            tx.state.tallies.note(index.space, None, row[1])
