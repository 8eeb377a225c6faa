"""Retention: what is deleted when, and what is kept."""

from datetime import timedelta

import pytest
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.accounts import Plan
from tablewright_systems.listbackup.design.archives import Archive, ArchiveOfAccount, FileFormat
from tablewright_systems.listbackup.design.jobs import DateRange, JobType
from tablewright_systems.listbackup.design.sources import Source, SourceConfig
from tablewright_systems.listbackup.proofs.fixtures import STAFF
from tablewright_systems.listbackup.service import archives, backups, closing, limits, retention, sources
from tablewright_systems.service import Forbidden

from systems.tests.listbackup.backup_setup import BackupSetup
from tablewright import Repository, errors

DAY = timedelta(days=1)


def sweep(setup: BackupSetup, after: timedelta) -> int:
    setup.clock.advance(after)
    return retention.delete_expired(setup.db, STAFF, setup.store)


def exists(setup: BackupSetup, archive: Archive) -> bool:
    key = ArchiveOfAccount(account_id=archive.account_id, archive_id=archive.archive_id)
    return setup.db.run(key) is not None


def backed_up(setup: BackupSetup, source: Source, mode: str = "full") -> Archive:
    setup.clock.advance(timedelta(minutes=1))
    return setup.archive(setup.run(JobType.BACKUP, source, options={"mode": mode}))


@pytest.mark.parametrize(("plan", "days"), [(Plan.FREE, 30), (Plan.STARTER, 90)])
def test_a_backup_is_kept_as_long_as_the_plan_allows(setup: BackupSetup, plan: Plan, days: int) -> None:
    limits.change_plan(setup.db, STAFF, setup.account_id, plan)
    source = setup.source()
    old, new = backed_up(setup, source), backed_up(setup, source)
    assert sweep(setup, DAY * (days - 1)) == 0
    assert (exists(setup, old), exists(setup, new)) == (True, True)
    assert sweep(setup, 2 * DAY) == 1
    assert (exists(setup, old), exists(setup, new)) == (False, True), "the newest backup is kept"
    assert setup.storage_used() == new.size
    assert sweep(setup, 400 * DAY) == 0


def test_a_source_can_shorten_retention(setup: BackupSetup) -> None:
    source = setup.source()
    config = SourceConfig(data_types=["contacts"], retention_days=3)
    sources.change_source(setup.db, setup.caller, setup.account_id, source.source_id, config=config)
    old, _ = backed_up(setup, source), backed_up(setup, source)
    assert sweep(setup, 2 * DAY) == 0
    sweep(setup, 2 * DAY)
    assert not exists(setup, old)


def test_a_backup_of_some_records_does_not_replace_one_of_all(setup: BackupSetup) -> None:
    limits.change_plan(setup.db, STAFF, setup.account_id, Plan.FREE)
    source = setup.source()
    older, whole = backed_up(setup, source), backed_up(setup, source)
    setup.clock.advance(timedelta(minutes=1))
    dates = DateRange(start=setup.db.now() - DAY, end=setup.db.now())
    parts = [
        setup.archive(setup.run(JobType.BACKUP, source, **some))
        for some in ({"date_range": dates}, {"filters": {"given_name": "Ada"}}, {"data_types": ["orders"]})
    ]
    sweep(setup, 31 * DAY)
    assert [exists(setup, item) for item in (older, whole, *parts)] == [False, True, False, False, True]


def test_the_base_of_a_kept_backup_is_kept(setup: BackupSetup) -> None:
    limits.change_plan(setup.db, STAFF, setup.account_id, Plan.FREE)
    source = setup.source()
    base = backed_up(setup, source)
    first = backed_up(setup, source, "incremental")
    second = backed_up(setup, source, "incremental")
    assert (first.base_archive_id, second.base_archive_id) == (base.archive_id, first.archive_id)
    for _ in range(3):
        sweep(setup, 40 * DAY)
    assert [exists(setup, item) for item in (base, first, second)] == [True, True, True]
    newer = backed_up(setup, source)
    for _ in range(3):
        sweep(setup, 2 * DAY)
    assert [exists(setup, item) for item in (base, first, second, newer)] == [False, False, False, True]
    assert setup.storage_used() == newer.size


def test_backups_of_a_deleted_source_are_deleted_after_their_time(setup: BackupSetup) -> None:
    limits.change_plan(setup.db, STAFF, setup.account_id, Plan.FREE)
    source = setup.source()
    backup = backed_up(setup, source)
    sources.delete_source(setup.db, setup.caller, setup.account_id, source.source_id)
    sweep(setup, 29 * DAY)
    assert exists(setup, backup)
    sweep(setup, 2 * DAY)
    assert (exists(setup, backup), setup.files(), setup.storage_used()) == (False, [], 0)


def test_exports_and_uploads_are_kept_for_a_week(setup: BackupSetup) -> None:
    export = setup.archive(setup.run(JobType.EXPORT, setup.source()))
    upload = backups.upload(
        setup.db, setup.caller, setup.store, setup.account_id, "contacts", '[{"id": 1}]', FileFormat.JSON
    )
    assert sweep(setup, 6 * DAY) == 0
    assert sweep(setup, 2 * DAY) == 2
    assert not exists(setup, export)
    assert not exists(setup, upload)


def test_an_archive_that_no_job_completes_is_deleted(setup: BackupSetup) -> None:
    source = setup.source()
    job = setup.queue(JobType.BACKUP, source)
    setup.fakes.keap.faults.throttled = 100
    setup.worker().run()
    waiting = setup.job(job)
    assert waiting.checkpoint is not None
    (archive,) = setup.archives(source)
    assert sweep(setup, timedelta(hours=2)) == 0, "its job continues"
    sources.pause_source(setup.db, setup.caller, setup.account_id, source.source_id)
    setup.worker().run()
    assert sweep(setup, timedelta(hours=2)) == 1
    assert not exists(setup, archive)


def test_an_interrupted_deletion_is_continued(setup: BackupSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    archive = backed_up(setup, setup.source())

    def fail(*values: object) -> None:
        raise OSError("the disk is gone")

    with monkeypatch.context() as patch:
        patch.setattr(type(setup.store), "delete", fail)
        with pytest.raises(OSError, match="the disk is gone"):
            archives.delete(setup.db, setup.store, setup.account_id, archive.archive_id)
    assert sweep(setup, timedelta(seconds=1)) == 1
    assert (setup.files(), setup.storage_used()) == ([], 0)


def test_an_archive_that_cannot_be_deleted_does_not_keep_the_others(
    setup: BackupSetup, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    source = setup.source()
    stuck, other = (setup.archive(setup.run(JobType.EXPORT, source)) for _ in range(2))
    delete = archives.delete

    def fail_once(db: Repository, store: ObjectStore, account_id: str, archive_id: str) -> None:
        if archive_id == stuck.archive_id:
            raise OSError("the disk is gone")
        delete(db, store, account_id, archive_id)

    monkeypatch.setattr(archives, "delete", fail_once)
    assert sweep(setup, 8 * DAY) == 1
    assert (exists(setup, stuck), exists(setup, other)) == (True, False)
    assert stuck.archive_id in caplog.text


def test_only_workers_delete_expired_archives(setup: BackupSetup) -> None:
    with pytest.raises(Forbidden):
        retention.delete_expired(setup.db, setup.caller, setup.store)


def test_a_closed_account_loses_its_archives_although_their_keys_are_gone(setup: BackupSetup) -> None:
    base = backed_up(setup, setup.source())
    backed_up(setup, setup.source("stripe"))
    assert base.size > 0
    closing.close_account(setup.db, setup.caller, setup.account_id)
    assert not closing.finish_closing(setup.db, setup.account_id)
    with pytest.raises(errors.SecretError):
        setup.db.run(ArchiveOfAccount(account_id=setup.account_id, archive_id=base.archive_id))
    assert sweep(setup, timedelta(seconds=1)) == 2
    assert setup.files() == []
    while not closing.finish_closing(setup.db, setup.account_id):
        pass
