"""The queue over HTTP, for workers: they take jobs, keep them by heartbeats, and say what came of them."""

from itertools import islice
from typing import Annotated

from fastapi import APIRouter, Depends
from pydantic import Field

from tablewright_systems.http_api import MAX_PAGE_SIZE, CurrentCaller, Db, Limit
from tablewright_systems.listbackup.api.bodies import Body
from tablewright_systems.listbackup.design.jobs import Job
from tablewright_systems.listbackup.design.vocabulary import Document
from tablewright_systems.listbackup.service.jobs import queue
from tablewright_systems.listbackup.service.jobs.queue import Lease

router = APIRouter(prefix="/queue", tags=["queue"])

Count = Annotated[int, Field(ge=0)]


def _lease(account_id: str, job_id: str, lease_id: str) -> Lease:
    return Lease(account_id, job_id, lease_id)


Held = Annotated[Lease, Depends(_lease)]
_HELD = "/{account_id}/{job_id}/{lease_id}"


class Reached(Body):
    """How far a job is; nothing is said when there is no total."""

    total: Count | None = None
    processed: Count = 0
    failed: Count = 0


class Outcome(Body):
    """What came of a job."""

    records_processed: Count = 0
    failures: Annotated[list[str], Field(max_length=10_000)] = Field(default_factory=list)
    output_location: str | None = None
    summary: Document = Field(default_factory=dict)


class Failure(Body):
    """Why an attempt failed; a final one is not tried again."""

    reason: Annotated[str, Field(min_length=1, max_length=5_000)]
    is_final: bool = False


@router.get("")
def waiting_jobs(db: Db, caller: CurrentCaller, limit: Limit = MAX_PAGE_SIZE) -> list[Job]:
    """The jobs that may be taken now: the most urgent first, then the longest waiting."""
    return list(islice(queue.waiting_jobs(db, caller), limit))


@router.post("/claim")
def claim(db: Db, caller: CurrentCaller) -> Job | None:
    """Take the next job; null when there is none."""
    return queue.claim(db, caller)


@router.post(f"{_HELD}/heartbeat")
def heartbeat(db: Db, caller: CurrentCaller, lease: Held, body: Reached) -> Job:
    """Keep a job; `cancelRequested` of the answer asks to stop."""
    return queue.heartbeat(db, caller, lease, **dict(body))


@router.post(f"{_HELD}/completion")
def complete(db: Db, caller: CurrentCaller, lease: Held, body: Outcome) -> Job:
    """End a job well."""
    return queue.complete(db, caller, lease, **dict(body))


@router.post(f"{_HELD}/failure")
def fail(db: Db, caller: CurrentCaller, lease: Held, body: Failure) -> Job:
    """Say that an attempt failed."""
    return queue.fail(db, caller, lease, body.reason, is_final=body.is_final)


@router.post(f"{_HELD}/release")
def release(db: Db, caller: CurrentCaller, lease: Held) -> Job:
    """Give a job back that was not worked on."""
    return queue.release(db, caller, lease)


@router.post(f"{_HELD}/stop")
def stop(db: Db, caller: CurrentCaller, lease: Held) -> Job:
    """Say that work has ended because the job was asked to be cancelled."""
    return queue.stop(db, caller, lease)
