"""What each type of job does with a platform and with archives."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.design.archives import ArchiveKind, ArchiveStatus, FileFormat
from tablewright_systems.listbackup.design.jobs import DateRange, JobsOfAccount, JobStatus, JobType
from tablewright_systems.listbackup.service import archives, sources, syncs
from tablewright_systems.listbackup.service.backups import verify_archive
from tablewright_systems.listbackup.worker.worker import new_caller

from systems.tests.listbackup.backup_setup import SIZE, BackupSetup


@pytest.mark.parametrize("platform", ["keap", "stripe", "gohighlevel"])
def test_a_backup_contains_every_record_of_the_platform(setup: BackupSetup, platform: str) -> None:
    data_types = sorted(setup.fakes[platform].records)
    job = setup.run(JobType.BACKUP, setup.source(platform, tuple(data_types)))
    assert (job.status, job.progress.percentage) == (JobStatus.COMPLETED, 100)
    archive = setup.archive(job)
    assert (archive.status, archive.kind) == (ArchiveStatus.COMPLETE, ArchiveKind.BACKUP)
    for data_type in data_types:
        assert setup.records(archive, data_type).keys() == setup.fakes[platform].records[data_type].keys()
    assert job.result is not None
    total = sum(len(rows) for rows in setup.fakes[platform].records.values())
    assert job.result.records_processed == archive.records == total > SIZE
    assert job.result.output_location == f"/accounts/{setup.account_id}/archives/{archive.archive_id}"
    assert verify_archive(setup.db, setup.store, archive).problems == []


def test_a_backup_updates_the_source_and_the_storage(setup: BackupSetup) -> None:
    source = setup.source()
    job = setup.run(JobType.BACKUP, source)
    current = sources.get_source(setup.db, setup.account_id, source.source_id)
    assert current.last_sync_at == setup.db.now()
    sizes = [(setup.folder / name).stat().st_size for name in setup.files() if not name.endswith("manifest")]
    assert setup.storage_used() == setup.archive(job).size == sum(sizes) > 0


def test_a_sync_is_full_first_and_then_incremental(setup: BackupSetup) -> None:
    source = setup.source()
    setup.worker().run()
    syncs.start_due_syncs(setup.db, new_caller())
    setup.worker().run()
    (full,) = setup.archives(source)
    assert full.base_archive_id is None
    setup.clock.advance(timedelta(days=1, minutes=1))
    changed = sorted(setup.fakes.keap.records["contacts"])[7]
    setup.fakes.keap.change("contacts", changed, given_name="Grace")
    syncs.start_due_syncs(setup.db, new_caller())
    setup.worker().run()
    incremental, _ = setup.archives(source)
    assert incremental.base_archive_id == full.archive_id
    assert incremental.counts == {"contacts": 1, "orders": 0}
    records = setup.records(incremental, "contacts")
    assert len(records) == SIZE
    assert records[changed]["given_name"] == "Grace"
    assert setup.records(full, "contacts")[changed]["given_name"] != "Grace"
    assert sources.get_source(setup.db, setup.account_id, source.source_id).last_sync_at == setup.db.now()


def test_an_incremental_backup_needs_a_base_of_the_same_kind(setup: BackupSetup) -> None:
    source = setup.source()
    setup.run(JobType.BACKUP, source, data_types=["contacts"])
    options = {"mode": "incremental"}
    first = setup.archive(setup.run(JobType.BACKUP, source, options=options))
    second = setup.archive(setup.run(JobType.BACKUP, source, options=options))
    assert (first.base_archive_id, first.records) == (None, sum(first.counts.values()))
    assert first.counts["contacts"] == SIZE
    assert (second.base_archive_id, second.records) == (first.archive_id, 0)
    assert len(setup.records(second, "contacts")) == SIZE


def test_a_backup_of_some_records_is_not_between_incremental_ones(setup: BackupSetup) -> None:
    source = setup.source()
    full = setup.archive(setup.run(JobType.BACKUP, source))
    setup.run(JobType.BACKUP, source, filters={"given_name": "Ada"})
    later = setup.archive(setup.run(JobType.BACKUP, source, options={"mode": "incremental"}))
    assert later.base_archive_id == full.archive_id


def test_deleted_records_are_not_in_a_later_incremental_backup(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("contacts",))
    setup.run(JobType.BACKUP, source)
    setup.clock.advance(timedelta(hours=1))
    gone = sorted(setup.fakes.stripe.records["contacts"])[3]
    setup.fakes.stripe.delete("contacts", gone)
    later = setup.archive(setup.run(JobType.BACKUP, source, options={"mode": "incremental"}))
    assert later.base_archive_id is not None
    assert setup.records(later, "contacts").keys() == setup.fakes.stripe.records["contacts"].keys()
    assert gone not in setup.records(later, "contacts")


@pytest.mark.parametrize("platform", ["keap", "stripe", "gohighlevel"])
def test_a_record_that_matches_the_filter_no_longer_leaves_the_backup(
    setup: BackupSetup, platform: str
) -> None:
    fake = setup.fakes[platform]
    source, (leaving, staying, joining, *_) = setup.source(platform, ("contacts",)), fake.records["contacts"]
    setup.clock.advance(timedelta(minutes=10))
    for item in (leaving, staying):
        fake.change("contacts", item, team="blue")
    filters = {"team": "blue"}
    setup.clock.advance(timedelta(minutes=10))
    base = setup.archive(setup.run(JobType.BACKUP, source, filters=filters))
    assert setup.records(base, "contacts").keys() == {leaving, staying}
    setup.clock.advance(timedelta(minutes=10))
    fake.change("contacts", leaving, team="red", secret="of the red team")
    fake.change("contacts", joining, team="blue")
    options = {"mode": "incremental"}
    later = setup.archive(setup.run(JobType.BACKUP, source, filters=filters, options=options))
    assert later.base_archive_id == base.archive_id
    assert setup.records(later, "contacts").keys() == {staying, joining}
    chunks = archives.open_files(setup.store, later)
    stored = [item for entry in chunks.read_manifest().chunks for item in chunks.read_chunk(entry)]
    assert not any("secret" in item.data for item in stored), "what the filter excludes is not stored"


def test_date_range_filters_and_data_types_are_honoured(setup: BackupSetup) -> None:
    source = setup.source()
    rows = setup.fakes.keap.records["contacts"]
    chosen = sorted(rows)[5]
    setup.clock.advance(timedelta(hours=1))
    start = setup.db.now()
    setup.fakes.keap.change("contacts", chosen, given_name="Grace")
    setup.clock.advance(timedelta(hours=1))
    setup.fakes.keap.change("contacts", sorted(rows)[6], given_name="Grace")
    dates = DateRange(start=start, end=start + timedelta(minutes=30))
    by_date = setup.archive(setup.run(JobType.BACKUP, source, data_types=["contacts"], date_range=dates))
    assert list(setup.records(by_date, "contacts")) == [chosen]
    filtered = setup.archive(setup.run(JobType.BACKUP, source, filters={"given_name": "Grace"}))
    assert set(setup.records(filtered, "contacts")) >= {chosen, sorted(rows)[6]}
    assert {record["given_name"] for record in setup.records(filtered, "contacts").values()} == {"Grace"}


def test_a_backup_without_a_source_backs_up_each_active_source(setup: BackupSetup) -> None:
    one, other, paused = setup.source(), setup.source("stripe"), setup.source("gohighlevel")
    sources.pause_source(setup.db, setup.caller, setup.account_id, paused.source_id)
    job = setup.run(JobType.BACKUP)
    assert job.result is not None
    assert job.result.summary == {"sources": 2}
    assert [len(setup.archives(item)) for item in (one, other, paused)] == [1, 1, 0]
    assert len(setup.db.all(JobsOfAccount(account_id=setup.account_id))) == 3


def test_an_export_of_a_backup_contains_its_state(setup: BackupSetup) -> None:
    source = setup.source()
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    sources.pause_source(setup.db, setup.caller, setup.account_id, source.source_id)
    options = {"backupId": backup.archive_id, "format": "csv"}
    job = setup.run(JobType.EXPORT, options=options, data_types=["orders"])
    export = setup.archive(job)
    assert (export.kind, export.format) == (ArchiveKind.EXPORT, FileFormat.CSV)
    assert export.counts == {"orders": backup.counts["orders"]}
    assert setup.records(export, "orders") == setup.records(backup, "orders")


def test_an_export_of_a_source_reads_the_platform(setup: BackupSetup) -> None:
    job = setup.run(JobType.EXPORT, setup.source(), data_types=["contacts"])
    assert len(setup.records(setup.archive(job), "contacts")) == SIZE


def test_a_restore_writes_changed_and_deleted_records_back(setup: BackupSetup) -> None:
    source = setup.source("gohighlevel", ("contacts",))
    fake = setup.fakes.gohighlevel
    before = {key: dict(row) for key, row in fake.records["contacts"].items()}
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    changed = sorted(before)[0]
    fake.change("contacts", changed, firstName="Mallory")
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert job.result is not None
    assert (job.status, job.result.records_processed, job.result.errors) == (JobStatus.COMPLETED, SIZE, [])
    assert fake.records["contacts"][changed]["firstName"] == before[changed]["firstName"]


def test_a_migration_backs_up_one_source_and_writes_to_another(setup: BackupSetup) -> None:
    source, target = (setup.source("gohighlevel", ("contacts",)) for _ in range(2))
    writes_before = sum(1 for request in setup.fakes.gohighlevel.requests if request.method != "GET")
    job = setup.run(
        JobType.MIGRATION, source, data_types=["contacts"], options={"targetSourceId": target.source_id}
    )
    assert job.result is not None
    assert job.result.records_processed == SIZE
    assert len(setup.records(setup.archive(job), "contacts")) == SIZE
    writes = sum(1 for request in setup.fakes.gohighlevel.requests if request.method != "GET") - writes_before
    assert writes >= SIZE


@pytest.mark.parametrize("job_type", [JobType.IMPORT, JobType.MIGRATION])
def test_records_of_another_source_overwrite_no_records_with_their_ids(
    setup: BackupSetup, job_type: JobType
) -> None:
    """Each account of Keap numbers its contacts from 1; here the other one has other people."""
    source, target = (setup.source("keap", ("contacts",)) for _ in range(2))
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    contacts = setup.fakes.keap.records["contacts"]
    for row in contacts.values():
        row["email_addresses"] = [{"email": f"other.{row['id']}@example.org", "field": "EMAIL1"}]
    if job_type is JobType.IMPORT:
        theirs = {key: dict(row) for key, row in contacts.items()}
        setup.run(job_type, target, options={"backupId": backup.archive_id})
        assert {key: contacts[key] for key in theirs} == theirs
        assert len(contacts) == 2 * SIZE
    else:
        setup.run(job_type, source, options={"targetSourceId": target.source_id})
        assert all(request.method != "PATCH" for request in setup.fakes.keap.requests)
        assert len(contacts) == SIZE, "the fake has one account, so all addresses are known there"


@pytest.mark.parametrize("job_type", [JobType.IMPORT, JobType.MIGRATION])
def test_the_worker_writes_nothing_to_a_source_of_another_platform(
    setup: BackupSetup, monkeypatch: pytest.MonkeyPatch, job_type: JobType
) -> None:
    """A job that was queued before jobs were checked fails in the worker, at its first attempt."""
    keap, stripe = setup.source("keap", ("contacts",)), setup.source("stripe", ("contacts",))
    backup = setup.archive(setup.run(JobType.BACKUP, keap))
    before = dict(setup.fakes.stripe.records["contacts"])
    with monkeypatch.context() as unchecked:
        unchecked.setattr("tablewright_systems.listbackup.service.jobs.require_compatible", lambda *_: None)
        if job_type is JobType.IMPORT:
            queued = setup.queue(job_type, stripe, options={"backupId": backup.archive_id})
        else:
            queued = setup.queue(job_type, keap, options={"targetSourceId": stripe.source_id})
    setup.worker().run()
    job = setup.job(queued)
    assert (job.status, job.progress.processed, job.retry_count) == (JobStatus.FAILED, 0, 0)
    assert job.result is not None
    assert job.result.errors == [
        "this backup is from keap, but the source is stripe; restore it to a keap source"
    ]
    assert setup.fakes.stripe.records["contacts"] == before
    assert len(setup.archives(keap)) == 1


def test_all_rejected_records_are_counted_and_the_first_are_listed(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("orders", "products"))
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    orders, products = backup.counts["orders"], backup.counts["products"]
    assert orders > 100
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert (job.status, job.progress.processed, job.progress.failed) == (
        JobStatus.COMPLETED,
        orders + products,
        orders,
    )
    assert job.checkpoint is not None
    assert (job.checkpoint.failed, len(job.checkpoint.failures)) == (orders, 100)
    assert job.result is not None
    assert (len(job.result.errors), job.result.summary["errorsOmitted"]) == (100, orders - 100)


def test_a_few_rejected_records_are_all_listed(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("orders",))
    for order in sorted(setup.fakes.stripe.records["orders"])[3:]:
        setup.fakes.stripe.delete("orders", order)
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    job = setup.run(JobType.IMPORT, source, options={"backupId": backup.archive_id})
    assert job.result is not None
    assert (job.progress.failed, len(job.result.errors)) == (3, 3)
    assert "errorsOmitted" not in job.result.summary
