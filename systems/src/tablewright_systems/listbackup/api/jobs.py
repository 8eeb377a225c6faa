"""Jobs, as users see them. Workers take them from the queue in the store: they need the keys of its secrets."""

from typing import Annotated

from pydantic import Field

from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobStatus, JobType
from tablewright_systems.listbackup.design.vocabulary import Id, Priority
from tablewright_systems.listbackup.service.jobs import jobs
from tablewright_systems.service.schemas import Time
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router

router = Router("Jobs", "Backup jobs of an account.")


class NewJob(Body):
    """A new job, to run now or at a scheduled time."""

    job_type: JobType = Field(examples=["backup"])
    source_id: Id | None = Field(default=None, examples=[None])
    priority: Priority = Priority.MEDIUM
    config: JobConfig = Field(default_factory=JobConfig)
    scheduled_at: Time | None = None
    max_retries: Annotated[int, Field(ge=0, le=20)] = 3


@router.post("/accounts/{account_id}/jobs", status_code=201)
def create_job(db: Db, caller: CurrentCaller, account_id: str, body: NewJob) -> Job:
    """Queue a job."""
    return jobs.create_job(db, caller, account_id, **dict(body))


@router.get("/accounts/{account_id}/jobs")
def read_jobs(
    db: Db, caller: CurrentCaller, account_id: str, paging: PageRequest, status: JobStatus | None = None
) -> PageReply[Job]:
    """List an account's jobs, or those of one status, newest first."""
    pattern = jobs.jobs_of_account(db, caller, account_id, status)
    return PageReply.of(paging.run(db, pattern))


@router.get("/accounts/{account_id}/sources/{source_id}/jobs")
def read_jobs_of_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, paging: PageRequest
) -> PageReply[Job]:
    """List the jobs of a source, newest first."""
    pattern = jobs.jobs_of_source(db, caller, account_id, source_id)
    return PageReply.of(paging.run(db, pattern))


@router.get("/jobs/{job_id}")
def job_by_id(db: Db, caller: CurrentCaller, job_id: str) -> Job:
    """Get a job by its id alone. A job created just now may not be found yet."""
    return jobs.job_by_id(db, caller, job_id)


@router.get("/accounts/{account_id}/jobs/{job_id}")
def read_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Get a job of an account."""
    return jobs.read_job(db, caller, account_id, job_id)


@router.post("/accounts/{account_id}/jobs/{job_id}/cancellation")
def cancel_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Cancel a job, or ask its worker to stop."""
    return jobs.cancel_job(db, caller, account_id, job_id)


@router.post("/accounts/{account_id}/jobs/{job_id}/retry")
def retry_job(db: Db, caller: CurrentCaller, account_id: str, job_id: str) -> Job:
    """Queue a failed job again."""
    return jobs.retry_job(db, caller, account_id, job_id)
