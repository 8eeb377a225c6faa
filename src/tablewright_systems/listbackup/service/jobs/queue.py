"""The queue: how workers take jobs, keep them, and end them.

A worker that takes a job gets a lease. It lasts a few minutes, and each heartbeat makes it last anew; when it ends, the
job is there for others again, and that counts as a failed attempt. Whatever a worker says comes with the id of its
lease, so that one who was thought dead cannot meddle with the work of another. What is said twice is done once.

Every write of a job holds to the version that was read, so that of many who would change it one wins.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from heapq import merge
from typing import Any
from uuid import uuid4

from tablewright import Repository, errors, writes
from tablewright_systems.api_errors import Conflict, Gone, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.jobs import (
    QUEUE_SHARDS,
    RANKS,
    Job,
    JobOfAccount,
    JobResult,
    JobsAvailable,
    JobStatus,
    Progress,
)
from tablewright_systems.listbackup.design.notifications import Category
from tablewright_systems.listbackup.design.vocabulary import Document, Priority, ResourceType
from tablewright_systems.listbackup.service.access import is_served, require_staff
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.notifications import notifications
from tablewright_systems.listbackup.service.retries import backoff, settled
from tablewright_systems.listbackup.service.sources import syncs

LEASE = timedelta(minutes=5)
FIRST_BACKOFF = timedelta(seconds=30)
LONGEST_BACKOFF = timedelta(hours=1)
POSTPONED = timedelta(minutes=15)
"""How long a job of a suspended account is left alone before it is looked at again."""

MOST_ERRORS = 100
LONGEST_ERROR = 500
_DEAD_WORKER = "its worker was not heard of any more"


@dataclass(frozen=True, slots=True)
class Lease:
    """A job in the hands of a worker."""

    account_id: str
    job_id: str
    lease_id: str


def lease_of(job: Job) -> Lease:
    """The lease that a job was taken by."""
    assert job.lease_id is not None
    return Lease(job.account_id, job.job_id, job.lease_id)


def waiting_jobs(db: Repository, caller: Caller) -> Iterator[Job]:
    """The jobs of all accounts that may be taken now: the most urgent first, then the longest waiting. For workers."""
    require_staff(caller, "worker")
    now = db.now()
    for rank in range(RANKS):
        shards = [
            db.iterate(JobsAvailable(shard=shard, rank=rank, now=now), unknown="skip")
            for shard in range(QUEUE_SHARDS)
        ]
        yield from merge(*shards, key=lambda job: (job.available_at, job.job_id))


def claim(db: Repository, caller: Caller) -> Job | None:
    """Take the next job, and nobody else does; None when there is none."""
    return next((taken for job in waiting_jobs(db, caller) if (taken := _take(db, caller, job))), None)


def heartbeat(
    db: Repository,
    caller: Caller,
    lease: Lease,
    *,
    total: int | None = None,
    processed: int = 0,
    failed: int = 0,
) -> Job:
    """Keep a job, and say how far it is. `cancel_requested` of the answer asks the worker to stop."""

    def beat() -> Job:
        job = _held(db, caller, lease)
        progress = job.progress if total is None else _progress(total, processed, failed)
        changes = {"available_at": db.now() + LEASE, "progress": progress}
        return _write(db, job, changes, syncs.going_on(syncs.source_of(db, job), progress.percentage))

    return settled(beat)


def complete(
    db: Repository,
    caller: Caller,
    lease: Lease,
    *,
    records_processed: int = 0,
    failures: Sequence[str] = (),
    output_location: str | None = None,
    summary: Document | None = None,
) -> Job:
    """End a job well. Said again, it is answered as the first time. Work that is done counts, even if cancelled."""
    result = _result(records_processed, failures, output_location, summary or {})

    def end() -> Job:
        job = _held(db, caller, lease, said=(JobStatus.COMPLETED,))
        if job.status is not JobStatus.RUNNING:
            return job
        changes = _over(db, JobStatus.COMPLETED) | {
            "result": result,
            "progress": Progress(
                total=records_processed,
                processed=records_processed,
                failed=min(len(failures), records_processed),
                percentage=100,
            ),
        }
        source = syncs.source_of(db, job)
        return _write(db, job, changes, [*syncs.completed(source, db.now()), _told(job, Action.COMPLETE)])

    return settled(end)


def fail(db: Repository, caller: Caller, lease: Lease, reason: str, *, is_final: bool = False) -> Job:
    """Say that an attempt failed. The job waits for another, longer each time, or is dead when there are no more."""

    def end() -> Job:
        job = _held(db, caller, lease, said=(JobStatus.PENDING, JobStatus.FAILED, JobStatus.CANCELLED))
        if job.status is not JobStatus.RUNNING:
            return job
        if job.cancel_requested:
            return cancel_now(db, None, job)
        if is_final or job.retry_count >= job.max_retries:
            return _bury(db, job, reason)
        return _put_back(db, job, reason)

    return settled(end)


def release(db: Repository, caller: Caller, lease: Lease) -> Job:
    """Give a job back that was not worked on, as when a worker is shut down; that is no failed attempt."""

    def end() -> Job:
        job = _held(db, caller, lease, said=(JobStatus.PENDING,))
        if job.status is not JobStatus.RUNNING:
            return job
        changes = {"status": JobStatus.PENDING, "available_at": db.now(), "progress": Progress()}
        source = syncs.source_of(db, job)
        return _write(db, job, changes, [*syncs.waiting(source), _told(job, Action.RELEASE)])

    return settled(end)


def stop(db: Repository, caller: Caller, lease: Lease) -> Job:
    """Say that work on a job has ended because it was asked to be cancelled."""

    def end() -> Job:
        job = _held(db, caller, lease, said=(JobStatus.CANCELLED,))
        if job.status is not JobStatus.RUNNING:
            return job
        if not job.cancel_requested:
            raise Conflict("nobody asked to cancel it", "status")
        return cancel_now(db, None, job)

    return settled(end)


def cancel_now(db: Repository, caller: Caller | None, job: Job) -> Job:
    """Cancel a job that nobody works on."""
    changes = _over(db, JobStatus.CANCELLED)
    source = syncs.source_of(db, job)
    return _write(db, job, changes, [*syncs.cancelled(source), _told(job, Action.CANCEL, caller)])


def _take(db: Repository, caller: Caller, job: Job) -> Job | None:
    """Take a job that the queue showed, or clear it away; None when somebody was faster, or it is not to be done.

    Nor does a job whose source cannot be read keep workers from all others.
    """
    try:
        return _taken(db, caller, job)
    except (errors.WriteError, errors.TransactionFailed, errors.SecretError, errors.UnknownItem):
        return None


def _taken(db: Repository, caller: Caller, job: Job) -> Job | None:
    if not is_served(db, job.account_id):
        db.update(job, set={"available_at": db.now() + POSTPONED})
        return None
    source = syncs.source_of(db, job)
    was_lost = job.status is JobStatus.RUNNING
    if job.cancel_requested or not syncs.is_wanted(job, source):
        cancel_now(db, None, job)
        return None
    if was_lost and job.retry_count >= job.max_retries:
        _bury(db, job, _DEAD_WORKER)
        return None
    now = db.now()
    changes = {
        "status": JobStatus.RUNNING,
        "worker_id": caller.user_id,
        "lease_id": str(uuid4()),
        "available_at": now + LEASE,
        "started_at": now,
        "progress": Progress(),
        "retry_count": job.retry_count + was_lost,
    }
    attempt = {"workerId": caller.user_id, "attempt": job.retry_count + was_lost + 1}
    return _write(db, job, changes, [*syncs.going_on(source, 0), _told(job, Action.START, metadata=attempt)])


def _put_back(db: Repository, job: Job, reason: str) -> Job:
    wait = backoff(job.retry_count, FIRST_BACKOFF, LONGEST_BACKOFF, job.job_id)
    changes = {
        "status": JobStatus.PENDING,
        "available_at": db.now() + wait,
        "retry_count": job.retry_count + 1,
        "result": _with_error(job, reason),
    }
    source = syncs.source_of(db, job)
    told = _told(job, Action.RETRY, metadata={"reason": reason[:LONGEST_ERROR]})
    return _write(db, job, changes, [*syncs.waiting(source, reason[:LONGEST_ERROR]), told])


def _bury(db: Repository, job: Job, reason: str) -> Job:
    """Give a job up: it has failed for good, and who wanted it is told."""
    changes = _over(db, JobStatus.FAILED) | {"result": _with_error(job, reason)}
    source = syncs.source_of(db, job)
    notices = notifications.notices(
        db,
        job.created_by,
        job.account_id,
        category=Category.JOB,
        priority=Priority.HIGH,
        subject=f"A {job.job_type.value} has failed",
        message=f"It was tried {job.retry_count + 1} times. The last time: {reason[:LONGEST_ERROR]}",
        resource_type=ResourceType.JOB,
        resource_id=job.job_id,
    )
    told = _told(job, Action.FAIL, metadata={"reason": reason[:LONGEST_ERROR]})
    return _write(db, job, changes, [*syncs.given_up(source, reason[:LONGEST_ERROR]), told, *notices])


def _held(db: Repository, caller: Caller, lease: Lease, said: Sequence[JobStatus] = ()) -> Job:
    """The job that a worker has; or that it had, if it has said the same before."""
    require_staff(caller, "worker")
    job = db.run(JobOfAccount(account_id=lease.account_id, job_id=lease.job_id))
    if job is None:
        raise NotFound(f"job {lease.job_id}")
    is_theirs = job.lease_id == lease.lease_id and job.worker_id == caller.user_id
    if is_theirs and job.status in (JobStatus.RUNNING, *said):
        return job
    raise Gone("the lease has ended: the job is over, or others have it")


def _write(db: Repository, job: Job, changes: dict[str, Any], more: Sequence[writes.Write]) -> Job:
    written = db.transact(writes.Update(job, set=changes), *more)
    assert isinstance(written[0], Job)
    return written[0]


def _over(db: Repository, status: JobStatus) -> dict[str, Any]:
    """What every job has in common that is over; it leaves the queue."""
    return {"status": status, "available_at": None, "completed_at": db.now()}


def _progress(total: int, processed: int, failed: int) -> Progress:
    """Of nothing, and of more than there is, there is no share."""
    if not 0 <= failed <= processed or (total and processed > total):
        raise Invalid("failed is at most processed, and processed at most total", "processed")
    percentage = processed * 100 // total if total else 0
    return Progress(total=total, processed=processed, failed=failed, percentage=percentage)


def _result(count: int, failures: Sequence[str], location: str | None, summary: Document) -> JobResult:
    """What is kept of a result; of very many failures the first, and how many more there were."""
    if (omitted := len(failures) - MOST_ERRORS) > 0:
        summary = {**summary, "errorsOmitted": omitted}
    return JobResult(
        records_processed=count,
        errors=[each[:LONGEST_ERROR] for each in failures[:MOST_ERRORS]],
        output_location=location,
        summary=summary,
    )


def _with_error(job: Job, reason: str) -> JobResult:
    """The errors of all attempts, the last ones if there are too many."""
    before = job.result.errors if job.result else []
    return JobResult(errors=[*before, reason[:LONGEST_ERROR]][-MOST_ERRORS:])


def _told(
    job: Job, action: Action, caller: Caller | None = None, metadata: dict[str, Any] | None = None
) -> writes.Write:
    return audit.record(
        caller,
        job.account_id,
        ResourceType.JOB,
        job.job_id,
        action,
        metadata=metadata,
        event=job.job_type.value,
    )
