"""Index rows: the rows of secondary indexes, derived from items, written in the same transaction.

An index row holds the projected item under the index's key followed by the table's key, so it is read without
reading the table.
"""

from collections.abc import Iterator

from tablewright.dynamodb.values.attributes import Item
from tablewright.dynamodb.values.item_sizes import item_size
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.state.catalog import OtherIndex, StoredIndex, StoredTable

Row = tuple[bytes, StoredItem]


def project(index: StoredIndex, item: StoredItem) -> StoredItem:
    """The part of an item that an index contains."""
    if index.projected is None:
        return item
    kept = {name: value for name, value in item.attributes.items() if name in index.projected}
    return StoredItem.of(kept, item_size(kept))


def row_of(index: StoredIndex, key: bytes, item: StoredItem | None) -> Row | None:
    """The row of an item in an index; None when a key attribute is missing or invalid."""
    head = index.keys.find(item.attributes) if item is not None else None
    if item is None or head is None:
        return None
    return head + key, item if index.projected is None else project(index, item)


def row_in(index: StoredIndex | OtherIndex, key: bytes, item: StoredItem | None) -> Row | None:
    """The row of an item in an index of any kind."""
    if not isinstance(index, StoredIndex):
        return index.row_of(key, item)
    return row_of(index, key, item)


def same_row(index: StoredIndex | OtherIndex, one: StoredItem, other: StoredItem) -> bool:
    """Whether two rows of an index of any kind have the same content."""
    if not isinstance(index, StoredIndex):
        return index.same_rows(one, other)
    return one.same_as(other)


def attributes_of(index: StoredIndex | OtherIndex, row: StoredItem) -> Item:
    """The attributes in a row of an index of any kind, without the vector."""
    return row.attributes if isinstance(index, StoredIndex) else index.attributes_of(row)


def index_changes(
    table: StoredTable, key: bytes, old: StoredItem | None, new: StoredItem | None
) -> Iterator["IndexChange"]:
    """The old and new row of each index that a change of one item affects."""
    for index in table.indexes:
        before = row_of(index, key, old)
        if new is not None and old is not None and _same_keys(index, old, new):
            if before is None:
                continue  # neither has a valid key
            after: Row | None = before[0], new if index.projected is None else project(index, new)
        else:
            after = row_of(index, key, new)
        if before is None and after is None:
            continue
        if before and after and before[0] == after[0] and before[1].same_as(after[1]):
            continue
        yield index, before, after


def _same_keys(index: StoredIndex, one: StoredItem, other: StoredItem) -> bool:
    """Whether two items have the same key attributes: encoding them once more would cost a tenth of a put."""
    first, second = one.attributes, other.attributes
    for name in index.keys.names:  # noqa: SIM110 - a generator would cost more than it saves
        if first.get(name) != second.get(name):
            return False
    return True


IndexChange = tuple[StoredIndex, Row | None, Row | None]
