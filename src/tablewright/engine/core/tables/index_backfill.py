"""Backfill: write the rows of a new index for the items of its table, in short steps concurrently with writers.

A step reads items and writes their index rows in one transaction, so a row is never older than its item. From the
transaction that announced the index, every write maintains its rows too. A step therefore finds each item as it is
now, and may write a row that a writer wrote before.

The rows of a table in the order of its keys are at random places of an index, and each would change another page of the
file. So a build reads the keys of all items first, sorts them by their place in the index, and then writes the rows:
`index_places` and `fill_places`.

A local index is filled only in a table that is being restored: then the sizes of item collections are computed too.

Items whose values do not fit the index's key (missing, of another type, empty, too long) are left out, as on AWS, and
stay in the table.
"""

import time
from collections.abc import Sequence

from tablewright.dynamodb.values.key_bytes import partition_of
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.collection_sizes import add_sizes
from tablewright.engine.core.index_rows import row_in
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import Index, Table
from tablewright.engine.core.state.row_batches import batch_end
from tablewright.engine.features.vectors.vector_index import VectorIndex
from tablewright.engine.storage import View

Place = tuple[bytes, bytes]
"""The key of a row in an index, and the key of its item."""


def index_places(rows: View, table: Table, index: Index, low: bytes) -> tuple[list[Place], bytes | None]:
    """The places in an index of a batch of items from the key `low` on; and the next key, or None at the end."""
    end = batch_end(rows, table.space, low)
    places = []
    for key, item in rows.range(table.space, low, end):
        head = index.keys.find(item.attributes)
        if head is not None:
            places.append((head + key, key))
    return places, end


def fill_places(tx: Writing, table: Table, index: Index, places: Sequence[Place], start: int) -> int:
    """Write a batch of the rows at these places, from the position `start` on; return the next position.

    The items are read again, because writers may have changed or deleted them.
    """
    deadline = time.monotonic() + row_batches.MAX_SECONDS
    size = 0
    for position in range(start, min(start + row_batches.MAX_ROWS, len(places))):
        if position > start and (size > row_batches.MAX_BYTES or time.monotonic() > deadline):
            return position
        item = tx.rows.get(table.space, places[position][1])
        if item is not None:
            size += item.size
            _fill(tx, index, places[position][1], item)
    return min(start + row_batches.MAX_ROWS, len(places))


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
            row = _fill(tx, index, key, item)
            if row is not None and index.kind == "local":
                size += row.size
        head = partition_of(key)
        sizes[head] = sizes.get(head, 0) + size
    if any(index.kind == "local" for index in indexes):
        add_sizes(tx.rows, table, sizes)
    return end


def _fill(tx: Writing, index: Index | VectorIndex, key: bytes, item: StoredItem) -> StoredItem | None:
    """Write the row of an item, and return it; None if the item has none."""
    row = row_in(index, key, item)
    if row is None:
        return None
    tx.state.tallies.note(index.space, tx.rows.get(index.space, row[0]), row[1])
    tx.rows.put(index.space, *row)
    return row[1]
