"""Real work for the proof of jobs: a worker reads a fake platform, stores files, compares and restores them."""

from datetime import timedelta

from tablewright import Repository
from tablewright_systems.listbackup.archives.object_store import Memory
from tablewright_systems.listbackup.design.accounts import Account, Plan
from tablewright_systems.listbackup.design.archives import Archive, FileFormat
from tablewright_systems.listbackup.design.connections import ConnectionMetadata
from tablewright_systems.listbackup.design.jobs import Job, JobConfig, JobStatus, JobType
from tablewright_systems.listbackup.design.memberships import AccountRole
from tablewright_systems.listbackup.design.sources import Credentials, Source, SourceConfig
from tablewright_systems.listbackup.design.vocabulary import ConnectionType
from tablewright_systems.listbackup.fakes.fake_platform import ACCOUNT, API_KEY
from tablewright_systems.listbackup.proofs.fixtures import (
    STAFF,
    claimed_job,
    fake_platforms,
    new_member,
    new_owner,
    new_worker,
    queued_job,
    reload_account,
)
from tablewright_systems.listbackup.service.accounts import limits
from tablewright_systems.listbackup.service.backups import archives, backups, retention
from tablewright_systems.listbackup.service.sources import sources
from tablewright_systems.listbackup.worker.worker import Worker
from tablewright_systems.service import Caller, Conflict, Forbidden, NotFound
from tablewright_systems.verification import ProofContext, expect_error


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
    found = backups.compare(db, shop.ada, shop.store, account_id, full.archive_id, later.archive_id)
    assert (found["contacts"].changed_ids, found["contacts"].removed) == ([changed], 0)
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
