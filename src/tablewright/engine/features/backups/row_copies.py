"""Row copies: the rows of a table as of a point in time, copied to another space while clients keep writing.

First the rows are copied as they are, in batches. Then the changes in the table's journal are undone on the copy, from
the newest back to the point in time. A row may have been copied before or after it was changed: the oldest change after
the point in time is undone last, and has the right image. In a file, only that change of each row is undone, and in the
order of the rows: the journal has them in the order of time, and each would change another page of the copy.

A table is held while it is copied: it keeps a journal until it is released, and if it is deleted meanwhile, its rows
stay.
"""

from functools import partial
from typing import TYPE_CHECKING

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.jobs import job_records, row_removals
from tablewright.engine.core.jobs.row_sorter import RowSorter
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import JOURNAL, StoredTable
from tablewright.engine.core.state.row_batches import Row, batch_end, batches
from tablewright.engine.core.state.sequence_numbers import last_number, position
from tablewright.engine.features.backups import change_journal
from tablewright.engine.features.backups.change_journal import JournalEntry

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

_NO_ITEM = StoredItem(b"", 0)
"""Stands for the item before it was created; every item has bytes."""


def hold(tx: Writing, table: StoredTable, job: str) -> int:
    """Hold a table for a job; returns the number of the first journal entry that the job needs."""
    definition = {**table.definition, "Copying": [*table.definition.get("Copying", ()), job]}
    tx.state.catalog.save(tx.rows, definition)
    return tx.state.sequences[JOURNAL].next(tx.rows, table.id, tx.now())


def release(tx: Writing, table: int, job: str) -> None:
    """Release a table that was held for a job; it is given by its ID, because it may be deleted."""
    catalog = tx.state.catalog
    held = next((copied for copied in catalog.having("Copying") if copied.id == table), None)
    if held is not None:
        left = [copying for copying in held.definition["Copying"] if copying != job]
        definition = {name: value for name, value in held.definition.items() if name != "Copying"}
        held = catalog.save(tx.rows, definition | ({"Copying": left} if left else {}))
        if not change_journal.is_journaled(held.definition):
            forget_journal(tx, table)
    elif not any(
        other.get("Table") == table for key, other in job_records.documents(tx.rows, "job") if key != job
    ):
        row_removals.remove_range(tx, JOURNAL, *change_journal.range_of(table))
        _drop_orphan(tx, str(table))


def forget_journal(tx: Writing, table: int) -> None:
    """Remove the changes that the journal of an existing table contains; changes from now on stay."""
    low, _ = change_journal.range_of(table)
    number = tx.state.sequences[JOURNAL].next(tx.rows, table, tx.now())
    row_removals.remove_range(tx, JOURNAL, low, position(table, number))


def orphan(tx: Writing, table: StoredTable) -> None:
    """Keep the rows of a held table that is being deleted, until no job copies them."""
    job_records.save(tx.rows, "orphan", str(table.id), {"Space": table.space})


def _drop_orphan(tx: Writing, key: str) -> None:
    left = job_records.find(tx.rows, "orphan", key)
    if left is not None:
        row_removals.remove_spaces(tx, [left["Space"]])
        job_records.remove(tx.rows, "orphan", key)


def copy(job: "Job", source: int, target: int) -> None:
    """Copy the rows of one space into another, as they are."""
    low: bytes | None = b""
    while low is not None:
        low = job.write(partial(_copy_piece, source=source, target=target, low=low))


def _copy_piece(tx: Writing, source: int, target: int, low: bytes) -> bytes | None:
    high = batch_end(tx.rows, source, low, times=row_batches.PREPARED)
    tx.rows.copy(source, target, low, high)
    return high


def copy_as_of(job: "Job", source: int, target: int, table: int, number: int) -> None:
    """Copy the rows of a held table as they were before the change of that number."""
    copy(job, source, target)
    last = job.read(lambda tx: last_number(tx.rows, JOURNAL, table))
    high = None if last is None else last + 1
    path = job.state.store.path
    if path is not None:
        with RowSorter(path.parent) as sorter:
            while high is not None and high > number:
                entries = job.read(partial(_read_entries, table=table, low=number, high=high))
                for entry in entries:
                    sorter.add(entry.key, entry.old or _NO_ITEM)
                high = entries[-1].number if entries else None
            for batch in batches(sorter.rows()):
                job.write(partial(_undo, target=target, rows=batch))
        return
    while high is not None and high > number:
        high = job.write(partial(_undo_piece, target=target, table=table, low=number, high=high))


def _undo_piece(tx: Writing, target: int, table: int, low: int, high: int) -> int | None:
    entries = _read_entries(tx, table, low, high)
    _undo(tx, target, [(entry.key, entry.old or _NO_ITEM) for entry in entries])
    return entries[-1].number if entries else None


def _read_entries(tx: Reading, table: int, low: int, high: int) -> list[JournalEntry]:
    """A batch of changes, the newest first."""
    entries: list[JournalEntry] = []
    size = 0
    for entry in change_journal.entries(tx.rows, table, low, high, backward=True):
        entries.append(entry)
        size += entry.old.size if entry.old is not None else 0
        if len(entries) >= row_batches.MAX_ROWS or size >= row_batches.MAX_BYTES:
            break
    return entries


def _undo(tx: Writing, target: int, rows: list[Row]) -> None:
    for key, item in rows:
        if item.raw:
            tx.rows.put(target, key, item)
        else:
            tx.rows.delete(target, key)
