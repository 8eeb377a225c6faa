"""Jobs, as users see them: requesting, reading, cancelling and retrying them. Workers use `queue`.

Platforms have records of different shapes. A record of one platform that is written to another loses its fields, so
backups are written only to sources of their own platform.
"""

from collections.abc import Iterable, Sequence
from typing import Annotated

from pydantic import Field

from tablewright import Query, Repository, writes
from tablewright_systems.listbackup.design import jobs as design
from tablewright_systems.listbackup.design.accounts import Account, AccountById, AccountStatus
from tablewright_systems.listbackup.design.archives import Archive, ArchiveKind
from tablewright_systems.listbackup.design.jobs import DateRange, Job, JobConfig, JobStatus, JobType
from tablewright_systems.listbackup.design.sources import Source, SourceOfAccount, SourceStatus
from tablewright_systems.listbackup.design.vocabulary import DataType, Document, Id, Priority, Right
from tablewright_systems.listbackup.platforms.platforms import APIS
from tablewright_systems.listbackup.service import archives, audit, limits, queue, syncs
from tablewright_systems.listbackup.service.access import Access, Area, require_right
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.options import JobOptions, require_valid, sources_of
from tablewright_systems.listbackup.service.sources import get_source, require_data_types
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound, require_found, transact
from tablewright_systems.service.errors import Invalid
from tablewright_systems.service.schemas import Time
from tablewright_systems.web import CurrentCaller, Db, Router

router = Router("Jobs", "Backup jobs of an account.")


@router.post("/accounts/{account_id}/jobs", status_code=201)
def create_job(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    job_type: Annotated[JobType, Field(examples=["backup"])],
    *,
    source_id: Annotated[Id | None, Field(examples=[None])] = None,
    priority: Priority = Priority.MEDIUM,
    config: JobConfig | None = None,
    scheduled_at: Time | None = None,
    max_retries: Annotated[int, Field(ge=0, le=20)] = 3,
) -> Job:
    """Queue a job, to run now or at a scheduled time."""
    # A sync needs a source, and a source has one sync at a time.
    access = _require_job_right(db, caller, account_id, job_type)
    config = config or JobConfig()
    options = require_valid(job_type, source_id, config)
    require_compatible(db, account_id, source_id, config, options)
    if job_type is not JobType.IMPORT:
        limits.require_storage(access.account)
    at = scheduled_at or db.now()
    job = Job(
        account_id=account_id,
        job_type=job_type,
        source_id=source_id,
        priority=priority,
        config=config,
        scheduled_at=at,
        available_at=at,
        created_by=caller.user_id,
        max_retries=max_retries,
    )
    return writes.retrying(lambda: _queue(db, caller, access, job))()


@router.get("/accounts/{account_id}/jobs/{job_id}")
def read_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Get a job of an account."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return get_job(db, account_id, job_id)


@router.get("/jobs/{job_id}")
def job_by_id(db: Db, caller: CurrentCaller, job_id: str) -> Job:
    """Get a job by its id alone. A job created just now may not be found yet."""
    job = require_found(db.run(design.JobById(job_id=job_id)), f"job {job_id}")
    try:
        return read_job(db, caller, job.account_id, job_id)
    except Forbidden:
        raise NotFound(f"job {job_id}") from None


@router.get("/accounts/{account_id}/jobs", name="read_jobs")
def jobs_of_account(
    db: Db, caller: CurrentCaller, account_id: str, status: JobStatus | None = None
) -> Query[Job]:
    """List an account's jobs, or those of one status, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    if status is None:
        return design.JobsOfAccount(account_id=account_id)
    return design.JobsByStatus(account_id=account_id, status=status)


@router.get("/accounts/{account_id}/sources/{source_id}/jobs", name="read_jobs_of_source")
def jobs_of_source(db: Db, caller: CurrentCaller, account_id: str, source_id: str) -> design.JobsOfSource:
    """List the jobs of a source, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    get_source(db, account_id, source_id)
    return design.JobsOfSource(source_id=source_id)


@router.post("/accounts/{account_id}/jobs/{job_id}/cancellation")
def cancel_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Cancel a job, or ask its worker to stop."""

    def cancel() -> Job:
        job = get_job(db, account_id, job_id)
        access = _require_job_right(db, caller, account_id, job.job_type)
        match job.status:
            case JobStatus.PENDING:
                return queue.cancel_now(db, caller, job, grounds=access.grounds)
            case JobStatus.RUNNING:
                if job.cancel_requested:
                    return job
                return audit.change(db, caller, job, {"cancel_requested": True}, key=key, access=access)
            case JobStatus.CANCELLED:
                return job
            case JobStatus.COMPLETED | JobStatus.FAILED:
                raise Conflict(f"the job is already {job.status.value}", "status")

    key = design.JobOfAccount(account_id=account_id, job_id=job_id)
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return writes.retrying(cancel)()


@router.post("/accounts/{account_id}/jobs/{job_id}/retry")
def retry_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Queue a failed job again."""

    def retry() -> Job:
        job = get_job(db, account_id, job_id)
        access = _require_job_right(db, caller, account_id, job.job_type)
        if job.status is not JobStatus.FAILED:
            raise Conflict(f"the job is {job.status.value}; only a failed job can be retried", "status")
        changes = {
            "status": JobStatus.PENDING,
            "available_at": db.now(),
            "retry_count": 0,
            "progress": design.JobProgress(),
            "checkpoint": None,
            "completed_at": None,
            "worker_id": None,
            "lease_id": None,
        }
        return audit.change(db, caller, job, changes, *_reserving(db, job), key=key, access=access)

    key = design.JobOfAccount(account_id=account_id, job_id=job_id)
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return writes.retrying(retry)()


@router.post("/accounts/{account_id}/archives/{archive_id}/restore", status_code=201, tags=["Archives"])
def restore(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    archive_id: str,
    *,
    source_id: Id,
    data_types: Annotated[Sequence[DataType], Field(max_length=50)] = (),
    date_range: DateRange | None = None,
    filters: Document | None = None,
) -> Job:
    """Queue a job that writes the records of a backup to a source of the same platform."""
    config = JobConfig(
        data_types=list(data_types),
        date_range=date_range,
        filters=filters or {},
        options={"backupId": archive_id},
    )
    try:
        return create_job(db, caller, account_id, JobType.IMPORT, source_id=source_id, config=config)
    except Invalid as error:  # the body of a restore has the fields of `config` itself
        raise Invalid(error.message, (error.field or "").removeprefix("config.") or None) from None


def get_job(db: Repository, account_id: str, job_id: str) -> Job:
    """Return a job of an account, or raise NotFound. The caller's rights are not checked."""
    return require_found(db.run(design.JobOfAccount(account_id=account_id, job_id=job_id)), f"job {job_id}")


def _queue(db: Repository, caller: Caller, access: Access, job: Job) -> Job:
    inactive = Forbidden(f"account {job.account_id} is not active")
    active = Account.status == AccountStatus.ACTIVE
    queued, *_ = transact(
        db,
        writes.Create(job),
        writes.Check(AccountById(account_id=job.account_id), active, otherwise=inactive),
        *_reserving(db, job),
        audit.record(caller, job, Action.CREATE, after=job),
        *access.grounds,
    )
    return queued


def _reserving(db: Repository, job: Job) -> list[writes.Write]:
    """Return the writes that a job needs on its sources: they must be active, and a sync must be the only one."""
    actions: list[writes.Write] = []
    for source_id in sources_of(job):
        source = get_source(db, job.account_id, source_id)
        syncs.require_active(source)
        if job.job_type is JobType.SYNC:
            actions.append(syncs.reserve(source, job))
        else:
            key = SourceOfAccount(account_id=job.account_id, source_id=source_id)
            stopped = Conflict(f"source {source_id} is not active any more", "sourceId")
            actions.append(writes.Check(key, Source.status == SourceStatus.ACTIVE, otherwise=stopped))
    return actions


def _require_job_right(db: Repository, caller: Caller, account_id: str, job_type: JobType) -> Access:
    """Require the right for a type of job: an export reads data, all others change it."""
    if job_type is JobType.EXPORT:
        return require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    return require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)


DATA_TYPES_FIELD = "config.dataTypes"
TARGET_FIELD = "config.options.targetSourceId"


def require_compatible(
    db: Repository, account_id: str, source_id: str | None, config: JobConfig, options: JobOptions
) -> None:
    """Require that the backup or upload of a new job is complete, and fits its sources and data types."""
    source = None if source_id is None else get_source(db, account_id, source_id)
    if options.target_source_id is not None and source is not None:
        target = get_source(db, account_id, options.target_source_id)
        require_same_platform(source.platform, target, TARGET_FIELD)
    _require_data_types(source, config.data_types)
    if options.backup_id is not None:
        backup = archives.complete_archive(db, account_id, options.backup_id, ArchiveKind.BACKUP)
        if source is not None:
            require_same_platform(backup.platform, source)
        _require_part_of(backup, config.data_types)
    if options.upload_id is not None:
        upload = archives.complete_archive(db, account_id, options.upload_id, ArchiveKind.UPLOAD)
        _require_data_types(source, upload.data_types, "config.options.uploadId")
        _require_part_of(upload, config.data_types)


def require_same_platform(platform: str | None, target: Source, field: str = "sourceId") -> None:
    """Require that records of a platform are written to a source of this platform; uploads have no platform."""
    if platform is not None and platform != target.platform:
        raise Invalid(
            f"this backup is from {platform}, but the source is {target.platform}; "
            f"restore it to a {platform} source",
            field,
        )


def _require_data_types(
    source: Source | None, data_types: Iterable[str], field: str = DATA_TYPES_FIELD
) -> None:
    """Require data types that the platform of the source has; without a source, those that some platform has."""
    if source is not None:
        if source.platform in APIS:  # otherwise it is a source from V1, and the worker rejects its platform
            require_data_types(source.platform, data_types, field)
        return
    known = list(dict.fromkeys(data_type for api in APIS.values() for data_type in api.data_types))
    if unknown := sorted(set(data_types) - set(known)):
        raise Invalid(f"no platform has {', '.join(unknown)}; platforms have {', '.join(known)}", field)


def _require_part_of(archive: Archive, data_types: Iterable[str]) -> None:
    if missing := sorted(set(data_types) - set(archive.data_types)):
        kind, stored = archive.kind.value, ", ".join(archive.data_types)
        raise Invalid(f"the {kind} has no {', '.join(missing)}; it has {stored}", DATA_TYPES_FIELD)
