"""Archives: creating them, adding chunks, completing, reading and deleting them.

The bytes of each chunk are added to the account's storage in the transaction that adds the chunk, and are subtracted in
the transaction that deletes the archive. So `storageUsed` is exact, and a chunk beyond the limit is rejected.

A backup is read as the state of all records at its time, from it and the backups that it continues: chunks newest
first, and of each record only the first appearance. The ids of returned records are kept in memory, not the records.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from hashlib import sha256

from tablewright import Repository, reads, writes
from tablewright_systems.listbackup.archives.files import (
    ArchiveCipher,
    ArchiveDamaged,
    ArchiveFiles,
    ChunkEntry,
    Manifest,
    canonical,
    delete_objects,
    new_key,
)
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import (
    Archive,
    ArchiveChunk,
    ArchiveKind,
    ArchiveOfAccount,
    ArchivesOfSource,
    ArchiveStatus,
    ArchiveSummary,
    ChunksOfArchive,
)
from tablewright_systems.listbackup.platforms.protocol import ALL_RECORDS, Record, RecordPage, Selection
from tablewright_systems.listbackup.service import limits
from tablewright_systems.listbackup.service.access import get_account
from tablewright_systems.service import Conflict, NotFound, transact

CHECKED_AFTER = timedelta(hours=1)
"""How long after its creation a worker checks whether an incomplete archive was abandoned."""

_IS_COMPLETE = Archive.status == ArchiveStatus.COMPLETE
_IS_WRITING = Archive.status == ArchiveStatus.WRITING


def get_archive(db: Repository, account_id: str, archive_id: str, kind: ArchiveKind | None = None) -> Archive:
    """Return an archive of an account, or raise NotFound. The caller's rights are not checked."""
    archive = db.run(ArchiveOfAccount(account_id=account_id, archive_id=archive_id))
    if archive is None or (kind is not None and archive.kind is not kind):
        raise NotFound(f"{(kind.value if kind else 'archive')} {archive_id}")
    return archive


def complete_archive(db: Repository, account_id: str, archive_id: str, *kinds: ArchiveKind) -> Archive:
    """Return an archive that can be read, or raise NotFound or Conflict."""
    archive = get_archive(db, account_id, archive_id)
    if kinds and archive.kind not in kinds:
        raise NotFound(f"{' or '.join(kind.value for kind in kinds)} {archive_id}")
    if archive.status is not ArchiveStatus.COMPLETE:
        raise Conflict(f"{archive.kind.value} {archive_id} is not complete: it is {archive.status.value}")
    return archive


def newest_backup(
    db: Repository, source_id: str, is_wanted: Callable[[Archive], bool] = lambda archive: True
) -> Archive | None:
    """Return the newest complete backup of a source that is wanted, read from the table."""
    for indexed in db.iterate(ArchivesOfSource(source_id=source_id)):
        if indexed.kind is ArchiveKind.BACKUP and is_wanted(indexed):
            current = db.run(ArchiveOfAccount(account_id=indexed.account_id, archive_id=indexed.archive_id))
            if current is not None and current.status is ArchiveStatus.COMPLETE:
                return current
    return None


def with_bases(db: Repository, archive: Archive) -> list[Archive]:
    """Return an archive and the backups that it continues, newest first."""
    chain = [archive]
    while chain[-1].base_archive_id is not None:
        chain.append(complete_archive(db, archive.account_id, chain[-1].base_archive_id))
    return chain


def creation(archive: Archive) -> list[writes.Write]:
    """Return the writes of a new archive. The base of an incremental backup must be complete, and is kept with it."""
    if archive.base_archive_id is None:
        return [writes.Create(archive)]
    base = ArchiveOfAccount(account_id=archive.account_id, archive_id=archive.base_archive_id)
    return [writes.Create(archive), writes.Update(base, add={"dependents": 1}, when=_IS_COMPLETE)]


def new_archive(db: Repository, account_id: str, kind: ArchiveKind, created_by: str) -> Archive:
    """Return an archive that is not stored yet, with a new key."""
    return Archive(
        account_id=account_id,
        kind=kind,
        data_key=new_key(),
        created_by=created_by,
        expires_at=db.now() + CHECKED_AFTER,
    )


def open_files(store: ObjectStore, archive: Archive) -> ArchiveFiles:
    """Return the files of an archive."""
    cipher = ArchiveCipher(archive.data_key, archive.archive_id)
    return ArchiveFiles(store, cipher, archive.account_id, archive.archive_id)


def chunk_writes(db: Repository, archive: Archive, entry: ChunkEntry) -> list[writes.Write]:
    """Return the writes that add a stored chunk to an archive and to the account's storage."""
    account = get_account(db, archive.account_id)
    return [
        writes.Create(
            ArchiveChunk(account_id=archive.account_id, archive_id=archive.archive_id, **dict(entry))
        ),
        writes.Update(_key(archive), add={"records": entry.records, "size": entry.size}, when=_IS_WRITING),
        limits.use(account, storage=entry.size),
    ]


def complete(db: Repository, store: ObjectStore, archive: Archive) -> Archive:
    """Publish the manifest of an archive with all its chunks; a completed archive stays as it is."""
    if archive.status is ArchiveStatus.COMPLETE:
        return archive
    chunks = db.all(ChunksOfArchive(account_id=archive.account_id, archive_id=archive.archive_id))
    counts = dict.fromkeys(archive.data_types, 0)
    for chunk in chunks:
        counts[chunk.data_type] += chunk.records
    open_files(store, archive).publish(_manifest(archive, counts, chunks))
    changes = {"status": ArchiveStatus.COMPLETE, "counts": counts, "completed_at": db.now()}
    return db.update(_key(archive), set=changes, when=_IS_WRITING)


def delete(db: Repository, store: ObjectStore, account_id: str, archive_id: str, *more: writes.Write) -> None:
    """Delete an archive with its files and free its storage. A backup that a newer one continues is rejected.

    Call it again after an interruption. It needs no key: those of a closed account are deleted first. `more` are writes
    of the transaction after which the archive is not readable any more.
    """
    key = ArchiveOfAccount(account_id=account_id, archive_id=archive_id)
    needed = Conflict("newer incremental backups continue this backup; delete them first", "archiveId")
    marked = {"status": ArchiveStatus.DELETING, "expires_at": db.now()}
    transact(db, writes.Update(key, set=marked, when=Archive.dependents == 0, otherwise=needed), *more)
    delete_objects(store, account_id, archive_id)
    db.batch(
        writes.Delete(chunk)
        for chunk in db.all(ChunksOfArchive(account_id=account_id, archive_id=archive_id))
    )
    row = summary(db, account_id, archive_id)
    actions: list[writes.Write] = [writes.Delete(key, when=Archive.status == ArchiveStatus.DELETING)]
    if row["size"]:
        actions.append(limits.use(get_account(db, account_id), storage=-row["size"]))
    if "base_archive_id" in row:
        base = ArchiveOfAccount(account_id=account_id, archive_id=row["base_archive_id"])
        actions.append(writes.Update(base, add={"dependents": -1}))
    db.transact(*actions)


def summary(db: Repository, account_id: str, archive_id: str) -> reads.Row:
    """Return what is known of an archive without its key."""
    rows = list(db.rows(ArchiveSummary(account_id=account_id, archive_id=archive_id)))
    if not rows:
        raise NotFound(f"archive {archive_id}")
    return rows[0]


def _key(archive: Archive) -> ArchiveOfAccount:
    return ArchiveOfAccount(account_id=archive.account_id, archive_id=archive.archive_id)


def _manifest(archive: Archive, counts: dict[str, int], chunks: Sequence[ArchiveChunk]) -> Manifest:
    dates = archive.date_range
    return Manifest(
        account_id=archive.account_id,
        archive_id=archive.archive_id,
        source_id=archive.source_id,
        platform=archive.platform,
        base_archive_id=archive.base_archive_id,
        start=archive.since or (dates.start if dates else None),
        end=dates.end if dates else None,
        created_at=archive.created_at,
        counts=counts,
        chunks=tuple(
            ChunkEntry(**{name: getattr(chunk, name) for name in ChunkEntry.model_fields}) for chunk in chunks
        ),
    )


@contextmanager
def reporting_damage(archive: Archive) -> Iterator[None]:
    """Turn the damage of an archive, or of one that it continues, into an error for the user."""
    try:
        yield
    except ArchiveDamaged as error:
        raise Conflict(f"{archive.kind.value} {archive.archive_id} is damaged: {error}") from None


class BackupReader:
    """Reads a backup, page by page as a platform is read; a page is a chunk."""

    def __init__(self, db: Repository, store: ObjectStore, archive: Archive) -> None:
        self._chunks: dict[str, list[tuple[ArchiveFiles, ChunkEntry]]] = {}
        for part in with_bases(db, archive):
            files = open_files(store, part)
            manifest = files.read_manifest()
            for data_type in manifest.counts:
                self._chunks.setdefault(data_type, [])
            for entry in reversed(manifest.chunks):
                self._chunks[entry.data_type].append((files, entry))
        self._returned: dict[str, tuple[int, set[str]]] = {}

    @property
    def data_types(self) -> tuple[str, ...]:
        """The data types of the backup."""
        return tuple(self._chunks)

    def read(
        self, data_type: str, selection: Selection = ALL_RECORDS, position: str | None = None
    ) -> RecordPage:
        """Return one page of the selected records."""
        chunks, index = self._chunks.get(data_type, []), int(position or 0)
        if index >= len(chunks):
            return RecordPage([])
        seen = self._seen_before(data_type, index)
        records = list(filter(selection.includes, _first_appearances(*chunks[index], seen)))
        self._returned[data_type] = index + 1, seen
        return RecordPage(records, str(index + 1) if index + 1 < len(chunks) else None)

    def require_undamaged(self, data_type: str) -> None:
        """Raise `ArchiveDamaged` unless all files of a data type are those that were written."""
        for files, entry in self._chunks.get(data_type, []):
            files.require_chunk(entry)

    def records(self, data_type: str) -> Iterator[Record]:
        """Return all records of a data type."""
        position: str | None = None
        while True:
            page = self.read(data_type, position=position)
            yield from page.records
            if (position := page.next_position) is None:
                return

    def _seen_before(self, data_type: str, index: int) -> set[str]:
        """Return the ids in the chunks before an index; another process may have read them."""
        done, seen = self._returned.get(data_type, (0, set()))
        if done != index:
            seen = set()
            for chunk in self._chunks[data_type][:index]:
                for _ in _first_appearances(*chunk, seen):
                    pass
        return seen


def fingerprints(reader: BackupReader, data_type: str) -> dict[str, bytes]:
    """Return a hash of each record by its id."""
    return {
        record.id: sha256(canonical(dict(record.data)).encode()).digest()
        for record in reader.records(data_type)
    }


def _first_appearances(files: ArchiveFiles, entry: ChunkEntry, seen: set[str]) -> Iterator[Record]:
    """Yield the records of a chunk that were not seen and are not deleted, and note all ids as seen."""
    for record in reversed(files.read_chunk(entry)):
        if record.id not in seen:
            seen.add(record.id)
            if not record.deleted:
                yield record
