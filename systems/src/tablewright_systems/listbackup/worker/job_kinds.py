"""What each type of job does. Every function continues from the checkpoint of its job, if it has one.

Reading: pages of records become chunks of an archive. A chunk is stored first, and then belongs to the archive by one
transaction with the checkpoint, the lease and the account's storage. So a worker that is killed at any point leaves at
most a file that no manifest lists.

Writing: a platform updates the record with the same id, or creates it; records of another source are always created. A
checkpoint follows each record, so a worker that is killed between a write and its checkpoint repeats that one write.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, Protocol

from tablewright import errors, writes
from tablewright_systems.listbackup.design.accounts import Account
from tablewright_systems.listbackup.design.archives import Archive, ArchiveKind
from tablewright_systems.listbackup.design.jobs import Checkpoint, Job, JobType, Phase
from tablewright_systems.listbackup.design.sources import Source, SourcesOfAccount, SourceStatus
from tablewright_systems.listbackup.platforms.protocol import (
    PlatformError,
    PlatformReader,
    Record,
    RecordPage,
    RequestRejected,
    Restore,
    Selection,
)
from tablewright_systems.listbackup.service import alerts, archives, audit, limits
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.archives import BackupReader
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.jobs import TARGET_FIELD, require_same_platform
from tablewright_systems.listbackup.service.options import BackupMode
from tablewright_systems.listbackup.service.queue import MAX_ERROR_LENGTH, MAX_ERRORS
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.listbackup.worker.work import Work

OVERLAP = timedelta(minutes=5)
"""An incremental backup begins so long before the start of its base: the clocks of platforms differ."""
MAX_DEPTH = 30
"""After so many incremental backups, the next one is full."""

Outcome = dict[str, Any]
"""What `queue.complete` stores."""


def back_up(work: Work) -> Outcome:
    """Back up a source, fully or what changed; without a source, queue a backup for each active source."""
    if work.job.source_id is None:
        return _back_up_all_sources(work)
    return _outcome(work, _fill_backup(work))


def export(work: Work) -> Outcome:
    """Copy the records of a source or of a backup into files for the user."""
    backup_id = work.options.backup_id
    reader: PlatformReader | BackupReader
    if backup_id is None:
        source = work.source()
        reader, configured = work.open(source), source.config.data_types
    else:
        backup = archives.complete_archive(work.db, work.job.account_id, backup_id, ArchiveKind.BACKUP)
        reader, configured = BackupReader(work.db, work.store, backup), backup.data_types
    data_types = work.job.config.data_types or configured or list(reader.data_types)
    archive = _archive(work, lambda: _new_export(work, data_types))
    return _outcome(work, fill(work, archive, reader))


def import_(work: Work) -> Outcome:
    """Write the records of a backup or of an uploaded file to a source."""
    archive_id = work.options.backup_id or work.options.upload_id
    assert archive_id is not None
    archive = archives.complete_archive(work.db, work.job.account_id, archive_id)
    require_same_platform(archive.platform, work.source())
    if work.job.checkpoint is None:
        work.save(Checkpoint(archive_id=archive_id, phase=Phase.WRITE), 0)
    _write_to(work, archive, work.source())
    return _outcome(work, archive)


def migrate(work: Work) -> Outcome:
    """Back up a source, then write the backup to another source."""
    assert work.options.target_source_id is not None
    target = get_source(work.db, work.job.account_id, work.options.target_source_id)
    require_same_platform(work.source().platform, target, TARGET_FIELD)
    if work.job.checkpoint is None or work.reached.phase is Phase.READ:
        archive = _fill_backup(work)
        work.save(Checkpoint(archive_id=archive.archive_id, phase=Phase.WRITE), 0)
    archive = archives.complete_archive(work.db, work.job.account_id, work.reached.archive_id)
    _write_to(work, archive, target)
    return _outcome(work, archive)


KINDS: dict[JobType, Callable[[Work], Outcome]] = {
    JobType.SYNC: back_up,
    JobType.BACKUP: back_up,
    JobType.EXPORT: export,
    JobType.IMPORT: import_,
    JobType.MIGRATION: migrate,
}


def _fill_backup(work: Work) -> Archive:
    source = work.source()
    reader = work.open(source)
    return fill(work, _archive(work, lambda: _new_backup(work, source, reader.data_types)), reader)


def _archive(work: Work, make: Callable[[], Archive]) -> Archive:
    """Return the archive that the job fills; create it with the first checkpoint."""
    if work.job.checkpoint is None:
        archive = make()
        work.save(Checkpoint(archive_id=archive.archive_id), 0, lambda: archives.creation(archive))
    return archives.get_archive(work.db, work.job.account_id, work.reached.archive_id)


def _new_backup(work: Work, source: Source, data_types: Sequence[str]) -> Archive:
    job = work.job
    archive = archives.new_archive(work.db, job.account_id, ArchiveKind.BACKUP, job.created_by).changed(
        source_id=source.source_id,
        job_id=job.job_id,
        platform=source.platform,
        data_types=job.config.data_types or source.config.data_types or list(data_types),
        filters=job.config.filters or source.config.filters,
        date_range=job.config.date_range,
    )
    is_full = job.job_type is not JobType.SYNC and work.options.mode is BackupMode.FULL
    if is_full or archive.date_range:
        return archive
    base = archives.newest_backup(work.db, source.source_id, partial(_continues, archive))
    if base is None or base.depth >= MAX_DEPTH:
        return archive
    return archive.changed(
        base_archive_id=base.archive_id, depth=base.depth + 1, since=base.created_at - OVERLAP
    )


def _continues(archive: Archive, base: Archive) -> bool:
    """Whether an incremental backup can continue another one: both contain the same kind of records."""
    is_same = set(archive.data_types) == set(base.data_types) and archive.filters == base.filters
    return is_same and base.date_range is None


def _new_export(work: Work, data_types: Sequence[str]) -> Archive:
    job = work.job
    return archives.new_archive(work.db, job.account_id, ArchiveKind.EXPORT, job.created_by).changed(
        source_id=job.source_id,
        job_id=job.job_id,
        data_types=list(data_types),
        filters=job.config.filters,
        date_range=job.config.date_range,
        format=work.options.format,
    )


def _write_to(work: Work, archive: Archive, target: Source) -> None:
    reader = BackupReader(work.db, work.store, archive)
    chosen = work.job.config.data_types or reader.data_types
    counts = {
        data_type: archive.counts.get(data_type, 0) for data_type in reader.data_types if data_type in chosen
    }
    is_foreign = archive.source_id is not None and archive.source_id != target.source_id
    write_all(work, reader, work.open(target), Restore(work.job.job_id, is_foreign), counts)


def _outcome(work: Work, archive: Archive) -> Outcome:
    summary = {"archiveId": archive.archive_id, "counts": archive.counts, "size": archive.size}
    if archive.base_archive_id is not None:
        summary["baseArchiveId"] = archive.base_archive_id
    return {
        "records_processed": work.reached.processed if work.reached.phase is Phase.WRITE else archive.records,
        "failures": work.reached.failures,
        "failed": work.reached.failed,
        "output_location": f"/accounts/{archive.account_id}/archives/{archive.archive_id}",
        "summary": summary,
    }


def _back_up_all_sources(work: Work) -> Outcome:
    """Queue a backup for each active source; its id depends on both, so that no source has two."""
    job, queued = work.job, []
    for source in work.db.iterate(SourcesOfAccount(account_id=job.account_id)):
        if source.status is SourceStatus.ACTIVE:
            queued.append(f"{job.job_id}-{source.source_id}")
            _queue_backup(work, source.source_id, queued[-1])
            work.renew()
    return {"records_processed": 0, "summary": {"sources": len(queued)}}


def _queue_backup(work: Work, source_id: str, job_id: str) -> None:
    job, now = work.job, work.db.now()
    made = Job(
        account_id=job.account_id,
        job_id=job_id,
        job_type=JobType.BACKUP,
        source_id=source_id,
        priority=job.priority,
        config=job.config,
        scheduled_at=now,
        available_at=now,
        created_by=job.created_by,
        max_retries=job.max_retries,
    )
    activity = audit.record(None, made, Action.CREATE, after=made)
    try:
        work.db.transact(writes.Create(made), activity)
    except errors.TransactionFailed as error:
        if not any(isinstance(failure, errors.AlreadyExists) for failure in error.failures):
            raise


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
        record if wanted.includes(record) else Record(record.id, record.changed_at, {}, deleted=True)
        for record in records
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
