"""Races of archives: the base of a new backup against its deletion, storage against its limit, two workers."""

from functools import partial

from tablewright_systems.listbackup.design.archives import Archive, ArchiveKind, ArchiveOfAccount
from tablewright_systems.listbackup.design.jobs import JobType
from tablewright_systems.listbackup.platforms.protocol import Record
from tablewright_systems.listbackup.service import archives, limits
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.service import transact

from systems.tests.listbackup.backup_setup import SIZE, BackupSetup
from systems.tests.races import race, race_in_order, winners


def incremental(setup: BackupSetup, base: Archive) -> Archive:
    made = archives.new_archive(setup.db, setup.account_id, ArchiveKind.BACKUP, "ada")
    return made.changed(base_archive_id=base.archive_id, depth=1, data_types=["contacts"])


def test_a_base_is_deleted_or_continued_but_never_both(setup: BackupSetup) -> None:
    outcomes = set()
    for deleted_first in (True, False):
        base = setup.archive(setup.run(JobType.BACKUP, setup.source()))
        made = incremental(setup, base)
        delete = partial(archives.delete, setup.db, setup.store, setup.account_id, base.archive_id)
        create = partial(transact, setup.db, *archives.creation(made))
        actions = (delete, create) if deleted_first else (create, delete)
        first, second = race_in_order(*actions)
        assert isinstance(first, Exception) is False
        assert isinstance(second, Exception)
        archive = setup.db.run(ArchiveOfAccount(account_id=setup.account_id, archive_id=base.archive_id))
        outcomes.add(archive is None)
        assert (archive is None) == deleted_first
    assert outcomes == {True, False}


def test_concurrent_chunks_never_exceed_the_storage(setup: BackupSetup) -> None:
    made = archives.new_archive(setup.db, setup.account_id, ArchiveKind.BACKUP, "ada").changed(
        data_types=["contacts"]
    )
    transact(setup.db, *archives.creation(made))
    files = archives.open_files(setup.store, made)
    entries = [files.write_chunk("contacts", number, [Record("1", None, {})]) for number in range(6)]
    account = get_account(setup.db, setup.account_id)
    room = 3 * max(entry.size for entry in entries)
    setup.db.transact(limits.use(account, storage=account.limits.storage - room))

    def add(number: int) -> None:
        transact(setup.db, *archives.chunk_writes(setup.db, made, entries[number]))

    added = winners(race(*(partial(add, number) for number in range(6))))
    assert 1 <= len(added) <= 3
    stored = archives.get_archive(setup.db, setup.account_id, made.archive_id)
    used = get_account(setup.db, setup.account_id).storage_used
    assert used == account.limits.storage - room + stored.size <= account.limits.storage


def test_two_workers_do_one_job_once(setup: BackupSetup) -> None:
    source = setup.source()
    job = setup.queue(JobType.BACKUP, source)
    ended = race(*(setup.worker().run_next for _ in range(2)), must_overlap=False)
    assert len([winner for winner in winners(ended) if winner is not None]) == 1
    assert len(setup.archives(source)) == 1
    assert len(setup.records(setup.archive(setup.job(job)), "contacts")) == SIZE
