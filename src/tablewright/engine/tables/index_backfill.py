"""Backfill: write the rows of a new index for the items that its table already has, in short steps beside writers.

A step reads items and writes their index rows in one transaction, so a row is never older than its item. From the
transaction that announced the index, every write maintains its rows too. A step therefore finds each item as it is
now, and may write a row that a writer wrote before.

A local index is filled only in a table that is being restored: then the sizes of item collections are computed too.

Items whose values do not fit the index's key (missing, of another type, empty, too long) are left out, as on AWS, and
stay in the table.
"""

import time
from collections.abc import Sequence

from tablewright.engine.collection_sizes import add_sizes
from tablewright.engine.index_rows import row_in
from tablewright.engine.sessions import Writing
from tablewright.engine.state import row_batches
from tablewright.engine.state.catalog import Index, Table
from tablewright.engine.state.row_batches import batch_end
from tablewright.engine.state.vector_index import VectorIndex
from tablewright.values.key_bytes import partition_of


def fill_step(tx: Writing, table: Table, indexes: Sequence[Index | VectorIndex], low: bytes) -> bytes | None:
    """Write the index rows of a batch of items from the key `low` on; return the next key, or None at the end."""
    end = batch_end(tx.rows, table.space, low)
    sizes: dict[bytes, int] = {}
    deadline = time.monotonic() + row_batches.MAX_SECONDS
    for key, item in list(tx.rows.range(table.space, low, end)):
        if key != low and time.monotonic() > deadline:
            end = key
            break
        size = item.size
        for index in indexes:
            row = row_in(index, key, item)
            if row is not None:
                tx.state.tallies.note(index.space, tx.rows.get(index.space, row[0]), row[1])
                tx.rows.put(index.space, *row)
                if index.kind == "local":
                    size += row[1].size
        head = partition_of(key)
        sizes[head] = sizes.get(head, 0) + size
    if any(index.kind == "local" for index in indexes):
        add_sizes(tx.rows, table, sizes)
    return end
