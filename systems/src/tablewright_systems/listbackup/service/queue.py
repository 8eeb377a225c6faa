"""The job queue: how workers claim, keep and finish jobs.

A worker that claims a job gets a lease for a few minutes, and each heartbeat renews it. When a lease expires, the job
can be claimed again, and that counts as a failed attempt. Attempts are counted since the last checkpoint: a job whose
workers get further each time does not fail, however often they are killed. Each call of a worker carries the
job as it was claimed, so that a worker whose lease has expired cannot change the job. Repeated calls have no further
effect.

Every write of a job is conditional on the version that was read, so that of concurrent writers one succeeds.
"""

from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from tablewright import Repository, errors, reads, writes
from tablewright_systems.listbackup.design.jobs import (
    QUEUE_SHARDS,
    RANKS,
    Checkpoint,
    Job,
    JobOfAccount,
    JobProgress,
    JobResult,
    JobsAvailable,
    JobStatus,
)
from tablewright_systems.listbackup.design.notifications import Category
from tablewright_systems.listbackup.design.vocabulary import Document, Priority, ResourceType
from tablewright_systems.listbackup.service import audit, notifications, syncs
from tablewright_systems.listbackup.service.access import is_account_active, require_staff
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.service import (
    Caller,
    Conflict,
    Gone,
    Invalid,
    Lease,
    backoff,
    require_found,
    transact,
    written,
)

LEASE = Lease(timedelta(minutes=5), until_field="available_at")
FIRST_BACKOFF = timedelta(seconds=30)
MAX_BACKOFF = timedelta(hours=1)
POSTPONED = timedelta(minutes=15)
"""How long a job of a suspended account is postponed before it is checked again."""
MAX_ERRORS = 100
MAX_ERROR_LENGTH = 500

_DEAD_WORKER = "its worker stopped sending heartbeats"


def waiting_jobs(db: Repository, caller: Caller) -> reads.Chained[Job]:
    """Return the read of the jobs of all accounts that can be claimed, most urgent first, then oldest. For workers."""
    require_staff(caller, "worker")
    now = db.now()
    return reads.Chained(
        reads.Merged(JobsAvailable(shard=shard, rank=rank, now=now) for shard in range(QUEUE_SHARDS))
        for rank in range(RANKS)
    )


def claim(db: Repository, caller: Caller) -> Job | None:
    """Claim the next job for this worker alone; None if there is none."""
    waiting = db.iterate(waiting_jobs(db, caller), unknown="skip")
    return next((taken for job in waiting if (taken := _try_claim(db, caller, job))), None)


def heartbeat(
    db: Repository,
    caller: Caller,
    claimed: Job,
    *,
    total: int | None = None,
    processed: int = 0,
    failed: int = 0,
) -> Job:
    """Renew the lease and report progress. `cancel_requested` of the result asks the worker to stop."""

    def renew() -> Job:
        job = _leased_job(db, caller, claimed)
        progress = job.progress if total is None else _new_progress(total, processed, failed)
        changes = {**LEASE.renewed(db), "progress": progress}
        return _write(db, job, changes, syncs.running(syncs.source_of(db, job), progress.percentage))

    return writes.retrying(renew)()


def checkpoint(
    db: Repository,
    caller: Caller,
    claimed: Job,
    reached: Checkpoint,
    percentage: int,
    more: Callable[[], Sequence[writes.Write]] = tuple,
) -> Job:
    """Store how far the work is, with the writes of the work itself, and renew the lease.

    A worker that lost its lease stores nothing. The next worker continues from here.
    """

    def store() -> Job:
        job = _leased_job(db, caller, claimed)
        failed = min(max(reached.failed, len(reached.failures)), reached.processed)
        changes = {
            **LEASE.renewed(db),
            "checkpoint": reached,
            "progress": JobProgress(processed=reached.processed, failed=failed, percentage=percentage),
            "retry_count": job.retry_count if reached == job.checkpoint else 0,
        }
        return _write(db, job, changes, [*syncs.running(syncs.source_of(db, job), percentage), *more()])

    return writes.retrying(store)()


def postpone(db: Repository, caller: Caller, claimed: Job, delay: timedelta, reason: str) -> Job:
    """Return a job whose platform accepts no more requests for a time; this does not count as a failed attempt."""

    def end(job: Job) -> Job:
        activity = _activity(job, Action.RELEASE, reason=reason[:MAX_ERROR_LENGTH])
        return _write(
            db, job, _pending(db.now() + delay), [*syncs.waiting(syncs.source_of(db, job)), activity]
        )

    return _end(db, caller, claimed, end, JobStatus.PENDING)


def complete(
    db: Repository,
    caller: Caller,
    claimed: Job,
    *,
    records_processed: int = 0,
    failures: Sequence[str] = (),
    failed: int = 0,
    output_location: str | None = None,
    summary: Document | None = None,
) -> Job:
    """Complete a job; repeated calls return the same job. Finished work counts, even if cancellation was requested.

    `failed` is the number of failed records, if `failures` lists only the first of them.
    """
    failed = max(failed, len(failures))
    result = _new_result(records_processed, failures, failed, output_location, summary or {})
    progress = JobProgress(
        total=records_processed,
        processed=records_processed,
        failed=min(failed, records_processed),
        percentage=100,
    )

    def end(job: Job) -> Job:
        changes = _ended(db, JobStatus.COMPLETED) | {"result": result, "progress": progress}
        source = syncs.source_of(db, job)
        synced = syncs.completed(source, db.now()) or syncs.backed_up(db, job)
        return _write(db, job, changes, [*synced, _activity(job, Action.COMPLETE)])

    return _end(db, caller, claimed, end, JobStatus.COMPLETED)


def fail(db: Repository, caller: Caller, claimed: Job, reason: str, *, is_final: bool = False) -> Job:
    """Report a failed attempt. The job is retried with increasing delays, or fails for good after the last attempt."""

    def end(job: Job) -> Job:
        if job.cancel_requested:
            return cancel_now(db, None, job)
        if is_final or job.retry_count >= job.max_retries:
            return _fail_for_good(db, job, reason)
        return _schedule_retry(db, job, reason)

    return _end(db, caller, claimed, end, JobStatus.PENDING, JobStatus.FAILED, JobStatus.CANCELLED)


def release(db: Repository, caller: Caller, claimed: Job) -> Job:
    """Return a job that was not worked on, for example at shutdown; this does not count as a failed attempt."""

    def end(job: Job) -> Job:
        changes = {**_pending(db.now()), "progress": _kept_progress(job)}
        source = syncs.source_of(db, job)
        return _write(db, job, changes, [*syncs.waiting(source), _activity(job, Action.RELEASE)])

    return _end(db, caller, claimed, end, JobStatus.PENDING)


def stop(db: Repository, caller: Caller, claimed: Job) -> Job:
    """Report that work has stopped because cancellation was requested."""

    def end(job: Job) -> Job:
        if not job.cancel_requested:
            raise Conflict("cancellation of this job was not requested", "status")
        return cancel_now(db, None, job)

    return _end(db, caller, claimed, end, JobStatus.CANCELLED)


def cancel_now(
    db: Repository,
    caller: Caller | None,
    job: Job,
    reason: str = "",
    grounds: Sequence[writes.Write] = (),
) -> Job:
    """Cancel a job that no worker is working on; the reason is stored in its result."""
    changes = _ended(db, JobStatus.CANCELLED)
    if reason:
        changes["result"] = _result_with_error(job, reason)
    source = syncs.source_of(db, job)
    activity = _activity(job, Action.CANCEL, caller)
    return _write(db, job, changes, [*syncs.cancelled(source), activity, *grounds])


def _try_claim(db: Repository, caller: Caller, job: Job) -> Job | None:
    """Claim a job that the queue returned; None if another worker was faster or the job is not to be done.

    A job whose source cannot be read does not keep workers from other jobs.
    """
    try:
        return _claim(db, caller, job)
    except (errors.WriteError, errors.TransactionFailed, errors.SecretError, errors.UnknownItem):
        return None


def _claim(db: Repository, caller: Caller, job: Job) -> Job | None:
    if not is_account_active(db, job.account_id):
        db.update(job, set={"available_at": db.now() + POSTPONED})
        return None
    source = syncs.source_of(db, job)
    lease_expired = job.status is JobStatus.RUNNING
    obstacle = "" if job.cancel_requested else syncs.obstacle(db, job)
    if job.cancel_requested or obstacle:
        cancel_now(db, None, job, obstacle)
        return None
    if lease_expired and job.retry_count >= job.max_retries:
        _fail_for_good(db, job, _DEAD_WORKER)
        return None
    changes = {
        **LEASE.new(db),
        "status": JobStatus.RUNNING,
        "worker_id": caller.user_id,
        "started_at": db.now(),
        "progress": _kept_progress(job),
        "retry_count": job.retry_count + lease_expired,
    }
    attempt = job.retry_count + lease_expired + 1
    activity = _activity(job, Action.START, workerId=caller.user_id, attempt=attempt)
    return _write(db, job, changes, [*syncs.running(source, 0), activity])


def _schedule_retry(db: Repository, job: Job, reason: str) -> Job:
    reason = reason[:MAX_ERROR_LENGTH]
    wait = backoff(job.retry_count, FIRST_BACKOFF, MAX_BACKOFF, job.job_id)
    changes = {
        **_pending(db.now() + wait),
        "retry_count": job.retry_count + 1,
        "result": _result_with_error(job, reason),
    }
    source = syncs.source_of(db, job)
    activity = _activity(job, Action.RETRY, reason=reason)
    return _write(db, job, changes, [*syncs.waiting(source, reason), activity])


def _fail_for_good(db: Repository, job: Job, reason: str) -> Job:
    """Mark a job as failed, and notify the user who created it."""
    reason = reason[:MAX_ERROR_LENGTH]
    changes = _ended(db, JobStatus.FAILED) | {"result": _result_with_error(job, reason)}
    notices = notifications.notification_writes(
        db,
        job.created_by,
        job.account_id,
        category=Category.JOB,
        priority=Priority.HIGH,
        subject=f"A {job.job_type.value} has failed",
        message=f"The job failed after {job.retry_count + 1} attempts. Last error: {reason}",
        resource_type=ResourceType.JOB,
        resource_id=job.job_id,
    )
    activity = _activity(job, Action.FAIL, reason=reason)
    return _write(db, job, changes, [*syncs.failed(syncs.source_of(db, job), reason), activity, *notices])


def _end(
    db: Repository, caller: Caller, claimed: Job, end: Callable[[Job], Job], *repeatable: JobStatus
) -> Job:
    """End the work of a worker on a job; a job that the same call ended before is returned as it is."""

    def end_running() -> Job:
        job = _leased_job(db, caller, claimed, repeatable)
        return end(job) if job.status is JobStatus.RUNNING else job

    return writes.retrying(end_running)()


def _leased_job(db: Repository, caller: Caller, claimed: Job, repeatable: Sequence[JobStatus] = ()) -> Job:
    """Return a claimed job as it is now; also an ended one, if this call repeats the one that ended it."""
    require_staff(caller, "worker")
    key = JobOfAccount(account_id=claimed.account_id, job_id=claimed.job_id)
    job = require_found(db.run(key), f"job {claimed.job_id}")
    is_leaseholder = job.lease_id == claimed.lease_id and job.worker_id == caller.user_id
    if is_leaseholder and job.status in (JobStatus.RUNNING, *repeatable):
        return job
    raise Gone("the lease has expired: the job has ended, or another worker has it")


def _write(db: Repository, job: Job, changes: dict[str, Any], more: Sequence[writes.Write]) -> Job:
    return written(transact(db, writes.Update(job, set=changes), *more), Job)


def _kept_progress(job: Job) -> JobProgress:
    """Return the progress of a job that begins again: from its checkpoint, or from the start."""
    return job.progress if job.checkpoint is not None else JobProgress()


def _pending(available_at: datetime) -> dict[str, Any]:
    return {"status": JobStatus.PENDING, "available_at": available_at}


def _ended(db: Repository, status: JobStatus) -> dict[str, Any]:
    """Return the values that all ended jobs share; the job leaves the queue."""
    return {"status": status, "available_at": None, "completed_at": db.now()}


def _activity(job: Job, action: Action, caller: Caller | None = None, **metadata: Any) -> writes.Write:
    return audit.record(caller, job, action, metadata=metadata, event=job.job_type.value)


def _new_progress(total: int, processed: int, failed: int) -> JobProgress:
    """Return the progress with its percentage; 0 if the total is unknown."""
    if not 0 <= failed <= processed or (total and processed > total):
        raise Invalid("failed must not exceed processed, and processed must not exceed total", "processed")
    percentage = processed * 100 // total if total else 0
    return JobProgress(total=total, processed=processed, failed=failed, percentage=percentage)


def _new_result(
    count: int, failures: Sequence[str], failed: int, location: str | None, summary: Document
) -> JobResult:
    """Return the result to store: the first errors, and how many of the failed records have none in the list."""
    if (omitted := failed - min(len(failures), MAX_ERRORS)) > 0:
        summary = {**summary, "errorsOmitted": omitted}
    return JobResult(
        records_processed=count,
        errors=[failure[:MAX_ERROR_LENGTH] for failure in failures[:MAX_ERRORS]],
        output_location=location,
        summary=summary,
    )


def _result_with_error(job: Job, reason: str) -> JobResult:
    """Return the result with one more error; only the last errors are kept."""
    before = job.result.errors if job.result else []
    return JobResult(errors=[*before, reason[:MAX_ERROR_LENGTH]][-MAX_ERRORS:])
