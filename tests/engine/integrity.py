"""Integrity: every index has exactly the rows that its table's items require."""

from typing import Any

from tablewright.dynamodb.values.key_bytes import partition_of
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.collection_sizes import collection_spaces, sizes_range
from tablewright.engine.core.index_rows import attributes_of, row_in
from tablewright.engine.core.state.catalog import COLLECTIONS, OtherIndex, StoredIndex, StoredTable
from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView


def _compare_collection_sizes(view: ReadView, table: StoredTable) -> None:
    sizes: dict[bytes, int] = {}
    for space in collection_spaces(table):
        for key, row in view.range(space):
            sizes[partition_of(key)] = sizes.get(partition_of(key), 0) + row.size
    low, high = sizes_range(table)
    stored = {key[len(low) :]: int(row.raw) for key, row in view.range(COLLECTIONS, low, high)}
    assert stored == sizes, f"the sizes of the item collections of {table.name} differ from its rows"


def assert_indexes_match(database: Database) -> None:
    """Compare each index, row by row, with one derived afresh from its table."""

    def compare(view: ReadView) -> None:
        for table in database.state.catalog.all():
            items = list(view.range(table.space))
            for index in table.all_indexes:
                rows = (row_in(index, key, item) for key, item in items)
                # By attributes: an item put again in another order leaves its index rows as they are.
                expected = sorted((row[0], *_content(index, row[1])) for row in rows if row is not None)
                actual = [(key, *_content(index, row)) for key, row in view.range(index.space)]
                assert actual == expected, f"index {index.name} of {table.name} differs from its table"
            if table.has_local_indexes:
                _compare_collection_sizes(view, table)

    database.state.store.snapshot(compare)


def _content(index: StoredIndex | OtherIndex, row: StoredItem) -> tuple[bytes, Any]:
    head = b"" if isinstance(index, StoredIndex) else row.raw[: row.raw.rindex(b"{")]
    return head, attributes_of(index, row)
