"""What the proofs and tests play with: sources by an API key, jobs, workers, notifications."""

from typing import Any

from tablewright import Repository
from tablewright_systems.authentication import Caller
from tablewright_systems.listbackup.design.jobs import Job, JobType
from tablewright_systems.listbackup.design.notifications import Category, Notification
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig, SyncInterval
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.proofs.cast import STAFF, fresh
from tablewright_systems.listbackup.service.jobs import jobs, queue
from tablewright_systems.listbackup.service.notifications import notifications
from tablewright_systems.listbackup.service.sources import sources

SECRET = "sk_live_51abc"


def worker() -> Caller:
    """One of the platform's workers."""
    return Caller(fresh("worker"), {"roles": ["worker"]})


def keyed_source(
    db: Repository,
    caller: Caller,
    account_id: str,
    platform: str = "stripe",
    interval: SyncInterval = SyncInterval.DAILY,
) -> Source:
    """A source that an API key lets in to."""
    return sources.create_source(
        db,
        caller,
        account_id,
        source_name=f"our {platform}",
        platform=platform,
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=SECRET),
        config=SourceConfig(sync_interval=interval, data_types=["contacts", "orders"]),
    )


def queued(
    db: Repository, caller: Caller, account_id: str, kind: JobType = JobType.BACKUP, **more: Any
) -> Job:
    """A job that waits."""
    return jobs.create_job(db, caller, account_id, kind, **more)


def claimed(db: Repository, who: Caller, wanted: Job) -> Job:
    """That job, taken by a worker; others that are in the way are taken before."""
    while (taken := queue.claim(db, who)) is not None:
        if taken.job_id == wanted.job_id:
            return taken
    raise AssertionError("nobody got the job")


def tell(db: Repository, user_id: str, account_id: str, **more: Any) -> list[Notification]:
    """Something that a user is told."""
    given = {"category": Category.SYSTEM, "subject": "News", "message": "Something happened.", **more}
    return notifications.notify(db, STAFF, user_id, account_id, **given)
