"""Backups, exports and uploads as users see them: who may do what, and what they get."""

import csv
import io
import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from tablewright_systems.listbackup.design.archives import ArchiveKind, ArchiveStatus, FileFormat
from tablewright_systems.listbackup.design.jobs import JobStatus, JobType
from tablewright_systems.listbackup.design.memberships import AccountRole, Permissions
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.proofs.fixtures import new_member, new_owner
from tablewright_systems.listbackup.service import archives, backups, limits
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.listbackup.service.backups import Verification
from tablewright_systems.service import Caller, Conflict, Forbidden, Invalid, NotFound

from systems.tests.listbackup.backup_setup import SIZE, BackupSetup
from tablewright import Repository


def text(setup: BackupSetup, archive_id: str, data_type: str, file_format: FileFormat) -> str:
    _, content = backups.download(
        setup.db, setup.caller, setup.store, setup.account_id, archive_id, data_type, file_format
    )
    return b"".join(content).decode()


def test_a_backup_is_downloaded_as_json_and_as_csv(setup: BackupSetup) -> None:
    archive = setup.archive(setup.run(JobType.BACKUP, setup.source()))
    rows = json.loads(text(setup, archive.archive_id, "contacts", FileFormat.JSON))
    assert {str(row["id"]) for row in rows} == setup.fakes.keap.records["contacts"].keys()
    lines = list(csv.DictReader(io.StringIO(text(setup, archive.archive_id, "contacts", FileFormat.CSV))))
    assert {line["id"] for line in lines} == setup.fakes.keap.records["contacts"].keys()


def test_an_export_is_downloaded_in_its_own_format(setup: BackupSetup) -> None:
    job = setup.run(JobType.EXPORT, setup.source(), options={"format": "csv"}, data_types=["orders"])
    export = setup.archive(job)
    file_format, _ = backups.download(
        setup.db, setup.caller, setup.store, setup.account_id, export.archive_id, "orders"
    )
    assert file_format is FileFormat.CSV
    with pytest.raises(NotFound, match="data type contacts"):
        text(setup, export.archive_id, "contacts", FileFormat.CSV)


def test_comparing_two_backups_counts_what_differs(setup: BackupSetup) -> None:
    source = setup.source("stripe", ("contacts",))
    old = setup.archive(setup.run(JobType.BACKUP, source))
    setup.clock.advance(timedelta(hours=1))
    removed, changed = sorted(setup.fakes.stripe.records["contacts"])[:2]
    setup.fakes.stripe.delete("contacts", removed)
    setup.fakes.stripe.change("contacts", changed, name="Grace")
    new = setup.archive(setup.run(JobType.BACKUP, source))
    difference = backups.compare(
        setup.db, setup.caller, setup.store, setup.account_id, new.archive_id, old.archive_id
    ).differences["contacts"]
    assert (difference.added_ids, difference.changed_ids, difference.removed_ids) == (
        [],
        [changed],
        [removed],
    )
    back = backups.compare(
        setup.db, setup.caller, setup.store, setup.account_id, old.archive_id, new.archive_id
    ).differences["contacts"]
    assert (back.added, back.changed, back.removed) == (1, 1, 0)
    assert back.added_ids == [removed]


def test_verifying_reports_each_kind_of_damage(setup: BackupSetup) -> None:
    archive = setup.archive(setup.run(JobType.BACKUP, setup.source()))
    entries = archives.open_files(setup.store, archive).read_manifest().chunks

    def verified() -> Verification:
        return backups.verify(setup.db, setup.caller, setup.store, setup.account_id, archive.archive_id)

    assert (verified().problems, verified().records, verified().files) == (
        [],
        archive.records,
        len(entries),
    )
    data = setup.store.get(entries[0].name)
    setup.store.put(entries[0].name, data[:-1])
    setup.store.delete(entries[1].name)
    problems = " ".join(verified().problems)
    assert f"chunk {entries[0].number} of {entries[0].data_type} has another checksum" in problems
    assert f"chunk {entries[1].number} of {entries[1].data_type} is missing" in problems
    setup.store.delete(next(name for name in setup.files() if name.endswith("manifest")))
    assert "manifest is missing" in verified().problems[0]
    with pytest.raises(Conflict, match="is damaged: the manifest is missing"):
        text(setup, archive.archive_id, "contacts", FileFormat.JSON)


def test_an_incremental_backup_is_verified_with_its_base(setup: BackupSetup) -> None:
    source = setup.source()
    base = setup.archive(setup.run(JobType.BACKUP, source))
    later = setup.archive(setup.run(JobType.BACKUP, source, options={"mode": "incremental"}))
    setup.store.delete(archives.open_files(setup.store, base).read_manifest().chunks[0].name)
    result = backups.verify(setup.db, setup.caller, setup.store, setup.account_id, later.archive_id)
    assert base.archive_id in result.problems[0]


def test_the_base_of_a_backup_cannot_be_deleted_before_it(setup: BackupSetup) -> None:
    source = setup.source()
    base = setup.archive(setup.run(JobType.BACKUP, source))
    later = setup.archive(setup.run(JobType.BACKUP, source, options={"mode": "incremental"}))
    delete: Callable[[str], None] = lambda archive_id: backups.delete_archive(  # noqa: E731 - short
        setup.db, setup.caller, setup.store, setup.account_id, archive_id
    )
    with pytest.raises(Conflict, match="newer incremental backups continue this backup"):
        delete(base.archive_id)
    assert len(setup.records(later, "contacts")) == SIZE
    delete(later.archive_id)
    delete(base.archive_id)
    assert (setup.storage_used(), setup.files()) == (0, [])
    with pytest.raises(NotFound):
        delete(base.archive_id)


def test_an_incomplete_archive_is_not_readable(setup: BackupSetup) -> None:
    made = archives.new_archive(setup.db, setup.account_id, ArchiveKind.BACKUP, "ada")
    setup.db.transact(*archives.creation(made))
    for act in (backups.verify, backups.delete_archive):
        with pytest.raises(Conflict, match="is not complete: it is writing"):
            act(setup.db, setup.caller, setup.store, setup.account_id, made.archive_id)


ROLES: list[tuple[str, AccountRole, Permissions | None, set[str]]] = [
    ("admin", AccountRole.ADMIN, None, {"read", "download", "compare", "verify", "delete"}),
    ("readonly", AccountRole.READONLY, None, {"read"}),
    ("nothing", AccountRole.MEMBER, Permissions(), set()),
    (
        "editor",
        AccountRole.MEMBER,
        Permissions(sources=[Right.READ, Right.UPDATE]),
        {"read", "verify"},
    ),
]


@pytest.mark.parametrize(
    ("role", "permissions", "allowed"), [item[1:] for item in ROLES], ids=[r[0] for r in ROLES]
)
def test_rights_decide_what_a_member_may_do(
    setup: BackupSetup, role: AccountRole, permissions: Permissions | None, allowed: set[str]
) -> None:
    archive_id = setup.archive(setup.run(JobType.BACKUP, setup.source())).archive_id
    member = new_member(setup.db, setup.caller, setup.account_id, role, permissions)
    assert _done(setup, member, setup.account_id, archive_id) == allowed


def test_other_accounts_see_nothing(setup: BackupSetup) -> None:
    archive_id = setup.archive(setup.run(JobType.BACKUP, setup.source())).archive_id
    eve, hers = new_owner(setup.db)
    assert _done(setup, eve, setup.account_id, archive_id) == set()
    assert _done(setup, eve, hers.account_id, archive_id) == set()


def _done(setup: BackupSetup, member: Caller, account_id: str, archive_id: str) -> set[str]:
    """Return what a member may do with an archive."""
    db, store = setup.db, setup.store
    actions: dict[str, Callable[[], Any]] = {
        "read": lambda: backups.read_archive(db, member, account_id, archive_id),
        "download": lambda: backups.download(db, member, store, account_id, archive_id, "contacts"),
        "compare": lambda: backups.compare(db, member, store, account_id, archive_id, archive_id),
        "verify": lambda: backups.verify(db, member, store, account_id, archive_id),
        "delete": lambda: backups.delete_archive(db, member, store, account_id, archive_id),
    }
    done = set()
    for name, act in actions.items():
        try:
            act()
            done.add(name)
        except (Forbidden, NotFound):
            pass
    return done


def upload(setup: BackupSetup, content: str, file_format: FileFormat = FileFormat.JSON) -> Any:
    return backups.upload(
        setup.db, setup.caller, setup.store, setup.account_id, "contacts", content, file_format
    )


def test_an_uploaded_file_is_imported_into_a_source(setup: BackupSetup) -> None:
    source = setup.source("gohighlevel", ("contacts",))
    known = sorted(setup.fakes.gohighlevel.records["contacts"])[0]
    made = upload(setup, f"id,firstName\n{known},Grace\n", FileFormat.CSV)
    assert (made.kind, made.status, made.counts) == (
        ArchiveKind.UPLOAD,
        ArchiveStatus.COMPLETE,
        {"contacts": 1},
    )
    assert setup.storage_used() == made.size > 0
    job = setup.run(JobType.IMPORT, source, options={"uploadId": made.archive_id})
    assert (job.status, job.result and job.result.errors) == (JobStatus.COMPLETED, [])
    assert setup.fakes.gohighlevel.records["contacts"][known]["firstName"] == "Grace"


@pytest.mark.parametrize(
    ("content", "file_format", "message"),
    [
        ("[]", FileFormat.JSON, "has no records"),
        ("{", FileFormat.JSON, "not valid json"),
        ('[{"name": "Ada"}]', FileFormat.JSON, "record 1 has no id"),
        ('[{"id": true}]', FileFormat.JSON, "record 1 has no id"),
        ("[1]", FileFormat.JSON, "record 1 has no id"),
        ('[{"id": 1}, {"id": "1"}]', FileFormat.JSON, "record 2 repeats the id 1"),
        ("id,name\n1,Ada,Bea\n", FileFormat.CSV, "more cells than the header"),
        ("id,a,a.b\n1,2,3\n", FileFormat.CSV, "both a value and an object"),
        ('id\n"1', FileFormat.CSV, "not valid csv"),
    ],
)
def test_a_file_that_is_not_usable_is_rejected(
    setup: BackupSetup, content: str, file_format: FileFormat, message: str
) -> None:
    with pytest.raises(Invalid, match=message):
        upload(setup, content, file_format)
    assert (setup.storage_used(), setup.files()) == (0, [])


def test_an_upload_counts_towards_the_storage(setup: BackupSetup) -> None:
    account = get_account(setup.db, setup.account_id)
    setup.db.transact(limits.use(account, storage=account.limits.storage - 10))
    with pytest.raises(Conflict, match="bytes of storage"):
        upload(setup, '[{"id": 1, "name": "Ada"}]')
    assert (setup.storage_used(), setup.files()) == (account.limits.storage - 10, [])
    page = backups.archives_of_account(setup.db, setup.caller, setup.account_id, ArchiveKind.UPLOAD)
    assert list(page) == []


def test_archives_are_listed_by_kind_and_by_source(setup: BackupSetup, db: Repository) -> None:
    source, other = setup.source(), setup.source("stripe")
    backup = setup.archive(setup.run(JobType.BACKUP, source))
    export = setup.archive(setup.run(JobType.EXPORT, source))
    elsewhere = setup.archive(setup.run(JobType.BACKUP, other))

    def ids(kind: ArchiveKind) -> list[str]:
        page = backups.archives_of_account(db, setup.caller, setup.account_id, kind)
        return [item.archive_id for item in page]

    assert ids(ArchiveKind.BACKUP) == [elsewhere.archive_id, backup.archive_id]
    assert (ids(ArchiveKind.EXPORT), ids(ArchiveKind.UPLOAD)) == ([export.archive_id], [])
    result = backups.archives_of_source(db, setup.caller, setup.account_id, source.source_id)
    assert [item.archive_id for item in result] == [export.archive_id, backup.archive_id]


@pytest.mark.parametrize("file_format", FileFormat)
def test_a_damaged_backup_is_not_downloaded_in_part(setup: BackupSetup, file_format: FileFormat) -> None:
    archive = setup.archive(setup.run(JobType.BACKUP, setup.source()))
    chunk = next(name for name in setup.files() if "contacts/000000" in name)
    data = setup.store.get(chunk)
    setup.store.put(chunk, data[:50] + bytes([data[50] ^ 1]) + data[51:])
    with pytest.raises(Conflict, match=f"backup {archive.archive_id} is damaged: chunk 0 of contacts"):
        backups.download(
            setup.db,
            setup.caller,
            setup.store,
            setup.account_id,
            archive.archive_id,
            "contacts",
            file_format,
        )
    assert text(setup, archive.archive_id, "orders", file_format)


def test_a_comparison_names_the_damaged_backup(setup: BackupSetup) -> None:
    source = setup.source()
    old, new = (setup.archive(setup.run(JobType.BACKUP, source)) for _ in range(2))
    setup.store.delete(archives.open_files(setup.store, old).read_manifest().chunks[0].name)
    with pytest.raises(Conflict, match=f"backup {old.archive_id} is damaged: chunk 0 of contacts is missing"):
        backups.compare(setup.db, setup.caller, setup.store, setup.account_id, old.archive_id, new.archive_id)
