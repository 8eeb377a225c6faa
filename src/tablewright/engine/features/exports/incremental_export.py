"""Incremental exports: the old and new images of the items that were changed in a period.

The journal lists these items, with their images at the start of the period. The image at the end of the period is in
the oldest change after it, or else in the table. As clients keep writing, changes after the period are collected in the
same transaction, before the table is read.
"""

from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.features.backups import change_journal
from tablewright.engine.features.backups.change_journal import JournalEntry
from tablewright.engine.features.exports.export_lines import ExportedChange

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job

_ENTRIES_AT_ONCE = 1000
_TIMESTAMP_BYTES = 8
_LATEST = (1 << 63) - 1


class Window:
    """The changes of a table with `low <= number < high`, collected in two temporary spaces."""

    def __init__(self, table: StoredTable, low: int, high: int, touched: int, later: int) -> None:
        self._table = table
        self._low = low
        self._high = high
        self._touched = touched
        self._later = later

    def collect(self, job: "Job") -> None:
        """Collect the changed items, each with its image at the start of the period."""
        low: int | None = self._low
        while low is not None:
            low = job.write(partial(self._collect_piece, low=low))

    def _collect_piece(self, tx: Writing, low: int) -> int | None:
        entries = self._entries(tx, low, self._high)
        for entry in entries:
            known = tx.rows.get(self._touched, entry.key)
            timestamp = (change_journal.milliseconds_of(entry.number) * 1000).to_bytes(
                _TIMESTAMP_BYTES, "big"
            )
            old = (
                _packed(entry.old) if known is None else StoredItem(known.raw[_TIMESTAMP_BYTES:], known.size)
            )
            tx.rows.put(self._touched, entry.key, StoredItem(timestamp + old.raw, old.size))
        return entries[-1].number + 1 if entries else None

    def changes(self, job: "Job") -> Iterator[list[ExportedChange]]:
        """All changes, in batches."""
        place, seen = b"", self._high
        while True:
            piece, place, seen = job.write(partial(self._read_piece, place=place, seen=seen))
            if not piece:
                return
            yield piece

    def _read_piece(self, tx: Writing, place: bytes, seen: int) -> tuple[list[ExportedChange], bytes, int]:
        seen = self._collect_later(tx, seen)
        rows = list(islice(tx.rows.range(self._touched, place), _ENTRIES_AT_ONCE))
        changes = [self._change(tx, key, row) for key, row in rows]
        return changes, rows[-1][0] + b"\0" if rows else place, seen

    def _collect_later(self, tx: Writing, seen: int) -> int:
        while entries := self._entries(tx, seen, None):
            for entry in entries:
                if tx.rows.get(self._later, entry.key) is None:
                    tx.rows.put(self._later, entry.key, _packed(entry.old))
            seen = entries[-1].number + 1
        return seen

    def _entries(self, tx: Writing, low: int, high: int | None) -> list[JournalEntry]:
        return list(islice(change_journal.entries(tx.rows, self._table.id, low, high), _ENTRIES_AT_ONCE))

    def _change(self, tx: Writing, key: bytes, row: StoredItem) -> ExportedChange:
        old = _unpacked(StoredItem(row.raw[_TIMESTAMP_BYTES:], row.size))
        later = tx.rows.get(self._later, key)
        new = tx.rows.get(self._table.space, key) if later is None else _unpacked(later)
        image = new or old or next(self._images(tx, key))
        keys = self._table.keys.pick(image.attributes)
        return ExportedChange(keys, int.from_bytes(row.raw[:_TIMESTAMP_BYTES], "big"), old, new)

    def _images(self, tx: Writing, key: bytes) -> Iterator[StoredItem]:
        """The images of an item that was created and deleted in the period: its delete has an old image."""
        for entry in change_journal.entries(tx.rows, self._table.id, self._low, self._high):
            if entry.key == key and entry.old is not None:
                yield entry.old


def _packed(old: StoredItem | None) -> StoredItem:
    return StoredItem(b"", 0) if old is None else old


def _unpacked(row: StoredItem) -> StoredItem | None:
    return row if row.raw else None
