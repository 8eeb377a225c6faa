"""Jobs, as those see them who want something done: queueing, looking, cancelling, trying again. Workers use `queue`."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from tablewright import Query, Repository, writes
from tablewright_systems.api_errors import ApiError, Conflict, Forbidden, Invalid, NotFound
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.jobs import (
    Job,
    JobById,
    JobConfig,
    JobOfAccount,
    JobsByStatus,
    JobsOfAccount,
    JobsOfSource,
    JobStatus,
    JobType,
    Progress,
)
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount
from tablewright_systems.listbackup.design.vocabulary import Priority, ResourceType, Right
from tablewright_systems.listbackup.service.access import Access, Area, admit
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.jobs import queue
from tablewright_systems.listbackup.service.retries import settled
from tablewright_systems.listbackup.service.sources import syncs
from tablewright_systems.listbackup.service.store_errors import refusing


def create_job(
    db: Repository,
    caller: Caller,
    account_id: str,
    job_type: JobType,
    *,
    source_id: str | None = None,
    priority: Priority = Priority.MEDIUM,
    config: JobConfig | None = None,
    scheduled_at: datetime | None = None,
    max_retries: int = 3,
) -> Job:
    """Queue a job, for now or for later. A sync is of a source, and only one at a time."""
    _admit_to(db, caller, account_id, job_type)
    at = scheduled_at or db.now()
    job = Job(
        account_id=account_id,
        job_type=job_type,
        source_id=source_id,
        priority=priority,
        config=config or JobConfig(),
        scheduled_at=at,
        available_at=at,
        created_by=caller.user_id,
        max_retries=max_retries,
    )
    return settled(lambda: _queue(db, caller, job))


def read_job(db: Repository, caller: Caller, account_id: str, job_id: str) -> Job:
    """A job of an account."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    return found_job(db, account_id, job_id)


def job_by_id(db: Repository, caller: Caller, job_id: str) -> Job:
    """A job whose account the caller need not know, but be let in to. The index finds it, the table tells of it."""
    found = db.run(JobById(job_id=job_id))
    if found is None:
        raise NotFound(f"job {job_id}")
    try:
        return read_job(db, caller, found.account_id, job_id)
    except Forbidden:
        raise NotFound(f"job {job_id}") from None


def jobs_of_account(
    db: Repository, caller: Caller, account_id: str, status: JobStatus | None = None
) -> Query[Job]:
    """The pattern that finds the jobs of an account, or those of one status, the newest first."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if status is None:
        return JobsOfAccount(account_id=account_id)
    return JobsByStatus(account_id=account_id, status=status)


def jobs_of_source(db: Repository, caller: Caller, account_id: str, source_id: str) -> JobsOfSource:
    """The pattern that finds the jobs of a source, the newest first."""
    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    if db.run(SourceOfAccount(account_id=account_id, source_id=source_id)) is None:
        raise NotFound(f"source {source_id}")
    return JobsOfSource(source_id=source_id)


def cancel_job(db: Repository, caller: Caller, account_id: str, job_id: str) -> Job:
    """Cancel a job: at once while it waits; one that runs is asked to stop, and no worker takes it again."""

    def cancel() -> Job:
        job = found_job(db, account_id, job_id)
        _admit_to(db, caller, account_id, job.job_type)
        match job.status:
            case JobStatus.PENDING:
                return queue.cancel_now(db, caller, job)
            case JobStatus.RUNNING:
                return job if job.cancel_requested else _change(db, caller, job, {"cancel_requested": True})
            case JobStatus.CANCELLED:
                return job
            case JobStatus.COMPLETED | JobStatus.FAILED:
                raise Conflict(f"the job is {job.status.value} already", "status")

    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    return settled(cancel)


def retry_job(db: Repository, caller: Caller, account_id: str, job_id: str) -> Job:
    """Give a job that has failed for good all its attempts once more."""

    def revive() -> Job:
        job = found_job(db, account_id, job_id)
        _admit_to(db, caller, account_id, job.job_type)
        if job.status is not JobStatus.FAILED:
            raise Conflict(
                f"the job is {job.status.value}; only one that has failed is tried again", "status"
            )
        changes = {
            "status": JobStatus.PENDING,
            "available_at": db.now(),
            "retry_count": 0,
            "progress": Progress(),
            "completed_at": None,
            "worker_id": None,
            "lease_id": None,
        }
        return _change(db, caller, job, changes, _reserving(db, job))

    admit(db, caller, account_id, Area.SOURCES, Right.READ)
    return settled(revive)


def found_job(db: Repository, account_id: str, job_id: str) -> Job:
    """A job of an account, for who was let in."""
    job = db.run(JobOfAccount(account_id=account_id, job_id=job_id))
    if job is None:
        raise NotFound(f"job {job_id}")
    return job


def _queue(db: Repository, caller: Caller, job: Job) -> Job:
    account: ApiError = Forbidden(f"account {job.account_id} is not active")
    told = audit.record(caller, job.account_id, ResourceType.JOB, job.job_id, Action.CREATE, after=job)
    with refusing({Account: account}):
        written = db.transact(
            writes.Create(job),
            writes.Check(AccountById(account_id=job.account_id), Account.status == AccountStatus.ACTIVE),
            *_reserving(db, job),
            told,
        )
    assert isinstance(written[0], Job)
    return written[0]


def _change(
    db: Repository, caller: Caller, job: Job, changes: dict[str, Any], more: Sequence[writes.Write] = ()
) -> Job:
    told = audit.record(
        caller,
        job.account_id,
        ResourceType.JOB,
        job.job_id,
        Action.UPDATE,
        before=job,
        after=job.changed(**changes),
    )
    db.transact(writes.Update(job, set=changes), *more, told)
    return found_job(db, job.account_id, job.job_id)


def _reserving(db: Repository, job: Job) -> list[writes.Write]:
    """What a job needs of its source: that it is there, and for a sync that it has no other."""
    if job.source_id is None:
        if job.job_type is JobType.SYNC:
            raise Invalid("a sync is of a source", "sourceId")
        return []
    source = db.run(SourceOfAccount(account_id=job.account_id, source_id=job.source_id))
    if source is None:
        raise NotFound(f"source {job.source_id}")
    return [syncs.reserve(source, job) if job.job_type is JobType.SYNC else _still(source)]


def _still(source: Source) -> writes.Write:
    return writes.Check(SourceOfAccount(account_id=source.account_id, source_id=source.source_id))


def _admit_to(db: Repository, caller: Caller, account_id: str, job_type: JobType) -> Access:
    """Let in who may have such a job done: an export takes data out, all others change it."""
    if job_type is JobType.EXPORT:
        return admit(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    return admit(db, caller, account_id, Area.SOURCES, Right.UPDATE)
