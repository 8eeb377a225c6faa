"""Integrity: every index has exactly the rows that its table's items require."""

from tablewright.engine.collection_sizes import collection_spaces, sizes_range
from tablewright.engine.database import Database
from tablewright.engine.index_rows import row_of
from tablewright.engine.state.catalog import COLLECTIONS, Table
from tablewright.storage import View
from tablewright.values.key_bytes import partition_of


def _compare_collection_sizes(view: View, table: Table) -> None:
    sizes: dict[bytes, int] = {}
    for space in collection_spaces(table):
        for key, row in view.range(space):
            sizes[partition_of(key)] = sizes.get(partition_of(key), 0) + row.size
    low, high = sizes_range(table)
    stored = {key[len(low) :]: int(row.raw) for key, row in view.range(COLLECTIONS, low, high)}
    assert stored == sizes, f"the sizes of the item collections of {table.name} differ from its rows"


def assert_indexes_match(database: Database, *, collection_sizes: bool = True) -> None:
    """Compare each index, row by row, with one derived afresh from its table; a file of an older version has no sizes
    of item collections."""

    def compare(view: View) -> None:
        for table in database.state.catalog.all():
            items = list(view.range(table.space))
            for index in table.indexes:
                rows = (row_of(index, key, item) for key, item in items)
                # By attributes: an item put again in another order leaves its index rows as they are.
                expected = sorted((row[0], row[1].attributes) for row in rows if row is not None)
                actual = [(key, item.attributes) for key, item in view.range(index.space)]
                assert actual == expected, f"index {index.name} of {table.name} differs from its table"
            if collection_sizes and table.has_local_indexes:
                _compare_collection_sizes(view, table)

    database.state.store.snapshot(compare)
