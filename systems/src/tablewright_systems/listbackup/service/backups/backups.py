"""Backups, exports and uploads, as users see them: listing, downloading, comparing, verifying and deleting them.

Exports and restores are jobs: see `service/jobs/options.py`.
"""

from collections.abc import Iterator

from tablewright import Repository, reads, writes
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import (
    Archive,
    ArchiveKind,
    ArchivesOfKind,
    ArchivesOfSource,
    FileFormat,
)
from tablewright_systems.listbackup.design.vocabulary import Right
from tablewright_systems.listbackup.service.access import Area, require_right
from tablewright_systems.listbackup.service.activities import audit
from tablewright_systems.listbackup.service.activities.audit import Action
from tablewright_systems.listbackup.service.backups import archives, comparison, user_files
from tablewright_systems.listbackup.service.backups.reading import BackupReader, reporting_damage
from tablewright_systems.listbackup.service.sources.sources import get_source
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, NotFound, Paging, transact

UPLOAD_CHUNK = 1_000
"""Records in each chunk of an upload."""


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
) -> dict[str, comparison.Difference]:
    """Return, for each data type, what was added, changed and removed from one backup to another."""
    require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    old, new = (archives.complete_archive(db, account_id, each) for each in (old_id, new_id))
    return comparison.compare(db, store, old, new)


def verify(
    db: Repository, caller: Caller, store: ObjectStore, account_id: str, archive_id: str
) -> comparison.Verification:
    """Read every file of an archive, and return what is damaged or missing."""
    require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    return comparison.verify(db, store, archives.complete_archive(db, account_id, archive_id))


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
