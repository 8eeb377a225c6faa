"""Backups, exports and uploads, as users see them: listing, downloading, comparing, verifying and deleting them.

Exports and restores are jobs: see `service/options.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field

from tablewright import Repository, reads, writes
from tablewright_systems.listbackup.archives.files import ArchiveDamaged
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import (
    Archive,
    ArchiveKind,
    ArchivesOfKind,
    ArchivesOfSource,
    FileFormat,
)
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.service import archives, audit, user_files
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.archives import (
    BackupReader,
    fingerprints,
    open_files,
    reporting_damage,
    with_bases,
)
from tablewright_systems.listbackup.service.audit import Action
from tablewright_systems.listbackup.service.sources import get_source
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, NotFound, Paging, transact

UPLOAD_CHUNK = 1_000
"""Records in each chunk of an upload."""


MAX_IDS = 100
"""The most ids that a comparison lists for each kind of difference."""


@dataclass(frozen=True, slots=True)
class Difference:
    """The records of one data type that differ: their number, and the first ids in order."""

    added: int
    changed: int
    removed: int
    added_ids: list[str]
    changed_ids: list[str]
    removed_ids: list[str]


@dataclass(slots=True)
class Verification:
    """The result of reading every file of a backup and of those that it continues."""

    files: int = 0
    records: int = 0
    problems: list[str] = field(default_factory=list)


def archives_of_account(
    db: Repository, caller: Caller, account_id: str, kind: ArchiveKind, paging: Paging = FIRST_PAGE
) -> reads.Page[Archive]:
    """Return the backups, exports or uploads of an account, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return paging.run(db, ArchivesOfKind(account_id=account_id, kind=kind))


def archives_of_source(
    db: Repository, caller: Caller, account_id: str, source_id: str, paging: Paging = FIRST_PAGE
) -> reads.Page[Archive]:
    """Return the backups and exports of a source, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    get_source(db, account_id, source_id)
    return paging.run(db, ArchivesOfSource(source_id=source_id))


def read_archive(db: Repository, caller: Caller, account_id: str, archive_id: str) -> Archive:
    """Return an archive of an account."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return archives.get_archive(db, account_id, archive_id)


def delete_archive(
    db: Repository, caller: Caller, store: ObjectStore, account_id: str, archive_id: str
) -> None:
    """Delete an archive with its files. A backup that a newer one continues, and one being written, are rejected."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.DELETE)
    archive = archives.complete_archive(db, account_id, archive_id)
    activity = _activity(caller, archive, Action.DELETE)
    archives.delete(db, store, account_id, archive_id, activity, *access.grounds)


def download(
    db: Repository,
    caller: Caller,
    store: ObjectStore,
    account_id: str,
    archive_id: str,
    data_type: str,
    file_format: FileFormat | None = None,
) -> tuple[FileFormat, Iterator[bytes]]:
    """Return the records of one data type as a file. Of an incremental backup, this is the state at its time."""
    access = require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    archive = archives.complete_archive(db, account_id, archive_id)
    with reporting_damage(archive):
        reader = BackupReader(db, store, archive)
        if data_type not in reader.data_types:
            raise NotFound(f"data type {data_type} of {archive.kind.value} {archive_id}")
        reader.require_undamaged(data_type)  # before the reply begins: a file is complete, or there is none
    db.transact(_activity(caller, archive, Action.EXPORT), *access.grounds)
    file_format = file_format or archive.format
    return file_format, user_files.render(lambda: reader.records(data_type), file_format)


def compare(
    db: Repository, caller: Caller, store: ObjectStore, account_id: str, old_id: str, new_id: str
) -> dict[str, Difference]:
    """Return, for each data type, what was added, changed and removed from one backup to another."""
    require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    old, new = (archives.complete_archive(db, account_id, archive_id) for archive_id in (old_id, new_id))
    return compare_archives(db, store, old, new)


def verify(
    db: Repository, caller: Caller, store: ObjectStore, account_id: str, archive_id: str
) -> Verification:
    """Read every file of an archive, and return what is damaged or missing."""
    require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    return verify_archive(db, store, archives.complete_archive(db, account_id, archive_id))


def upload(
    db: Repository,
    caller: Caller,
    store: ObjectStore,
    account_id: str,
    data_type: str,
    content: str,
    file_format: FileFormat,
) -> Archive:
    """Store the records of a file, for an import job. The file counts towards the account's storage."""
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    records = user_files.parse(content.encode("utf-8", "replace"), file_format)
    if not records:
        raise Invalid("the file has no records", "content")
    made = archives.new_archive(db, account_id, ArchiveKind.UPLOAD, caller.user_id)
    archive = made.changed(data_types=[data_type], format=file_format)
    activity = _activity(caller, archive, Action.CREATE)
    transact(db, *archives.creation(archive), activity, *access.grounds)
    try:
        files = archives.open_files(store, archive)
        for number, first in enumerate(range(0, len(records), UPLOAD_CHUNK)):
            entry = files.write_chunk(data_type, number, records[first : first + UPLOAD_CHUNK])
            transact(db, *archives.chunk_writes(db, archive, entry))
        return archives.complete(db, store, archives.get_archive(db, account_id, archive.archive_id))
    except Exception:
        archives.delete(db, store, account_id, archive.archive_id)
        raise


def _activity(caller: Caller, archive: Archive, action: Action) -> writes.Write:
    about = {"kind": archive.kind.value, "sourceId": archive.source_id, "records": archive.records}
    return audit.record(caller, archive, action, metadata=about, event=archive.kind.value)


def compare_archives(db: Repository, store: ObjectStore, old: Archive, new: Archive) -> dict[str, Difference]:
    """Return, for each data type, what was added, changed and removed from one backup to another."""
    with reporting_damage(old):
        before = BackupReader(db, store, old)
    with reporting_damage(new):
        after = BackupReader(db, store, new)
    differences = {}
    for data_type in sorted({*before.data_types, *after.data_types}):
        with reporting_damage(old):
            was = fingerprints(before, data_type)
        with reporting_damage(new):
            differences[data_type] = _difference(was, fingerprints(after, data_type))
    return differences


def verify_archive(db: Repository, store: ObjectStore, archive: Archive) -> Verification:
    """Read every file of a backup and of those that it continues, and compare_archives checksums and counts."""
    result = Verification()
    for part in with_bases(db, archive):
        _verify_one(store, part, result)
    return result


def _verify_one(store: ObjectStore, archive: Archive, result: Verification) -> None:
    files = open_files(store, archive)
    try:
        manifest = files.read_manifest()
    except ArchiveDamaged as error:
        result.problems.append(f"{archive.archive_id}: {error}")
        return
    counts = dict.fromkeys(manifest.counts, 0)
    for entry in manifest.chunks:
        try:
            counts[entry.data_type] += len(files.read_chunk(entry))
        except ArchiveDamaged as error:
            result.problems.append(f"{archive.archive_id}: {error}")
        result.files += 1
    if counts != archive.counts:
        result.problems.append(f"{archive.archive_id}: has {counts} records, expected {archive.counts}")
    result.records += sum(counts.values())


def _difference(before: dict[str, bytes], after: dict[str, bytes]) -> Difference:
    added = sorted(after.keys() - before.keys())
    removed = sorted(before.keys() - after.keys())
    changed = sorted(
        record_id for record_id in before.keys() & after.keys() if before[record_id] != after[record_id]
    )
    return Difference(
        *(len(added), len(changed), len(removed)),
        *(added[:MAX_IDS], changed[:MAX_IDS], removed[:MAX_IDS]),
    )
