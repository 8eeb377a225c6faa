"""Jobs (F9): work for an account, its worker and its progress.

A job that can be claimed is in `queue-index`, ordered by urgency and time: a waiting job from its scheduledAt on, a
running job from the end of its lease on, so that a job whose worker died is found in the same way.
"""

from enum import Enum
from typing import Annotated, Any, ClassVar

from pydantic import Field

from tablewright import Find, Get, Index, Keys, Query, Sparse, Table, fields
from tablewright_systems.listbackup.design.vocabulary import (
    AWS_MANAGED_KEY,
    DataType,
    Document,
    Id,
    Part,
    Priority,
)
from tablewright_systems.service import Timestamped
from tablewright_systems.service.schemas import Time

QUEUE_SHARDS = 4
RANKS = 4

jobs = Table(
    "${AWS::StackName}-jobs",
    key=("accountId", "jobId"),
    encryption_key=AWS_MANAGED_KEY,
    indexes=[
        Index("jobId-index", "jobId"),
        Index("accountId-status-index", "accountId", "status#createdAt"),
        Index("sourceId-createdAt-index", "sourceId", "createdAt"),
        Index("queue-index", "queueShard", "rank#availableAt#jobId"),
    ],
)


class JobType(Enum):
    """The kind of work of a job."""

    SYNC = "sync"
    EXPORT = "export"
    IMPORT = "import"
    MIGRATION = "migration"
    BACKUP = "backup"


class JobStatus(Enum):
    """The state of a job."""

    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"


class DateRange(Part):
    """A range of dates."""

    start: Time
    end: Time


class JobConfig(Part):
    """The configuration of a job."""

    data_types: list[DataType] = Field(default_factory=list, max_length=50)
    date_range: DateRange | None = None
    filters: Document = Field(default_factory=dict)
    options: Document = Field(default_factory=dict)


class JobProgress(Part):
    """How many records a job has processed."""

    total: Annotated[int, Field(ge=0)] = 0
    processed: Annotated[int, Field(ge=0)] = 0
    failed: Annotated[int, Field(ge=0)] = 0
    percentage: Annotated[int, Field(ge=0, le=100)] = 0


class JobResult(Part):
    """The result of a job; long results are stored at `output_location`."""

    records_processed: Annotated[int, Field(ge=0)] = 0
    errors: list[Annotated[str, Field(max_length=500)]] = Field(default_factory=list, max_length=100)
    output_location: str | None = None
    summary: Document = Field(default_factory=dict)


class Phase(Enum):
    """What a job does: it reads records into an archive, or writes those of an archive to a platform."""

    READ = "read"
    WRITE = "write"


class Checkpoint(Part):
    """How far a job is: what the next worker needs to continue."""

    archive_id: Id
    """The archive that the job fills, and then writes to a platform."""
    phase: Phase = Phase.READ
    finished: list[DataType] = Field(default_factory=list, max_length=50)
    """The data types that are done in this phase."""
    position: str | None = None
    """The position of the next page of the current data type."""
    number: Annotated[int, Field(ge=0)] = 0
    """The number of the next chunk; while writing to a platform, of the next record in its page."""
    processed: Annotated[int, Field(ge=0)] = 0
    failed: Annotated[int, Field(ge=0)] = 0
    """How many records the platform rejected; `failures` lists the first of them."""
    failures: list[Annotated[str, Field(max_length=500)]] = Field(default_factory=list, max_length=100)


def _rank_of_priority(data: dict[str, Any]) -> int:
    return Priority(data.get("priority", Priority.MEDIUM)).rank


class Job(Timestamped, table=jobs, schema_version=1):
    """A unit of work for an account."""

    account_id: Id
    job_id: Id = fields.new_id()
    job_type: JobType
    source_id: Id | None = None
    status: JobStatus = JobStatus.PENDING
    priority: Priority = Priority.MEDIUM
    rank: Annotated[int, Field(ge=0, lt=RANKS)] = Field(default_factory=_rank_of_priority)
    config: JobConfig = Field(default_factory=JobConfig)
    progress: JobProgress = Field(default_factory=JobProgress)
    checkpoint: Checkpoint | None = None
    result: JobResult | None = None
    scheduled_at: fields.Timestamp
    available_at: fields.Timestamp | None = None
    """From when a worker may claim it: its scheduledAt, or the end of its lease; None after its end."""
    started_at: fields.Timestamp | None = None
    completed_at: fields.Timestamp | None = None
    created_by: Id
    retry_count: Annotated[int, Field(ge=0)] = 0
    max_retries: Annotated[int, Field(ge=0, le=20)] = 3
    worker_id: Id | None = None
    """The worker that has the job, or had it last."""
    lease_id: Id | None = None
    """A new id for each claim; calls with an earlier one are rejected."""
    cancel_requested: bool = False
    version: Annotated[int, fields.Version()] = 0

    keys = Keys(
        indexes={
            "accountId-status-index": ("{account_id}", "{status}#{created_at}#{job_id}"),
            "sourceId-createdAt-index": Sparse("{source_id}", "{created_at}", when="source_id"),
            "queue-index": Sparse(
                "{job_id:shard(4)}", "{rank:01}#{available_at}#{job_id}", when="available_at"
            ),
        }
    )
    suppress: ClassVar = {"TW106": "as in the document: jobs of one millisecond have no order"}


class JobsOfAccount(Query[Job]):
    """Get account jobs, newest first."""

    account_id: str
    descending = True
    consistent = True


class JobsByStatus(Query[Job]):
    """Get jobs by status, newest first."""

    account_id: str
    status: JobStatus
    key = "accountId = {account_id} AND begins_with(status#createdAt, {status}#)"
    descending = True


class JobsOfSource(Query[Job]):
    """Get source jobs, newest first."""

    source_id: str
    index = "sourceId-createdAt-index"
    descending = True


class JobOfAccount(Get[Job]):
    """Get a job of an account."""

    account_id: str
    job_id: str
    consistent = True


class JobById(Find[Job]):
    """Get job by ID."""

    job_id: str
    index = "jobId-index"


class JobsAvailable(Query[Job]):
    """One shard of the jobs of one rank that a worker may claim, the longest waiting first."""

    shard: int
    rank: int
    now: fields.Timestamp
    page_size = 20
    key = "queueShard = {shard} AND rank#availableAt#jobId BETWEEN {rank:01}# AND {rank:01}#{now}#~"


ENTITIES = (Job,)
PATTERNS = (JobsOfAccount, JobsByStatus, JobsOfSource, JobOfAccount, JobById, JobsAvailable)
