"""The job queue, for workers: claim jobs, renew leases by heartbeats, and report results."""

from typing import Annotated

from fastapi import Depends
from pydantic import Field

from tablewright_systems.listbackup.design.jobs import Job
from tablewright_systems.listbackup.design.vocabulary import Document
from tablewright_systems.listbackup.service.jobs import queue
from tablewright_systems.listbackup.service.jobs.queue import Lease
from tablewright_systems.web import Body, CurrentCaller, Db, PageReply, PageRequest, Router, View, problems

router = Router("Queue", "The job queue, for workers.", prefix="/queue")

Count = Annotated[int, Field(ge=0)]


def _lease(account_id: str, job_id: str, lease_id: str) -> Lease:
    return Lease(account_id, job_id, lease_id)


Held = Annotated[Lease, Depends(_lease)]
_HELD = "/{account_id}/{job_id}/{lease_id}"


class JobProgress(Body):
    """The progress of a job; without a total, only the lease is renewed."""

    total: Count | None = None
    processed: Count = 0
    failed: Count = 0


class JobOutcome(Body):
    """The result of a job."""

    records_processed: Count = 0
    failures: Annotated[list[str], Field(max_length=10_000)] = Field(default_factory=list)
    output_location: str | None = None
    summary: Document = Field(default_factory=dict)


class JobFailure(Body):
    """Why an attempt failed; a final failure is not retried."""

    reason: Annotated[str, Field(min_length=1, max_length=5_000)]
    is_final: bool = False


class ClaimedJob(View):
    """The job that was claimed."""

    job: Job | None = Field(description="Null if no job is waiting.")


@router.get("")
def waiting_jobs(db: Db, caller: CurrentCaller, paging: PageRequest) -> PageReply[Job]:
    """List the jobs that can be claimed, most urgent first, then oldest."""
    return PageReply.of(paging.run(db, queue.waiting_jobs(db, caller)))


@router.post("/claim")
def claim(db: Db, caller: CurrentCaller) -> ClaimedJob:
    """Claim the next job."""
    return ClaimedJob(job=queue.claim(db, caller))


@router.post(f"{_HELD}/heartbeat", responses=problems(404, 410))
def heartbeat(db: Db, caller: CurrentCaller, lease: Held, body: JobProgress) -> Job:
    """Renew the lease of a job. `cancelRequested` in the reply asks the worker to stop."""
    return queue.heartbeat(db, caller, lease, **dict(body))


@router.post(f"{_HELD}/completion", responses=problems(404, 410))
def complete(db: Db, caller: CurrentCaller, lease: Held, body: JobOutcome) -> Job:
    """Complete a job."""
    return queue.complete(db, caller, lease, **dict(body))


@router.post(f"{_HELD}/failure", responses=problems(404, 410))
def fail(db: Db, caller: CurrentCaller, lease: Held, body: JobFailure) -> Job:
    """Report a failed attempt."""
    return queue.fail(db, caller, lease, body.reason, is_final=body.is_final)


@router.post(f"{_HELD}/release", responses=problems(404, 410))
def release(db: Db, caller: CurrentCaller, lease: Held) -> Job:
    """Return a job that was not worked on."""
    return queue.release(db, caller, lease)


@router.post(f"{_HELD}/stop", responses=problems(404, 410))
def stop(db: Db, caller: CurrentCaller, lease: Held) -> Job:
    """Report that work has stopped because cancellation was requested."""
    return queue.stop(db, caller, lease)
