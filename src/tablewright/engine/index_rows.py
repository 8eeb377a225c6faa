"""Index rows: the rows of secondary indexes, derived from items, written in the same transaction.

An index row holds the projected item under the index's key followed by the table's key, so it is read without
reading the table.
"""

from collections.abc import Iterator

from tablewright.engine.state.catalog import Index, Table
from tablewright.values.item_sizes import item_size
from tablewright.values.stored_items import StoredItem

Row = tuple[bytes, StoredItem]


def project(index: Index, item: StoredItem) -> StoredItem:
    """The part of an item that an index contains."""
    if index.projected is None:
        return item
    kept = {name: value for name, value in item.attributes.items() if name in index.projected}
    return StoredItem.of(kept, item_size(kept))


def row_of(index: Index, key: bytes, item: StoredItem | None) -> Row | None:
    """The row of an item in an index; None when a key attribute is missing or invalid."""
    head = index.keys.find(item.attributes) if item is not None else None
    if item is None or head is None:
        return None
    return head + key, item if index.projected is None else project(index, item)


def index_changes(
    table: Table, key: bytes, old: StoredItem | None, new: StoredItem | None
) -> Iterator["IndexChange"]:
    """The old and new row of each index that a change of one item affects."""
    for index in table.indexes:
        before, after = row_of(index, key, old), row_of(index, key, new)
        if before is None and after is None:
            continue
        if before and after and before[0] == after[0] and before[1].same_as(after[1]):
            continue
        yield index, before, after


IndexChange = tuple[Index, Row | None, Row | None]
