"""Collection sizes: the bytes of each item collection, in tables with a local index.

    COLLECTIONS   table, partition  ->  the size of the collection, in digits

A collection is all rows of one partition key, in the table and in its local indexes. Its size is updated in the
transaction of each change, so no write reads a whole collection. A size that is not stored is computed from the rows:
that of an empty collection, or of one that was written by an older version, which is read once.
"""

from collections.abc import Mapping

from tablewright.dynamodb.values.key_bytes import after, partition_of
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.state.catalog import COLLECTIONS, StoredTable
from tablewright.engine.storage import ReadView, Transaction


def collection_size(rows: ReadView, table: StoredTable, partition: bytes) -> int:
    """The bytes of a collection; `partition` is the start of its keys."""
    row = rows.get(COLLECTIONS, _row_key(table, partition))
    return int(row.raw) if row is not None else _computed(rows, table, partition)


def record_growth(rows: Transaction, change: ItemChange, growth: int) -> None:
    """Update the size of the collection of a change, after its rows were written."""
    if growth:
        _add(rows, change.table, partition_of(change.key), growth)


def add_sizes(rows: Transaction, table: StoredTable, sizes: Mapping[bytes, int]) -> None:
    """Add the sizes of rows that a job wrote to a table that is not visible yet, by partition."""
    for partition, size in sizes.items():
        row_key = _row_key(table, partition)
        row = rows.get(COLLECTIONS, row_key)
        _store(rows, row_key, size if row is None else int(row.raw) + size)


def sizes_range(table: StoredTable) -> tuple[bytes, bytes]:
    """The range of the sizes of a table."""
    return table.id.to_bytes(8, "big"), (table.id + 1).to_bytes(8, "big")


def _add(rows: Transaction, table: StoredTable, partition: bytes, growth: int) -> None:
    row_key = _row_key(table, partition)
    row = rows.get(COLLECTIONS, row_key)
    _store(rows, row_key, _computed(rows, table, partition) if row is None else int(row.raw) + growth)


def _store(rows: Transaction, row_key: bytes, size: int) -> None:
    if size:
        rows.put(COLLECTIONS, row_key, StoredItem(b"%d" % size, 0))
    else:
        rows.delete(COLLECTIONS, row_key)


def _computed(rows: ReadView, table: StoredTable, partition: bytes) -> int:
    high = after(partition)
    return sum(rows.totals(space, partition, high)[1] for space in collection_spaces(table))


def collection_spaces(table: StoredTable) -> list[int]:
    """The spaces whose rows belong to collections: of the table and of its local indexes."""
    return [table.space, *(index.space for index in table.indexes if index.kind == "local")]


def _row_key(table: StoredTable, partition: bytes) -> bytes:
    return table.id.to_bytes(8, "big") + partition
