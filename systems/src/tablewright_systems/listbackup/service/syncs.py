"""Syncs: the state of a source while a job backs it up.

A source names its current job, so that it never has two. `syncStatus.state` is the state of the last attempt: `error`
if it failed, also when another attempt follows. `status` becomes `error` only when the job has failed for good; then
nothing is scheduled until a user resumes the source.
"""

from datetime import datetime, timedelta
from itertools import islice
from typing import Any

from tablewright import Repository, errors, reads, writes
from tablewright_systems.listbackup.design.jobs import Job, JobType
from tablewright_systems.listbackup.design.sources import (
    DUE_SHARDS,
    Source,
    SourceOfAccount,
    SourcesDue,
    SourceStatus,
    SyncInterval,
    SyncState,
    SyncStatus,
)
from tablewright_systems.listbackup.service import alerts, audit
from tablewright_systems.listbackup.service.access import is_account_active, require_staff
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.options import sources_of
from tablewright_systems.service import Caller, Conflict

INTERVALS = {SyncInterval.HOURLY: timedelta(hours=1), SyncInterval.DAILY: timedelta(days=1)}
BATCH_SIZE = 100
POSTPONED = timedelta(minutes=1)
"""How long a change that was reported during a sync waits for the next one."""


def first_sync(interval: SyncInterval, last_sync_at: datetime | None, now: datetime) -> datetime:
    """Return the next backup of a source that becomes active or changes its interval.

    In real time it is now: while the source was not active, no change was reported.
    """
    if last_sync_at is None or interval is SyncInterval.REALTIME:
        return now
    return max(now, last_sync_at + INTERVALS[interval])


def next_sync(interval: SyncInterval, due: datetime, now: datetime) -> datetime | None:
    """Return the first future time of the schedule: computed from the last scheduled time, not from when work ended.

    In real time there is none until the platform reports a change.

    >>> from datetime import UTC
    >>> due = datetime(2026, 1, 1, 8, tzinfo=UTC)
    >>> next_sync(SyncInterval.HOURLY, due, due + timedelta(minutes=150)).hour
    11
    """
    step = INTERVALS.get(interval)
    return None if step is None else due + step * ((now - due) // step + 1)


def due_sources(db: Repository, caller: Caller) -> reads.Merged[Source]:
    """Return the read of the sources of all accounts whose backup is due, the longest overdue first. For workers."""
    require_staff(caller, "worker")
    now = db.now()
    return reads.Merged([SourcesDue(shard=shard, now=now) for shard in range(DUE_SHARDS)])


def start_due_syncs(db: Repository, caller: Caller, most: int = BATCH_SIZE) -> list[Job]:
    """Queue a job for each due source and advance its schedule; concurrent calls create one job each."""
    due = db.iterate(due_sources(db, caller), unknown="skip")
    started = (_start_sync(db, source) for source in islice(due, most))
    return [job for job in started if job is not None]


def reserve(source: Source, job: Job) -> writes.Write:
    """Return the write that assigns a job to a source; rejected if the source has a job, or is not active."""
    if source.sync_job_id is not None:
        raise Conflict(
            f"source {source.source_id} is already being backed up by job {source.sync_job_id}", "sourceId"
        )
    require_active(source)
    return writes.Update(source, set={"sync_job_id": job.job_id})


def require_active(source: Source) -> None:
    """Raise Conflict unless a source is active: jobs read and write only active sources."""
    if source.status is not SourceStatus.ACTIVE:
        raise Conflict(
            f"source {source.source_id} is {source.status.value}; only an active source has jobs", "sourceId"
        )


def source_of(db: Repository, job: Job) -> Source | None:
    """Return the source that a sync job backs up; None for other jobs, or if the source is gone or has another job."""
    if job.job_type is not JobType.SYNC or job.source_id is None:
        return None
    source = db.run(SourceOfAccount(account_id=job.account_id, source_id=job.source_id))
    return source if source is not None and source.sync_job_id == job.job_id else None


def obstacle(db: Repository, job: Job) -> str:
    """Return why a job cannot be done, or "": its sources must be active, and a sync must be the only one."""
    for source_id in sources_of(job):
        source = db.run(SourceOfAccount(account_id=job.account_id, source_id=source_id))
        if source is None:
            return f"source {source_id} was deleted"
        if source.status is not SourceStatus.ACTIVE:
            return f"source {source_id} is {source.status.value}"
        if job.job_type is JobType.SYNC and source.sync_job_id != job.job_id:
            return f"source {source_id} is backed up by another job"
    return ""


def running(source: Source | None, percentage: int) -> list[writes.Write]:
    """Return the write for a source whose job is running."""
    if source is None:
        return []
    return [
        writes.Update(source, set={"sync_status": SyncStatus(state=SyncState.SYNCING, progress=percentage)})
    ]


def waiting(source: Source | None, message: str = "") -> list[writes.Write]:
    """Return the write for a source whose job waits for the next attempt; with a message, the last one failed."""
    if source is None:
        return []
    state = SyncState.ERROR if message else SyncState.IDLE
    return [writes.Update(source, set={"sync_status": SyncStatus(state=state, message=message)})]


def completed(source: Source | None, now: datetime) -> list[writes.Write]:
    """Return the writes for a source whose job has completed."""
    if source is None:
        return []
    done = SyncStatus(state=SyncState.IDLE, progress=100)
    after = {"sync_status": done, "last_sync_at": now, "sync_job_id": None}
    return [
        writes.Update(source, set=after),
        audit.record(None, source, Action.SYNC),
    ]


def backed_up(db: Repository, job: Job) -> list[writes.Write]:
    """Return the write for the source of a completed backup: it is as current as after a sync."""
    if job.job_type is not JobType.BACKUP or job.source_id is None:
        return []
    source = db.run(SourceOfAccount(account_id=job.account_id, source_id=job.source_id))
    return [writes.Update(source, set={"last_sync_at": db.now()})] if source is not None else []


def cancelled(source: Source | None) -> list[writes.Write]:
    """Return the write for a source whose job is cancelled: its schedule continues."""
    if source is None:
        return []
    return [writes.Update(source, set={"sync_status": SyncStatus(), "sync_job_id": None})]


def failed(source: Source | None, message: str) -> list[writes.Write]:
    """Return the writes for a source whose job has failed for good: an active source stops until a user resumes it."""
    if source is None:
        return []
    failed = SyncStatus(state=SyncState.ERROR, message=message)
    after: dict[str, Any] = {"sync_status": failed, "sync_job_id": None}
    if source.status is not SourceStatus.ACTIVE:
        return [writes.Update(source, set=after), audit.record(None, source, Action.FAIL)]
    after |= {"status": SourceStatus.ERROR, "next_sync_at": None}
    return [
        writes.Update(source, set=after),
        audit.record(None, source, Action.FAIL),
        *_alert(source, message),
    ]


def stop_rejected(db: Repository, source: Source, message: str) -> None:
    """Stop a source whose credentials the platform rejected, until a user reconnects it."""
    status = SyncStatus(state=SyncState.ERROR, message=message[:1000])
    after = {"status": SourceStatus.ERROR, "next_sync_at": None, "sync_status": status}
    key = SourceOfAccount(account_id=source.account_id, source_id=source.source_id)
    try:
        db.transact(
            writes.Update(key, set=after, when=Source.status == SourceStatus.ACTIVE),
            audit.record(None, source, Action.FAIL),
            *_alert(source, message),
        )
    except errors.TransactionFailed:
        return  # it was deleted, paused or disconnected meanwhile


def _start_sync(db: Repository, source: Source) -> Job | None:
    """Queue the job of a source that an index returned; the source's version shows whether it is current."""
    now = db.now()
    assert source.next_sync_at is not None
    after = {"next_sync_at": next_sync(source.config.sync_interval, source.next_sync_at, now)}
    if source.sync_job_id is not None and source.config.sync_interval is SyncInterval.REALTIME:
        after = {"next_sync_at": now + POSTPONED}  # the running job may have read the changed record before
    job = Job(
        account_id=source.account_id,
        job_type=JobType.SYNC,
        source_id=source.source_id,
        scheduled_at=source.next_sync_at,
        available_at=now,
        created_by=source.created_by,
    )
    skip = source.sync_job_id is not None or not is_account_active(db, source.account_id)
    try:
        if skip:
            db.transact(writes.Update(source, set=after))
            return None
        written = db.transact(
            writes.Create(job),
            writes.Update(source, set={**after, "sync_job_id": job.job_id}),
            audit.record(None, job, Action.CREATE, after=job),
        )
    except errors.TransactionFailed:
        return None
    assert isinstance(written[0], Job)
    return written[0]


def _alert(source: Source, reason: str) -> list[writes.Write]:
    return alerts.source_failed(source.account_id, source.source_id, source.source_name, reason)
