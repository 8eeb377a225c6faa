"""Filling an archive: pages of records become chunks, and a checkpoint follows each chunk.

A chunk is stored first, and then belongs to the archive by one transaction with the checkpoint, the lease and the
account's storage. So a worker that is killed at any point leaves at most a file that no manifest lists.
"""

from collections.abc import Iterable
from typing import Protocol

from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.archives import Archive
from tablewright_systems.listbackup.platforms.protocol import PlatformError, Record, RecordPage, Selection
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.backups import archives
from tablewright_systems.listbackup.service.notifications import alerts
from tablewright_systems.listbackup.worker.work import Work


class Reader(Protocol):
    """A platform or a backup."""

    def read(self, data_type: str, selection: Selection, position: str | None) -> RecordPage:
        """Return one page of the selected records."""
        ...


def fill(work: Work, archive: Archive, reader: Reader) -> Archive:
    """Read all records of an archive's data types, from the checkpoint on, and complete the archive."""
    for data_type in archive.data_types:
        if data_type not in work.reached.finished:
            _fill_data_type(work, archive, reader, data_type)
    current = archives.get_archive(work.db, archive.account_id, archive.archive_id)
    return archives.complete(work.db, work.store, current)


def _fill_data_type(work: Work, archive: Archive, reader: Reader, data_type: str) -> None:
    selection = _selection(archive)
    records: list[Record] = []
    position = work.reached.position
    while True:
        try:
            page = reader.read(data_type, selection, position)
        except PlatformError:
            if records:  # otherwise a platform with a low rate limit would never be read to the end
                _commit(work, archive, data_type, records, position)
            raise
        records += _without_excluded(archive, page.records)
        position = page.next_position
        if position is None or len(records) >= work.chunk_records or work.is_stopping():
            _commit(work, archive, data_type, records, position)
            records = []
        if position is None:
            return
        work.renew()


def _selection(archive: Archive) -> Selection:
    """Return what is read. An incremental backup also reads what its filters exclude: it may be in the base."""
    dates = archive.date_range
    since, until = (dates.start, dates.end) if dates else (None, None)
    filters = {} if archive.base_archive_id is not None else archive.filters
    return Selection(archive.since or since, until, filters)


def _without_excluded(archive: Archive, records: Iterable[Record]) -> list[Record]:
    """Return the records of a page; those that the filters exclude are marked as deleted, without their content."""
    wanted = Selection(filters=archive.filters)
    return [
        each if wanted.includes(each) else Record(each.id, each.changed_at, {}, deleted=True)
        for each in records
    ]


def _commit(
    work: Work, archive: Archive, data_type: str, records: list[Record], position: str | None
) -> None:
    """Store a chunk and the checkpoint after it; without a position, the data type is finished."""
    reached = work.reached
    finished = [*reached.finished, data_type] if position is None else reached.finished
    after = reached.model_copy(
        update={
            "finished": finished,
            "position": position,
            "number": 0 if position is None else reached.number + bool(records),
            "processed": reached.processed + len(records),
        }
    )
    percentage = 100 * len(finished) // len(archive.data_types)
    if not records:
        work.save(after, percentage)
        return
    entry = archives.open_files(work.store, archive).write_chunk(data_type, reached.number, records)
    account = get_account(work.db, archive.account_id)
    limits.require_storage(account, entry.size)
    low = alerts.storage_low(account) if _becomes_low(account, entry.size) else []
    work.save(after, percentage, lambda: [*archives.chunk_writes(work.db, archive, entry), *low])


def _becomes_low(account: Account, size: int) -> bool:
    """Whether so many bytes more use more than nine tenths of the storage, and before it was less."""
    enough = account.limits.storage * 9 // 10
    return account.storage_used <= enough < account.storage_used + size
