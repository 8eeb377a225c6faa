"""Secondary indexes: rows of their own, derived from items, never stale.

An index's row holds the projected item under the index's key followed by the table's, so it can be read without
touching the table.
"""

from collections.abc import Iterator

from tablewright.engine.state.catalog import Index, Table
from tablewright.values.item_sizes import item_size
from tablewright.values.stored_items import StoredItem

Row = tuple[bytes, StoredItem]


def project(index: Index, item: StoredItem) -> StoredItem:
    """The part of an item that an index holds."""
    if index.projected is None:
        return item
    kept = {name: value for name, value in item.attributes.items() if name in index.projected}
    return StoredItem.of(kept, item_size(kept))


def row_of(index: Index, key: bytes, item: StoredItem | None) -> Row | None:
    """The row that an item has in an index; None when it has none, because a key attribute is missing or unfit."""
    head = index.keys.find(item.attributes) if item is not None else None
    if item is None or head is None:
        return None
    return head + key, item if index.projected is None else project(index, item)


def moves(table: Table, key: bytes, old: StoredItem | None, new: StoredItem | None) -> Iterator["Move"]:
    """What a change of one item does to each index; indexes that it leaves alone are left out."""
    for index in table.indexes:
        before, after = row_of(index, key, old), row_of(index, key, new)
        if before is None and after is None:
            continue
        if before and after and before[0] == after[0] and before[1].same_as(after[1]):
            continue
        yield index, before, after


Move = tuple[Index, Row | None, Row | None]
