"""Integrity: every index has exactly the rows that its table's items require."""

from tablewright.engine.database import Database
from tablewright.engine.index_rows import row_of
from tablewright.storage import View


def assert_indexes_match(database: Database) -> None:
    """Compare each index, row by row, with one derived afresh from its table."""

    def compare(view: View) -> None:
        for table in database.state.catalog.all():
            items = list(view.range(table.space))
            for index in table.indexes:
                rows = (row_of(index, key, item) for key, item in items)
                # By attributes: an item put again in another order leaves its index rows as they are.
                expected = sorted((row[0], row[1].attributes) for row in rows if row is not None)
                actual = [(key, item.attributes) for key, item in view.range(index.space)]
                assert actual == expected, f"index {index.name} of {table.name} differs from its table"

    database.state.store.snapshot(compare)
