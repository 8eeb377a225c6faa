"""Reading a backup: the state of all records at its time, from it and the backups that it continues.

Chunks are read newest first, and of each record only the first appearance counts. The ids of the records that were
returned are kept in memory, the records are not.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256

from tablewright import Repository
from tablewright_systems.listbackup.archives.encryption import ArchiveDamaged
from tablewright_systems.listbackup.archives.files import ArchiveFiles, ChunkEntry, canonical
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import Archive
from tablewright_systems.listbackup.platforms.protocol import ALL_RECORDS, Record, RecordPage, Selection
from tablewright_systems.listbackup.service.backups.archives import open_files, with_bases
from tablewright_systems.service import Conflict


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
