"""Proofs of jobs: reading them, the queue, their life cycle, and backups of a fake platform by a worker."""

from datetime import timedelta

from tablewright import Repository
from tablewright_systems.listbackup.archives.object_store import Memory
from tablewright_systems.listbackup.design.accounts import Account, Plan
from tablewright_systems.listbackup.design.archives import Archive, FileFormat
from tablewright_systems.listbackup.design.connections import ConnectionMetadata
from tablewright_systems.listbackup.design.jobs import (
    Job,
    JobById,
    JobConfig,
    JobOfAccount,
    JobsByStatus,
    JobsOfAccount,
    JobsOfSource,
    JobStatus,
    JobType,
)
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig
from tablewright_systems.listbackup.design.vocabulary import ConnectionType, Priority
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, API_KEY
from tablewright_systems.listbackup.proofs.fixtures import (
    STAFF,
    api_key_source,
    claimed_job,
    fake_platforms,
    new_member,
    new_owner,
    new_worker,
    queued_job,
    reload_account,
)
from tablewright_systems.listbackup.service import archives, backups, jobs, limits, queue, retention, sources
from tablewright_systems.listbackup.worker.worker import Worker
from tablewright_systems.service import Caller, Conflict, Forbidden, Gone, NotFound
from tablewright_systems.verification import ProofContext, Proofs, expect_error

PROOFS = Proofs("listbackup")


@PROOFS("A12")
def jobs_of_account(context: ProofContext) -> None:
    """Get account jobs, newest first."""
    ada, account = new_owner(context.db)
    made = [queued_job(context.db, ada, account.account_id).job_id for _ in range(3)]
    with context.measured():
        listed = context.db.all(JobsOfAccount(account_id=account.account_id))
    assert [job.job_id for job in listed] == made[::-1]


@PROOFS("A13")
def jobs_by_status(context: ProofContext) -> None:
    """Get jobs by status, newest first."""
    ada, account = new_owner(context.db)
    made = []
    for _ in range(3):
        made.append(queued_job(context.db, ada, account.account_id).job_id)
        context.clock.advance(timedelta(seconds=1))
    jobs.cancel_job(context.db, ada, account.account_id, made[1])
    pending = JobsByStatus(account_id=account.account_id, status=JobStatus.PENDING)
    context.eventually(lambda: len(context.db.all(pending)) == 2)
    with context.measured():
        listed = context.db.all(pending)
    assert [job.job_id for job in listed] == [made[2], made[0]]


@PROOFS("A14")
def jobs_of_source(context: ProofContext) -> None:
    """Get source jobs by creation time; jobs without a source are not listed."""
    ada, account = new_owner(context.db)
    source = api_key_source(context.db, ada, account.account_id)
    queued_job(context.db, ada, account.account_id)
    made = []
    for kind in (JobType.BACKUP, JobType.EXPORT):
        made.append(queued_job(context.db, ada, account.account_id, kind, source_id=source.source_id).job_id)
        context.clock.advance(timedelta(seconds=1))
    pattern = JobsOfSource(source_id=source.source_id)
    context.eventually(lambda: len(context.db.all(pattern)) == 2)
    with context.measured():
        listed = context.db.all(pattern)
    assert [job.job_id for job in listed] == made[::-1]


@PROOFS("A24")
def job_of_account(context: ProofContext) -> None:
    """Get a job of an account."""
    ada, account = new_owner(context.db)
    job = queued_job(context.db, ada, account.account_id)
    with context.measured():
        stored = context.db.run(JobOfAccount(account_id=account.account_id, job_id=job.job_id))
    assert stored == job


@PROOFS("A25")
def job_by_id(context: ProofContext) -> None:
    """Get a job by its id alone; only members of its account may read it."""
    ada, account = new_owner(context.db)
    eve, _ = new_owner(context.db)
    job = queued_job(context.db, ada, account.account_id)
    context.eventually(lambda: context.db.run(JobById(job_id=job.job_id)))
    with context.measured():
        stored = jobs.job_by_id(context.db, ada, job.job_id)
    assert stored == job
    with expect_error(NotFound):
        jobs.job_by_id(context.db, eve, job.job_id)


@PROOFS("A44")
def next_job(context: ProofContext) -> None:
    """Find the next pending job of all accounts: by priority, then by schedule, and only jobs that are due."""
    db = context.db
    (ada, one), (bob, other) = new_owner(db), new_owner(db)
    now = db.now()
    later = queued_job(
        db, ada, one.account_id, priority=Priority.CRITICAL, scheduled_at=now + timedelta(hours=1)
    )
    low = queued_job(db, ada, one.account_id, priority=Priority.LOW)
    younger = queued_job(db, bob, other.account_id, priority=Priority.HIGH)
    older = queued_job(
        db, ada, one.account_id, priority=Priority.HIGH, scheduled_at=now - timedelta(minutes=1)
    )
    critical = queued_job(db, bob, other.account_id, priority=Priority.CRITICAL)
    ours = {job.job_id for job in (later, low, younger, older, critical)}

    def waiting() -> list[str]:
        return [
            job.job_id
            for job in db.iterate(queue.waiting_jobs(db, new_worker()), unknown="skip")
            if job.job_id in ours
        ]

    expected = [job.job_id for job in (critical, older, younger, low)]
    context.eventually(lambda: waiting() == expected)
    with context.measured():
        waiting()


@PROOFS("F9")
def life_cycle_of_a_job(context: ProofContext) -> None:
    """The life cycle of a job: claimed once, kept by heartbeats, retried, completed, cancelled, failed; its work."""
    back_up_and_restore(context)
    db = context.db
    ada, account = new_owner(db)
    who, other = new_worker(), new_worker()
    job = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=1)

    with context.measured():
        taken = claimed_job(db, who, job)
    lease = taken
    assert (taken.status, taken.worker_id) == (JobStatus.RUNNING, who.user_id)
    with expect_error(Gone):
        queue.heartbeat(db, other, lease)
    beaten = queue.heartbeat(db, who, lease, total=0, processed=0)
    assert beaten.progress.percentage == 0, "without a total there is no percentage"
    assert queue.heartbeat(db, who, lease, total=8, processed=2, failed=1).progress.percentage == 25

    waiting = queue.fail(db, who, lease, "the platform was down")
    assert (waiting.status, waiting.retry_count) == (JobStatus.PENDING, 1)
    assert waiting.available_at is not None
    assert waiting.available_at >= db.now() + queue.FIRST_BACKOFF
    assert queue.fail(db, who, lease, "the platform was down") == waiting, "a repeated call has no effect"

    context.clock.advance(queue.FIRST_BACKOFF * 2)
    second = claimed_job(db, other, job)
    with expect_error(Gone):
        queue.complete(db, who, lease)
    done = queue.complete(db, other, second, records_processed=8, failures=["one record was invalid"])
    assert (done.status, done.progress.percentage) == (JobStatus.COMPLETED, 100)
    assert queue.complete(db, other, second, records_processed=8) == done
    with expect_error(Conflict, field="status"):
        jobs.cancel_job(db, ada, account.account_id, job.job_id)

    doomed = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL)
    running = claimed_job(db, who, doomed)
    jobs.cancel_job(db, ada, account.account_id, doomed.job_id)
    assert queue.heartbeat(db, who, running).cancel_requested
    assert queue.stop(db, who, running).status is JobStatus.CANCELLED

    lost = queued_job(db, ada, account.account_id, priority=Priority.CRITICAL, max_retries=0)
    claimed_job(db, who, lost)
    context.clock.advance(queue.LEASE.length + timedelta(seconds=1))

    def failed() -> bool:
        while queue.claim(db, other) is not None:
            continue
        return jobs.get_job(db, account.account_id, lost.job_id).status is JobStatus.FAILED

    context.eventually(failed)
    revived = jobs.retry_job(db, ada, account.account_id, lost.job_id)
    assert (revived.status, revived.retry_count) == (JobStatus.PENDING, 0)


class Shop:
    """An account with a source on a fake platform, and a worker that does only the account's jobs."""

    def __init__(self, db: Repository) -> None:
        self.db = db
        self.ada, self.account = new_owner(db)
        self.fake = fake_platforms(db)
        self.store = Memory()
        self.worker = new_worker()
        self.source = _source(db, self.ada, self.account)

    def run(self, kind: JobType, **options: str) -> Job:
        """Queue a job for the source and do it."""
        config = JobConfig(options=dict(options))
        is_sourceless = kind is JobType.EXPORT and "backupId" in options
        source_id = None if is_sourceless else self.source.source_id
        job = queued_job(self.db, self.ada, self.account.account_id, kind, source_id=source_id, config=config)
        worker = Worker(self.db, self.store, self.fake.platforms(), caller=self.worker)
        return worker.work_on(claimed_job(self.db, self.worker, job))

    def archive(self, job: Job) -> Archive:
        """Return the archive of a completed job."""
        assert job.status is JobStatus.COMPLETED, job.result
        assert job.result is not None
        return archives.get_archive(self.db, self.account.account_id, job.result.summary["archiveId"])

    def download(self, caller: Caller, archive: Archive) -> bytes:
        """Download the contacts of an archive as CSV."""
        account_id, archive_id = self.account.account_id, archive.archive_id
        _, content = backups.download(
            self.db, caller, self.store, account_id, archive_id, "contacts", FileFormat.CSV
        )
        return b"".join(content)


def back_up_and_restore(context: ProofContext) -> None:
    """Back up a source, change it, back up the changes, compare, export and restore."""
    shop = Shop(context.db)
    db, account_id = context.db, shop.account.account_id
    contacts = shop.fake.gohighlevel.records["contacts"]
    before = {key: dict(row) for key, row in contacts.items()}
    full = shop.archive(shop.run(JobType.BACKUP))
    assert full.counts["contacts"] == len(before)
    assert reload_account(db, shop.account).storage_used == full.size > 0
    context.clock.advance(timedelta(hours=1))
    changed = min(contacts)
    shop.fake.gohighlevel.change("contacts", changed, firstName="Grace")
    later = shop.archive(shop.run(JobType.BACKUP, mode="incremental"))
    assert (later.base_archive_id, later.counts["contacts"]) == (full.archive_id, 1)
    comparison = backups.compare(db, shop.ada, shop.store, account_id, later.archive_id, full.archive_id)
    contacts_now = comparison.differences["contacts"]
    assert (contacts_now.changed_ids, contacts_now.removed) == ([changed], 0)
    export = shop.archive(shop.run(JobType.EXPORT, backupId=later.archive_id, format="csv"))
    assert b"Grace" in shop.download(shop.ada, export)
    shop.run(JobType.IMPORT, backupId=full.archive_id)
    assert contacts[changed]["firstName"] == before[changed]["firstName"], "the restore undid the change"
    _require_rejections(shop, full, later)


def _require_rejections(shop: Shop, full: Archive, later: Archive) -> None:
    """What must be rejected: other users, the base of a backup, damaged files, full storage, paused sources."""
    db, account_id = shop.db, shop.account.account_id
    eve, other = new_owner(db)
    reader = new_member(db, shop.ada, account_id, AccountRole.READONLY)
    for caller in (eve, reader):
        with expect_error(Forbidden):
            shop.download(caller, full)
    with expect_error(NotFound):
        backups.verify(db, eve, shop.store, other.account_id, full.archive_id)
    with expect_error(Conflict):
        backups.delete_archive(db, shop.ada, shop.store, account_id, full.archive_id)
    with expect_error(Forbidden):
        backups.delete_archive(db, reader, shop.store, account_id, later.archive_id)
    with expect_error(Forbidden):
        retention.delete_expired(db, shop.ada, shop.store)
    chunk = archives.open_files(shop.store, full).read_manifest().chunks[0]
    shop.store.put(chunk.name, shop.store.get(chunk.name)[:-1])
    assert backups.verify(db, shop.ada, shop.store, account_id, later.archive_id).problems
    limits.change_plan(db, STAFF, account_id, Plan.FREE)
    free = reload_account(db, shop.account)
    db.transact(limits.use(free, storage=free.limits.storage - free.storage_used - 1))
    stopped = shop.run(JobType.BACKUP)
    assert stopped.status is JobStatus.FAILED, "one byte is not enough for a backup"
    assert reload_account(db, shop.account).storage_used == free.limits.storage - 1
    sources.pause_source(db, shop.ada, account_id, shop.source.source_id)
    with expect_error(Conflict, field="sourceId"):
        queued_job(db, shop.ada, account_id, source_id=shop.source.source_id)


def _source(db: Repository, caller: Caller, account: Account) -> Source:
    return sources.create_source(
        db,
        caller,
        account.account_id,
        source_name="our shop",
        platform="gohighlevel",
        connection_type=ConnectionType.APIKEY,
        credentials=Credentials(type="apikey", encrypted_data=API_KEY),
        config=SourceConfig(data_types=["contacts", "products"]),
        platform_account=ConnectionMetadata(account_id=ACCOUNT),
    )
