"""Backups, exports and uploads, as users see them: listing, downloading, comparing, verifying and deleting them.

Exports and restores are jobs: see `service/options.py`.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Path
from fastapi.responses import StreamingResponse
from pydantic import Field

from tablewright import Repository, reads, writes
from tablewright_systems.listbackup.archives.files import ArchiveDamaged
from tablewright_systems.listbackup.archives.object_store import ObjectStore, store_for
from tablewright_systems.listbackup.design.archives import (
    Archive,
    ArchiveKind,
    ArchivesOfKind,
    ArchivesOfSource,
    FileFormat,
)
from tablewright_systems.listbackup.design.vocabulary import DataType, Id, Right
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
from tablewright_systems.service import FIRST_PAGE, Caller, Invalid, NotFound, transact
from tablewright_systems.web import CurrentCaller, Db, PageRequest, Router, View, problems

router = Router("Archives", "Backups of sources, exports for users, and uploaded files.")

MEDIA_TYPES = {FileFormat.JSON: "application/json", FileFormat.CSV: "text/csv"}
_FILE: dict[int | str, dict[str, Any]] = {
    200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "The records."}
}
_ARCHIVES = "/accounts/{account_id}/archives"


def _store(db: Db) -> ObjectStore:
    return store_for(db.connection)


Store = Annotated[ObjectStore, Depends(_store)]

UPLOAD_CHUNK = 1_000
"""Records in each chunk of an upload."""


MAX_IDS = 100
"""The most ids that a comparison lists for each kind of difference."""


Ids = Annotated[list[str], Field(max_length=MAX_IDS)]


class Difference(View):
    """The records of one data type that differ: their number, and the first ids in order."""

    added: int
    changed: int
    removed: int
    added_ids: Ids
    changed_ids: Ids
    removed_ids: Ids


class Comparison(View):
    """What was added, changed and removed from one backup to another."""

    differences: dict[str, Difference]


@dataclass(slots=True)
class Verification:
    """The result of reading every file of a backup and of those that it continues."""

    files: int = 0
    records: int = 0
    problems: list[str] = field(default_factory=list)


@router.get(_ARCHIVES, name="list_archives")
def archives_of_account(
    db: Db,
    caller: CurrentCaller,
    account_id: str,
    kind: ArchiveKind = ArchiveKind.BACKUP,
    paging: PageRequest = FIRST_PAGE,
) -> reads.Page[Archive]:
    """List the backups, exports or uploads of an account, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return paging.run(db, ArchivesOfKind(account_id=account_id, kind=kind))


@router.get("/accounts/{account_id}/sources/{source_id}/archives", name="list_archives_of_source")
def archives_of_source(
    db: Db, caller: CurrentCaller, account_id: str, source_id: str, paging: PageRequest = FIRST_PAGE
) -> reads.Page[Archive]:
    """List the backups and exports of a source, newest first."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    get_source(db, account_id, source_id)
    return paging.run(db, ArchivesOfSource(source_id=source_id))


@router.get(f"{_ARCHIVES}/{{archive_id}}")
def read_archive(db: Db, caller: CurrentCaller, account_id: str, archive_id: str) -> Archive:
    """Get a backup, an export or an upload."""
    require_right(db, caller, account_id, Area.SOURCES, Right.READ)
    return archives.get_archive(db, account_id, archive_id)


@router.delete(f"{_ARCHIVES}/{{archive_id}}", status_code=204)
def delete_archive(db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str) -> None:
    """Delete an archive with its files. A backup that a newer incremental one continues is kept."""
    # A backup that a newer one continues, and one being written, are rejected.
    access = require_right(db, caller, account_id, Area.SOURCES, Right.DELETE)
    archive = archives.complete_archive(db, account_id, archive_id)
    activity = _activity(caller, archive, Action.DELETE)
    archives.delete(db, store, account_id, archive_id, activity, *access.grounds)


@router.get(
    f"{_ARCHIVES}/{{archive_id}}/files/{{data_type}}",
    response_model=list[dict[str, Any]],
    responses={**_FILE, **problems(404, 409)},
    name="download",
)
def download_file(
    db: Db,
    caller: CurrentCaller,
    store: Store,
    account_id: str,
    archive_id: str,
    data_type: Annotated[DataType, Path()],
    format: FileFormat | None = None,  # noqa: A002 - the name of the parameter
) -> StreamingResponse:
    """Download the records of one data type as a file, JSON or CSV. Of an incremental backup, the state at its time.

    The file has all records and is sent while it is read: it has no pages.
    """
    file_format, content = download(db, caller, store, account_id, archive_id, data_type, format)
    headers = {"content-disposition": f"attachment; filename={data_type}-{archive_id}.{file_format.value}"}
    return StreamingResponse(content, media_type=MEDIA_TYPES[file_format], headers=headers)


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


@router.get(f"{_ARCHIVES}/{{archive_id}}/comparison", responses=problems(404, 409), name="compare_archives")
def compare(
    db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str, before: Id
) -> Comparison:
    """Compare a backup with an earlier one, `before`: what was added, changed and removed."""
    require_right(db, caller, account_id, Area.REPORTS, Right.EXPORT)
    old, new = (archives.complete_archive(db, account_id, one) for one in (before, archive_id))
    return Comparison(differences=compare_archives(db, store, old, new))


@router.post(f"{_ARCHIVES}/{{archive_id}}/verification", name="verify_archive")
def verify(db: Db, caller: CurrentCaller, store: Store, account_id: str, archive_id: str) -> Verification:
    """Read every file of a backup and of those that it continues, and compare checksums and counts."""
    require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    return verify_archive(db, store, archives.complete_archive(db, account_id, archive_id))


@router.post(_ARCHIVES, status_code=201)
def upload(
    db: Db,
    caller: CurrentCaller,
    store: Store,
    account_id: str,
    data_type: DataType,
    content: Annotated[str, Field(min_length=1, examples=['[{"id": "c1", "email": "ada@example.org"}]'])],
    format: FileFormat = FileFormat.JSON,  # noqa: A002 - the name of the field
) -> Archive:
    """Upload a file with records, for a job that imports it."""
    # The file counts towards the account's storage.
    access = require_right(db, caller, account_id, Area.SOURCES, Right.UPDATE)
    records = user_files.parse(content.encode("utf-8", "replace"), format)
    if not records:
        raise Invalid("the file has no records", "content")
    made = archives.new_archive(db, account_id, ArchiveKind.UPLOAD, caller.user_id)
    archive = made.changed(data_types=[data_type], format=format)
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
    """Read every file of a backup and of those that it continues, and compare checksums and counts."""
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
        added=len(added),
        changed=len(changed),
        removed=len(removed),
        added_ids=added[:MAX_IDS],
        changed_ids=changed[:MAX_IDS],
        removed_ids=removed[:MAX_IDS],
    )
