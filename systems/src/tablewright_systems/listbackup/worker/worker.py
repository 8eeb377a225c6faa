"""The worker's loop: claim a job, do it, and report how it ended."""

import logging
from collections.abc import Callable
from datetime import timedelta
from uuid import uuid4

from tablewright import Repository, errors
from tablewright_systems.listbackup.archives.files import ArchiveDamaged
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import ArchiveStatus
from tablewright_systems.listbackup.design.jobs import Job, JobStatus, Phase
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import (
    CredentialsRejected,
    PlatformError,
    RateLimited,
    RequestRejected,
)
from tablewright_systems.listbackup.service import archives, queue
from tablewright_systems.listbackup.worker.job_kinds import KINDS
from tablewright_systems.listbackup.worker.work import CHUNK_RECORDS, Cancelled, Stopping, Work
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.errors import ApiError, Conflict, Forbidden, Gone, Invalid, NotFound

log = logging.getLogger(__name__)

LONGEST_WAIT = timedelta(days=1)
"""The longest time for which a platform can postpone a job."""


def new_caller() -> Caller:
    """Return the identity of a new worker."""
    return Caller(f"worker-{uuid4()}", {"roles": ["worker"]})


class Worker:
    """Does the jobs of the queue, one after the other."""

    def __init__(
        self,
        db: Repository,
        store: ObjectStore,
        platforms: Platforms,
        *,
        caller: Caller | None = None,
        is_stopping: Callable[[], bool] = lambda: False,
        chunk_records: int = CHUNK_RECORDS,
    ) -> None:
        self._db, self._store, self._platforms = db, store, platforms
        self._caller = caller or new_caller()
        self._is_stopping = is_stopping
        self._chunk_records = chunk_records

    def run(self) -> int:
        """Do jobs until the queue is empty or the process stops; return their number."""
        count = 0
        while not self._is_stopping() and self.run_next() is not None:
            count += 1
        return count

    def run_next(self) -> Job | None:
        """Do the next job, and return it as it ended; None if the queue is empty."""
        job = queue.claim(self._db, self._caller)
        return None if job is None else self.work_on(job)

    def work_on(self, job: Job) -> Job:
        """Do a job that this worker has claimed, and return it as it ended."""
        work = Work(
            self._db, self._caller, self._store, self._platforms, job, self._is_stopping, self._chunk_records
        )
        try:
            return self._do(work)
        except Gone:
            log.warning("job %s: the lease was lost; another worker continues", job.job_id)
            return job

    def _do(self, work: Work) -> Job:
        try:
            outcome = KINDS[work.job.job_type](work)
        except Cancelled:
            ended = queue.stop(self._db, self._caller, work.job)
        except Stopping:
            ended = queue.release(self._db, self._caller, work.job)
        except RateLimited as error:
            delay = min(timedelta(seconds=max(1.0, error.retry_after)), LONGEST_WAIT)
            ended = queue.postpone(self._db, self._caller, work.job, delay, str(error))
        except Gone:
            raise
        except Forbidden:  # the account was suspended: the queue postpones its jobs
            ended = queue.release(self._db, self._caller, work.job)
        except Exception as error:  # one job must not stop the worker
            ended = queue.fail(
                self._db, self._caller, work.job, _reason(work.job, error), is_final=_is_final(error)
            )
        else:
            return queue.complete(self._db, self._caller, work.job, **outcome)
        if ended.status in (JobStatus.FAILED, JobStatus.CANCELLED):
            self._delete_incomplete(work.job)
        return ended

    def _delete_incomplete(self, job: Job) -> None:
        """Free the storage of an archive that is not completed any more; retention repeats what fails here."""
        reached = job.checkpoint
        if reached is None or reached.phase is Phase.WRITE:
            return
        try:
            if (
                archives.summary(self._db, job.account_id, reached.archive_id)["status"]
                is not ArchiveStatus.COMPLETE
            ):
                archives.delete(self._db, self._store, job.account_id, reached.archive_id)
        except (ApiError, errors.TablewrightError, OSError):
            log.warning("archive %s of job %s was not deleted", reached.archive_id, job.job_id, exc_info=True)


def _is_final(error: Exception) -> bool:
    """Whether another attempt would fail in the same way."""
    return isinstance(
        error, CredentialsRejected | RequestRejected | ArchiveDamaged | Conflict | Invalid | NotFound
    )


def _reason(job: Job, error: Exception) -> str:
    """Return what the user learns about a failure; the log has the rest."""
    if isinstance(error, PlatformError | ArchiveDamaged):
        return str(error)
    if isinstance(error, ApiError):
        return error.message
    log.exception("job %s failed", job.job_id)
    return f"internal error ({type(error).__name__})"
