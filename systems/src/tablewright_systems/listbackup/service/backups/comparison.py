"""Comparing two backups, and verifying one: its checksums, its counts, and the backups that it continues."""

from dataclasses import dataclass, field

from tablewright import Repository
from tablewright_systems.listbackup.archives.encryption import ArchiveDamaged
from tablewright_systems.listbackup.archives.object_store import ObjectStore
from tablewright_systems.listbackup.design.archives import Archive
from tablewright_systems.listbackup.service.backups.archives import open_files, with_bases
from tablewright_systems.listbackup.service.backups.reading import (
    BackupReader,
    fingerprints,
    reporting_damage,
)

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


def compare(db: Repository, store: ObjectStore, old: Archive, new: Archive) -> dict[str, Difference]:
    """Return, for each data type, what was added, changed and removed from one backup to another."""
    with reporting_damage(old):
        before = BackupReader(db, store, old)
    with reporting_damage(new):
        after = BackupReader(db, store, new)
    found = {}
    for data_type in sorted({*before.data_types, *after.data_types}):
        with reporting_damage(old):
            was = fingerprints(before, data_type)
        with reporting_damage(new):
            found[data_type] = _difference(was, fingerprints(after, data_type))
    return found


def verify(db: Repository, store: ObjectStore, archive: Archive) -> Verification:
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
    changed = sorted(each for each in before.keys() & after.keys() if before[each] != after[each])
    return Difference(
        *(len(added), len(changed), len(removed)),
        *(added[:MAX_IDS], changed[:MAX_IDS], removed[:MAX_IDS]),
    )
