"""Vector rows: the rows of a vector index, derived from items, written in the same transaction.

    key    the key bytes of the partition key, if the search schema has one, then the table's key
    body   the vector as packed 32-bit floats, then the projected item without the vector, as JSON
    size   what AWS meters: 4 bytes a dimension, the name of the vector, and the size of the projected item

A body is not JSON as a whole, so `StoredItem.attributes` of a row cannot be used; `projected_item` can.
"""

from collections.abc import Iterator

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.item_sizes import item_size, text_size
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.dynamodb.values.vectors import WIDTH
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.features.vectors.vector_index import VectorIndex

Row = tuple[bytes, StoredItem]

LEAST_METERED = 1024
"""Bytes that a write of an index is metered at least."""


def row_of(index: VectorIndex, key: bytes, item: StoredItem | None) -> Row | None:
    """The row of an item in an index; None when the item does not belong to it."""
    vector = None if item is None else index.vector_of(item.attributes)
    if item is None or vector is None:
        return None
    head = b"" if index.hash is None else index.hash.encode(item.attributes)
    rest = {
        name: value
        for name, value in item.attributes.items()
        if name != index.attribute and (index.projected is None or name in index.projected)
    }
    size = len(vector) + text_size(index.attribute) + item_size(rest)
    return head + key, StoredItem(vector + encode(rest), size)


def vector_part(index: VectorIndex, row: StoredItem) -> bytes:
    """The packed vector of a row."""
    return row.raw[: index.dimensions * WIDTH]


def item_part(index: VectorIndex, row: StoredItem) -> StoredItem:
    """The projected item of a row, without the vector."""
    return StoredItem(row.raw[index.dimensions * WIDTH :], row.size)


def projected_item(index: VectorIndex, row: StoredItem) -> Item:
    """The projected attributes of a row, without the vector."""
    return item_part(index, row).attributes


def same_rows(index: VectorIndex, before: StoredItem, after: StoredItem) -> bool:
    """Whether two rows have the same vector and the same attributes, in any order."""
    if before.raw == after.raw:
        return True
    return (
        before.size == after.size
        and vector_part(index, before) == vector_part(index, after)
        and decode(item_part(index, before).raw) == decode(item_part(index, after).raw)
    )


VectorChange = tuple[VectorIndex, Row | None, Row | None]


def vector_changes(
    table: Table, key: bytes, old: StoredItem | None, new: StoredItem | None
) -> Iterator[VectorChange]:
    """The old and new row of each vector index that a change of one item affects."""
    for index in table.vector_indexes:
        before, after = row_of(index, key, old), row_of(index, key, new)
        if before is None and after is None:
            continue
        if before and after and before[0] == after[0] and same_rows(index, before[1], after[1]):
            continue
        yield index, before, after


def metered_bytes(before: Row | None, after: Row | None) -> float:
    """The VectorWriteRequestBytes of a changed row: the larger size, before or after."""
    return float(max(LEAST_METERED, *(row[1].size for row in (before, after) if row is not None)))
