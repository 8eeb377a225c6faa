"""Index fills: write the index rows of a table that no client sees yet, such as one that is imported or restored.

The table is read once, and the rows of each index are sorted before they are written: in the order of the table they
belong to random pages of the index, and each would change another page of the file. No writer changes the table, so
its items are not read again. In memory there are no pages to save: there rows are written in the order of the table.

A job that was interrupted clears the indexes and starts again.

Backfill: write the rows of a new index for the items that its table already has, in short steps
concurrently with writers.

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

from collections.abc import Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from tablewright.dynamodb.values.key_bytes import partition_of
from tablewright.engine.core.collection_sizes import add_sizes, sizes_range
from tablewright.engine.core.index_rows import row_in
from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import COLLECTIONS, OtherIndex, StoredIndex, StoredTable
from tablewright.engine.core.state.row_batches import Row, batch_end, batches

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


import time

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import ReadView

Place = tuple[bytes, bytes]
"""The key of a row in an index, and the key of its item."""


def index_places(
    rows: ReadView, table: StoredTable, index: StoredIndex, low: bytes
) -> tuple[list[Place], bytes | None]:
    """The places in an index of a batch of items from the key `low` on; and the next key, or None at the end."""
    end = batch_end(rows, table.space, low)
    places = []
    for key, item in rows.range(table.space, low, end):
        head = index.keys.find(item.attributes)
        if head is not None:
            places.append((head + key, key))
    return places, end


def fill_places(
    tx: Writing, table: StoredTable, index: StoredIndex, places: Sequence[Place], start: int
) -> int:
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


def fill_step(
    tx: Writing, table: StoredTable, indexes: Sequence[StoredIndex | OtherIndex], low: bytes
) -> bytes | None:
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


def _fill(tx: Writing, index: StoredIndex | OtherIndex, key: bytes, item: StoredItem) -> StoredItem | None:
    """Write the row of an item, and return it; None if the item has none."""
    row = row_in(index, key, item)
    if row is None:
        return None
    tx.state.tallies.note(index.space, tx.rows.get(index.space, row[0]), row[1])
    tx.rows.put(index.space, *row)
    return row[1]


AnyIndex = StoredIndex | OtherIndex


class _Page(NamedTuple):
    """The index rows of some items."""

    rows: list[list[Row]]
    """For each index."""
    sizes: dict[bytes, int]
    """The bytes of the item collections, with the rows of local indexes."""
    end: bytes | None
    """The key of the next item, or None at the end."""


def fill_indexes(job: "Job", table: StoredTable) -> None:
    """Write the rows of all indexes of a table; the indexes are empty."""
    if not table.has_index_rows:
        return
    path = job.state.store.path
    if path is not None:
        _fill_sorted(job, table, path.parent)
        return
    low: bytes | None = b""
    while low is not None:
        low = job.write(partial(fill_step, table=table, indexes=table.all_indexes, low=low))


def _fill_sorted(job: "Job", table: StoredTable, directory: Path) -> None:
    indexes = table.all_indexes
    with ExitStack() as stack:
        memory = row_sorter.RUN_BYTES // len(indexes)
        sorters = [stack.enter_context(RowSorter(directory, memory)) for _ in indexes]
        low: bytes | None = b""
        while low is not None:
            page = job.read(partial(_read_page, table=table, indexes=indexes, low=low))
            for sorter, rows in zip(sorters, page.rows, strict=True):
                for row in rows:
                    sorter.add(*row)
            if table.has_local_indexes:
                job.write(partial(_add_sizes, table=table, sizes=page.sizes))
            low = page.end
        for index, sorter in zip(indexes, sorters, strict=True):
            for batch in batches(sorter.rows()):
                job.write(partial(_write_rows, index=index, rows=batch))
            sorter.close()


def _read_page(tx: Reading, table: StoredTable, indexes: Sequence[AnyIndex], low: bytes) -> _Page:
    page = _Page([[] for _ in indexes], {}, None)
    read = 0
    for count, (key, item) in enumerate(tx.rows.range(table.space, low)):
        if count == row_batches.MAX_ROWS or read > row_batches.MAX_BYTES:
            return page._replace(end=key)
        read += item.size
        size = item.size
        for index, rows in zip(indexes, page.rows, strict=True):
            row = row_in(index, key, item)
            if row is not None:
                rows.append(row)
                size += row[1].size if index.kind == "local" else 0
        if table.has_local_indexes:
            head = partition_of(key)
            page.sizes[head] = page.sizes.get(head, 0) + size
    return page


def _add_sizes(tx: Writing, table: StoredTable, sizes: dict[bytes, int]) -> None:
    add_sizes(tx.rows, table, sizes)


def _write_rows(tx: Writing, index: AnyIndex, rows: list[Row]) -> None:
    for key, row in rows:
        tx.state.tallies.note(index.space, None, row)
        tx.rows.put(index.space, key, row)


def clear(job: "Job", *spaces: int) -> None:
    """Empty spaces that an interrupted job may have filled, and forget their totals."""
    for space in spaces:
        while not job.write(partial(_clear_piece, space=space)):
            pass


def clear_collection_sizes(job: "Job", table: StoredTable) -> None:
    """Delete the sizes of item collections that an interrupted job may have stored."""
    low, high = sizes_range(table)
    while job.write(partial(_clear_sizes_piece, low=low, high=high)) != high:
        pass


def _clear_sizes_piece(tx: Writing, low: bytes, high: bytes) -> bytes | None:
    end = batch_end(tx.rows, COLLECTIONS, low, high)
    tx.rows.delete_range(COLLECTIONS, low, end)
    return end


def _clear_piece(tx: Writing, space: int) -> bool:
    tx.state.tallies.forget(space)
    high = batch_end(tx.rows, space, b"")
    tx.rows.delete_range(space, b"", high)
    return high is None
