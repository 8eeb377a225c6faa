"""Retention: how long archives are kept.

A backup is kept as long as the account's plan allows, or its source asks for. Kept longer are the newest backup of a
source, the newest one of all its records, and a backup that a kept incremental one continues. Exports and uploads are
kept for a week. Archives that no job completes any more are deleted.
"""

import logging
from datetime import datetime, timedelta

from tablewright import Repository, errors, reads
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.accounts import Plan
from tablewright_systems.listbackup.design.archives import (
    EXPIRY_SHARDS,
    Archive,
    ArchiveKind,
    ArchiveOfAccount,
    ArchivesExpiring,
    ArchiveStatus,
)
from tablewright_systems.listbackup.design.jobs import JobOfAccount, JobStatus
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount
from tablewright_systems.listbackup.service import archives
from tablewright_systems.listbackup.service.access import get_account, require_staff
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import Conflict, NotFound

log = logging.getLogger(__name__)

RETENTION = {
    Plan.FREE: timedelta(days=30),
    Plan.STARTER: timedelta(days=90),
    Plan.PROFESSIONAL: timedelta(days=365),
    Plan.ENTERPRISE: timedelta(days=7 * 365),
}
USER_FILES_KEPT = timedelta(days=7)
CHECK_AGAIN = timedelta(days=1)
"""When a kept archive is checked again: plans and settings change."""


def delete_expired(db: Repository, caller: Caller, store: ObjectStore) -> int:
    """Delete the archives that are not kept any more; return their number. For workers."""
    require_staff(caller, "worker")
    deleted, now = 0, db.now()
    for shard in range(EXPIRY_SHARDS):
        cursor: str | None = None
        while True:
            page = db.rows(ArchivesExpiring(shard=shard, now=now), cursor=cursor)
            deleted += sum(_delete_or_keep(db, store, row) for row in page)
            if (cursor := page.cursor) is None:
                break
    return deleted


def _delete_or_keep(db: Repository, store: ObjectStore, expiring: reads.Row) -> bool:
    account_id, archive_id = expiring["account_id"], expiring["archive_id"]
    try:
        row = archives.summary(db, account_id, archive_id)
        kept_until = _kept_until(db, account_id, archive_id, row)
        if kept_until is None or kept_until <= db.now():
            archives.delete(db, store, account_id, archive_id)
            return True
        _check_again(db, account_id, archive_id, kept_until)
    except (Conflict, NotFound, errors.WriteError, errors.TransactionFailed):
        pass  # another worker was faster, or an incremental backup was created just now: checked again next time
    except Exception:  # one archive whose files cannot be deleted must not keep the others
        log.exception("archive %s of account %s was not deleted", archive_id, account_id)
    return False


def _kept_until(db: Repository, account_id: str, archive_id: str, row: reads.Row) -> datetime | None:
    """Return until when an archive is kept at least; None if it is not kept."""
    if row["status"] is ArchiveStatus.DELETING or get_account(db, account_id).closing_at is not None:
        return None
    if row["status"] is ArchiveStatus.WRITING:
        return (
            db.now() + archives.CHECKED_AFTER if _is_being_written(db, account_id, archive_id, row) else None
        )
    completed_at: datetime = row["completed_at"]
    if row["kind"] is not ArchiveKind.BACKUP:
        return completed_at + USER_FILES_KEPT
    source = _source(db, account_id, row.get("source_id"))
    if row["dependents"] or _is_newest(db, source, archive_id):
        return db.now() + CHECK_AGAIN
    kept = RETENTION[get_account(db, account_id).plan]
    if source is not None and source.config.retention_days is not None:
        kept = min(kept, timedelta(days=source.config.retention_days))
    return completed_at + kept


def _is_being_written(db: Repository, account_id: str, archive_id: str, row: reads.Row) -> bool:
    if "job_id" not in row:
        return False
    job = db.run(JobOfAccount(account_id=account_id, job_id=row["job_id"]))
    if job is None or job.status not in (JobStatus.PENDING, JobStatus.RUNNING):
        return False
    return job.checkpoint is not None and job.checkpoint.archive_id == archive_id


def _is_newest(db: Repository, source: Source | None, archive_id: str) -> bool:
    """Whether an archive is the newest backup of a source that still exists, or the newest of all its records."""
    if source is None:
        return False

    def is_whole(archive: Archive) -> bool:
        is_same = archive.date_range is None and archive.filters == source.config.filters
        return is_same and set(source.config.data_types) <= set(archive.data_types)

    newest = archives.newest_backup(db, source.source_id)
    whole = archives.newest_backup(db, source.source_id, is_whole)
    return archive_id in [archive.archive_id for archive in (newest, whole) if archive is not None]


def _source(db: Repository, account_id: str, source_id: str | None) -> Source | None:
    if source_id is None:
        return None
    return db.run(SourceOfAccount(account_id=account_id, source_id=source_id))


def _check_again(db: Repository, account_id: str, archive_id: str, kept_until: datetime) -> None:
    key = ArchiveOfAccount(account_id=account_id, archive_id=archive_id)
    db.update(key, set={"expires_at": min(kept_until, db.now() + CHECK_AGAIN)})
