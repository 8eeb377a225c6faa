"""The work on one job: its lease, its checkpoint, and why it may end early."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright import Repository, writes
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.jobs import Checkpoint, Job
from tablewright_systems.listbackup.design.sources import Source
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.platforms.protocol import PlatformReader
from tablewright_systems.listbackup.service import queue
from tablewright_systems.listbackup.service.options import JobOptions, options_of
from tablewright_systems.listbackup.service.readers import open_source
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import Caller

CHUNK_RECORDS = 1_000
"""A chunk is complete after the page with which it has so many records."""


class Cancelled(Exception):
    """A user requested that the job ends."""


class Stopping(Exception):
    """The process ends; the job continues elsewhere."""


@dataclass(slots=True)
class Work:
    """A claimed job, and what its work needs."""

    db: Repository
    caller: Caller
    store: ObjectStore
    platforms: Platforms
    job: Job
    is_stopping: Callable[[], bool] = lambda: False
    chunk_records: int = CHUNK_RECORDS

    @property
    def options(self) -> JobOptions:
        """The options of the job."""
        return options_of(self.job)

    @property
    def reached(self) -> Checkpoint:
        """The last checkpoint."""
        assert self.job.checkpoint is not None, "the job has no archive yet"
        return self.job.checkpoint

    def source(self) -> Source:
        """Return the source of the job."""
        assert self.job.source_id is not None
        return get_source(self.db, self.job.account_id, self.job.source_id)

    def open(self, source: Source) -> PlatformReader:
        """Open a source, with its decrypted credentials."""
        return open_source(self.db, self.caller, self.platforms, source)

    def save(
        self,
        reached: Checkpoint,
        percentage: int,
        more: Callable[[], Sequence[writes.Write]] = tuple,
    ) -> None:
        """Store a checkpoint with the writes that belong to it."""
        self.job = queue.checkpoint(self.db, self.caller, self.job, reached, percentage, more)
        self.require_continue()

    def renew(self) -> None:
        """Renew the lease when half of it is over."""
        assert self.job.available_at is not None
        if self.job.available_at - self.db.now() < queue.LEASE.length / 2:
            self.job = queue.heartbeat(self.db, self.caller, self.job)
            self.require_continue()

    def require_continue(self) -> None:
        """Raise `Cancelled` or `Stopping` if the work should end here."""
        if self.job.cancel_requested:
            raise Cancelled
        if self.is_stopping():
            raise Stopping
