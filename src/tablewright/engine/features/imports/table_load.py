"""Table load: writes the items of an import in the order of the table's keys.

Keys begin with a hash, so items in any other order belong to random pages of the file, and each would change another
page. Items that come in the order of the table, as an export has them, are written at once. From the first item that
does not, the others are sorted before they are written, beside the data file (`jobs.row_sorter`). In memory there are
no pages to save: there all items are written as they come.

Index rows are not written: they are at other places, and are sorted for each index when the table is complete.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING

from tablewright.engine.core.changes import Change
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.state.row_batches import MAX_BYTES, Row, batches

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

REPORT_ITEMS = 10_000
"""Items that are read for a sort between two reports of progress."""


class TableLoad:
    """Fills the empty space of a table; of several items with the same key, the one that was added last stays.

    `items_at_once` are the items of one transaction, at most; `save_progress` is called in each transaction.
    Use it in a `with` statement.
    """

    def __init__(
        self, job: "Job", table: Table, items_at_once: int, save_progress: Callable[[Writing], None]
    ) -> None:
        self._job = job
        self._table = table.without_indexes()
        self._items_at_once = items_at_once
        self._save_progress = save_progress
        path = job.state.store.path
        self._sorter = None if path is None else RowSorter(path.parent)
        self._is_sorting = False
        self._has_written = False
        self._waiting: list[Row] = []
        """Items in the order of the table that are not written yet."""
        self._size = 0
        self._last = b""
        self._unreported = 0

    def __enter__(self) -> "TableLoad":
        return self

    def __exit__(self, *_: object) -> None:
        if self._sorter is not None:
            self._sorter.close()

    def add(self, row: Row) -> None:
        """Add an item with its key."""
        if self._sorter is not None and (self._is_sorting or row[0] <= self._last):
            self._sort(self._sorter, row)
            return
        self._last = row[0]
        self._waiting.append(row)
        self._size += row[1].size
        if len(self._waiting) >= self._items_at_once or self._size > MAX_BYTES:
            self._write_waiting()

    def finish(self) -> None:
        """Write the items that are not written yet."""
        self._write_waiting()
        if self._sorter is not None:
            for batch in batches(self._sorter.rows(), self._items_at_once):
                self._write(batch)

    def _sort(self, sorter: RowSorter, row: Row) -> None:
        if not self._is_sorting:
            self._is_sorting = True
            for key, item in self._waiting:
                sorter.add(key, item)
            self._waiting = []
        sorter.add(*row)
        self._unreported += 1
        if self._unreported >= REPORT_ITEMS:
            self._unreported = 0
            self._job.write(self._save_progress)

    def _write_waiting(self) -> None:
        if self._waiting:
            batch, self._waiting, self._size = self._waiting, [], 0
            self._write(batch)

    def _write(self, batch: list[Row]) -> None:
        # Items that are written in order cannot be there already, unless some were written before the sort began.
        may_exist = self._sorter is None or (self._is_sorting and self._has_written)

        def write(tx: Writing) -> None:
            table = self._table
            for key, item in batch:
                old = tx.rows.get(table.space, key) if may_exist else None
                tx.apply_uncharged(Change(table, key, old, item))
            self._save_progress(tx)

        self._job.write(write)
        self._has_written = True
