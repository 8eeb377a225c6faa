"""Writing the records of an archive to a platform, with a checkpoint after each record.

A platform updates the record with the same id, or creates it; records of another source are always created. A worker
that is killed between a write and its checkpoint repeats that one write.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tablewright_systems.listbackup.design.jobs import Checkpoint
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformReader,
    Record,
    RequestRejected,
    Restore,
    Selection,
)
from tablewright_systems.listbackup.service.backups.reading import BackupReader
from tablewright_systems.listbackup.service.jobs.queue import MAX_ERROR_LENGTH, MAX_ERRORS
from tablewright_systems.listbackup.worker.work import Work

Write = Callable[[str, Record], object]
"""Writes a record of a data type to the source."""


def write_all(
    work: Work, reader: BackupReader, target: PlatformReader, restore: Restore, counts: Mapping[str, int]
) -> None:
    """Write the records of the counted data types to a source, from the checkpoint on."""
    total = sum(counts.values())

    def write(data_type: str, record: Record) -> object:
        return target.write(data_type, record, restore)

    for data_type in counts:
        while data_type not in work.reached.finished:
            _write_page(work, reader, write, data_type, total)


def _write_page(work: Work, reader: BackupReader, write: Write, data_type: str, total: int) -> None:
    config = work.job.config
    dates = config.date_range
    since, until = (dates.start, dates.end) if dates else (None, None)
    selection = Selection(since, until, config.filters)
    page = reader.read(data_type, selection, work.reached.position)
    for index in range(work.reached.number, len(page.records)):
        failure = _write(write, data_type, page.records[index])
        reached = work.reached
        changes: dict[str, Any] = {"number": index + 1, "processed": reached.processed + 1}
        if failure is not None:
            changes["failed"] = reached.failed + 1
            changes["failures"] = [*reached.failures, failure][:MAX_ERRORS]
        _save(work, reached.model_copy(update=changes), total)
    reached = work.reached
    if page.next_position is None:
        changes = {"finished": [*reached.finished, data_type], "position": None, "number": 0}
    else:
        changes = {"position": page.next_position, "number": 0}
    _save(work, reached.model_copy(update=changes), total)


def _write(write: Write, data_type: str, record: Record) -> str | None:
    """Write a record; return why the platform rejected it."""
    try:
        write(data_type, record)
    except RequestRejected as error:
        return f"{data_type} {record.id}: {error.reason}"[:MAX_ERROR_LENGTH]
    return None


def _save(work: Work, reached: Checkpoint, total: int) -> None:
    work.save(reached, min(99, 100 * reached.processed // total) if total else 0)
