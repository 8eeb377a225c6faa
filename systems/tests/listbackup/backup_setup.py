"""A worker with an archive folder on fake platforms, and what its tests do with it."""

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tablewright_systems.listbackup.archives.object_store import Folder
from tablewright_systems.listbackup.design.archives import Archive, ArchivesOfSource
from tablewright_systems.listbackup.design.connections import ConnectionMetadata
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobType
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, API_KEY
from tablewright_systems.listbackup.fakes.fake_platforms import FakePlatforms
from tablewright_systems.listbackup.platforms.platforms import Platforms
from tablewright_systems.listbackup.service import archives, jobs, sources
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.archives import BackupReader
from tablewright_systems.listbackup.worker.worker import Worker
from tablewright_systems.service import Caller

from tablewright import Clock, Repository

SIZE = 230
"""Records of each data type on a fake platform."""
CHUNK_RECORDS = 100


@dataclass(slots=True)
class BackupSetup:
    """An account with a worker."""

    db: Repository
    caller: Caller
    account_id: str
    clock: Clock
    fakes: FakePlatforms
    store: Folder
    folder: Path
    platforms: Platforms

    @classmethod
    def on(cls, db: Repository, caller: Caller, account_id: str, clock: Clock, folder: Path) -> "BackupSetup":
        """Return a setup on a repository; the fakes use the same clock."""
        fakes = FakePlatforms(lambda: datetime.fromtimestamp(clock.now(), UTC), size=SIZE)
        return cls(db, caller, account_id, clock, fakes, Folder(folder), folder, fakes.platforms())

    def worker(self, **more: Any) -> Worker:
        """Return a new worker."""
        return Worker(self.db, self.store, self.platforms, **{"chunk_records": CHUNK_RECORDS, **more})

    def source(self, platform: str = "keap", data_types: tuple[str, ...] = ("contacts", "orders")) -> Source:
        """Create a source with the API key of the fake."""
        return sources.create_source(
            self.db,
            self.caller,
            self.account_id,
            source_name=platform,
            platform=platform,
            connection_type=ConnectionType.APIKEY,
            credentials=Credentials(type="apikey", encrypted_data=API_KEY),
            config=SourceConfig(data_types=list(data_types)),
            platform_account=ConnectionMetadata(account_id=ACCOUNT),
        )

    def queue(self, job_type: JobType, source: Source | None = None, **more: Any) -> Job:
        """Queue a job."""
        config = JobConfig(
            **{
                name: more.pop(name)
                for name in ("data_types", "date_range", "filters", "options")
                if name in more
            }
        )
        source_id = source.source_id if source else None
        return jobs.create_job(
            self.db, self.caller, self.account_id, job_type, source_id=source_id, config=config, **more
        )

    def run(self, job_type: JobType, source: Source | None = None, **more: Any) -> Job:
        """Queue a job, let a worker do it, and return the job."""
        job = self.queue(job_type, source, **more)
        self.worker().run()
        return self.job(job)

    def job(self, job: Job) -> Job:
        """Return the current state of a job."""
        return jobs.get_job(self.db, self.account_id, job.job_id)

    def archives(self, source: Source) -> list[Archive]:
        """Return the archives of a source, newest first."""
        return self.db.all(ArchivesOfSource(source_id=source.source_id))

    def archive(self, job: Job) -> Archive:
        """Return the archive that a completed job made."""
        assert job.result is not None, job
        return archives.get_archive(self.db, self.account_id, job.result.summary["archiveId"])

    def records(self, archive: Archive, data_type: str) -> dict[str, Any]:
        """Return the data of the records of an archive by id."""
        listed = list(BackupReader(self.db, self.store, archive).records(data_type))
        assert len(listed) == len({record.id for record in listed})
        return {record.id: dict(record.data) for record in listed}

    def storage_used(self) -> int:
        """Return the storage that the account uses."""
        return get_account(self.db, self.account_id).storage_used

    def files(self) -> list[str]:
        """Return the names of all files."""
        return sorted(
            path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
        )
