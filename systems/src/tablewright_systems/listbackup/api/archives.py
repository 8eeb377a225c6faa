"""Jobs, and the backups, exports and uploads that they read and write. The keys of archives are never returned.

Workers take jobs from the queue in the store, not over HTTP: they need the keys of its secrets.
"""

from typing import Annotated, Any

from fastapi import Depends, Path, Response
from fastapi.responses import StreamingResponse
from pydantic import Field

from tablewright import fields
from tablewright_systems.listbackup.archives.object_store import ObjectStore, store_for
from tablewright_systems.listbackup.design.archives import ArchiveKind, ArchiveStatus, FileFormat
from tablewright_systems.listbackup.design.jobs import DateRange, Job, JobConfig, JobStatus, JobType
from tablewright_systems.listbackup.design.vocabulary import DataType, Document, Id, Priority
from tablewright_systems.listbackup.service import backups, jobs
from tablewright_systems.listbackup.service.backups import MAX_IDS
from tablewright_systems.service import Invalid
from tablewright_systems.service.schemas import Time
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems

job_router = Router("Jobs", "Backup jobs of an account.")


class NewJob(Body):
    """A new job, to run now or at a scheduled time."""

    job_type: JobType = Field(examples=["backup"])
    source_id: Id | None = Field(default=None, examples=[None])
    priority: Priority = Priority.MEDIUM
    config: JobConfig = Field(default_factory=JobConfig)
    scheduled_at: Time | None = None
    max_retries: Annotated[int, Field(ge=0, le=20)] = 3


@job_router.post("/accounts/{account_id}/jobs", status_code=201)
def create_job(db: Db, caller: CurrentCaller, account_id: str, body: NewJob) -> Job:
    """Queue a job."""
    return jobs.create_job(db, caller, account_id, **dict(body))


@job_router.get("/accounts/{account_id}/jobs")
def read_jobs(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, status: JobStatus | None = None
) -> PageReply[Job]:
    """List an account's jobs, or those of one status, newest first."""
    pattern = jobs.jobs_of_account(db, caller, account_id, status)
    return PageReply.of(paging.run(db, pattern))


@job_router.get("/accounts/{account_id}/sources/{source_id}/jobs")
def read_jobs_of_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, paging: PageRequest
) -> PageReply[Job]:
    """List the jobs of a source, newest first."""
    pattern = jobs.jobs_of_source(db, caller, account_id, source_id)
    return PageReply.of(paging.run(db, pattern))


@job_router.get("/jobs/{job_id}")
def job_by_id(db: Db, caller: CurrentCaller, job_id: str) -> Job:
    """Get a job by its id alone. A job created just now may not be found yet."""
    return jobs.job_by_id(db, caller, job_id)


@job_router.get("/accounts/{account_id}/jobs/{job_id}")
def read_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Get a job of an account."""
    return jobs.read_job(db, caller, account_id, job_id)


@job_router.post("/accounts/{account_id}/jobs/{job_id}/cancellation")
def cancel_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Cancel a job, or ask its worker to stop."""
    return jobs.cancel_job(db, caller, account_id, job_id)


@job_router.post("/accounts/{account_id}/jobs/{job_id}/retry")
def retry_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Queue a failed job again."""
    return jobs.retry_job(db, caller, account_id, job_id)


router = Router("Archives", "Backups of sources, exports for users, and uploaded files.")

MEDIA_TYPES = {FileFormat.JSON: "application/json", FileFormat.CSV: "text/csv"}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "The records."}
}
_ARCHIVES = "/accounts/{account_id}/archives"


def _store(db: Db) -> ObjectStore:
    return store_for(db.connection)


Store = Annotated[ObjectStore, Depends(_store)]


Ids = Annotated[list[str], Field(max_length=MAX_IDS)]


class ArchiveView(View):
    """A backup, an export or an upload."""

    account_id: str
    archive_id: str
    kind: ArchiveKind
    status: ArchiveStatus
    source_id: str | None
    job_id: str | None
    platform: str | None
    base_archive_id: str | None
    since: fields.Timestamp | None
    date_range: DateRange | None
    filters: Document
    format: FileFormat
    data_types: list[str]
    counts: dict[str, int]
    records: int
    size: int
    created_at: fields.Timestamp
    completed_at: fields.Timestamp | None
    created_by: str


class NewUpload(Body):
    """The records of one data type: a JSON list, JSON Lines, or CSV with a header. Each needs the field `id`."""

    data_type: DataType
    format: FileFormat = FileFormat.JSON
    content: Annotated[str, Field(min_length=1, examples=['[{"id": "c1", "email": "ada@example.org"}]'])]


class NewRestore(Body):
    """Which records of a backup are written to which source."""

    source_id: Id
    data_types: list[DataType] = Field(default_factory=list, max_length=50)
    date_range: DateRange | None = None
    filters: Document = Field(default_factory=dict)


class DifferenceView(View):
    """The records of one data type that differ: their number, and the first ids."""

    added: int
    changed: int
    removed: int
    added_ids: Ids
    changed_ids: Ids
    removed_ids: Ids


class ComparisonView(View):
    """What was added, changed and removed from one backup to another."""

    differences: dict[str, DifferenceView]


class VerificationView(View):
    """How many files and records were read, and what is damaged or missing."""

    files: int
    records: int
    problems: list[str]


@router.get(_ARCHIVES)
def list_archives(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    paging: PageRequest,
    kind: ArchiveKind = ArchiveKind.BACKUP,
) -> PageReply[ArchiveView]:
    """List the backups, exports or uploads of an account, newest first."""
    page = backups.archives_of_account(db, caller, account_id, kind, paging)
    return PageReply.map(page, ArchiveView.model_validate)


@router.get("/accounts/{account_id}/sources/{source_id}/archives")
def list_archives_of_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, paging: PageRequest
) -> PageReply[ArchiveView]:
    """List the backups and exports of a source, newest first."""
    page = backups.archives_of_source(db, caller, account_id, source_id, paging)
    return PageReply.map(page, ArchiveView.model_validate)


@router.post(_ARCHIVES, status_code=201)
def upload(db: Db, caller: CurrentCaller, store: Store, account_id: str, body: NewUpload) -> ArchiveView:
    """Upload a file with records, for a job that imports it."""
    made = backups.upload(db, caller, store, account_id, body.data_type, body.content, body.format)
    return ArchiveView.model_validate(made)


@router.get(f"{_ARCHIVES}/{{archive_id}}")
def read_archive(db: Db, caller: CurrentCaller, account_id: str, archive_id: str) -> ArchiveView:
    """Get a backup, an export or an upload."""
    return ArchiveView.model_validate(backups.read_archive(db, caller, account_id, archive_id))


@router.delete(f"{_ARCHIVES}/{{archive_id}}", status_code=204, response_class=Response)
def delete_archive(db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str) -> None:
    """Delete an archive with its files. A backup that a newer incremental one continues is kept."""
    backups.delete_archive(db, caller, store, account_id, archive_id)


@router.get(
    f"{_ARCHIVES}/{{archive_id}}/files/{{data_type}}",
    response_model=list[dict[str, Any]],
    responses={**_FILE, **problems(404, 409)},
)
def download(
    db: Db,
    caller: CurrentCaller,
    store: Store,
    account_id: str,
    archive_id: str,
    data_type: Annotated[DataType, Path()],
    format: FileFormat | None = None,  # noqa: A002 - the name of the parameter
) -> StreamingResponse:
    """Download the records of one data type as a file, JSON or CSV. Of an incremental backup, the state at its time.

    The file has all records and is sent while it is read: it has no pages.
    """
    file_format, content = backups.download(db, caller, store, account_id, archive_id, data_type, format)
    name = f"attachment; filename={data_type}-{archive_id}.{file_format.value}"
    return StreamingResponse(
        content, media_type=MEDIA_TYPES[file_format], headers={"content-disposition": name}
    )


@router.get(f"{_ARCHIVES}/{{archive_id}}/comparison", responses=problems(404, 409))
def compare_archives(
    db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str, before: Id
) -> ComparisonView:
    """Compare a backup with an earlier one, `before`: what was added, changed and removed."""
    differences = backups.compare(db, caller, store, account_id, before, archive_id)
    views = {name: DifferenceView.model_validate(difference) for name, difference in differences.items()}
    return ComparisonView(differences=views)


@router.post(f"{_ARCHIVES}/{{archive_id}}/verification")
def verify_archive(
    db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str
) -> VerificationView:
    """Read every file of a backup and of those that it continues, and compare_archives checksums and counts."""
    return VerificationView.model_validate(backups.verify(db, caller, store, account_id, archive_id))


@router.post(f"{_ARCHIVES}/{{archive_id}}/restore", status_code=201)
def restore(db: Db, caller: CurrentCaller, account_id: str, archive_id: str, body: NewRestore) -> Job:
    """Queue a job that writes the records of a backup to a source of the same platform."""
    config = JobConfig(
        data_types=body.data_types,
        date_range=body.date_range,
        filters=body.filters,
        options={"backupId": archive_id},
    )
    try:
        return jobs.create_job(
            db, caller, account_id, JobType.IMPORT, source_id=body.source_id, config=config
        )
    except Invalid as error:  # the body of a restore has the fields of `config` itself
        raise Invalid(error.message, (error.field or "").removeprefix("config.") or None) from None
