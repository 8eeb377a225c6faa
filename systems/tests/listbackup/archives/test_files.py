"""Files of an archive: chunks and the manifest; what is damaged is reported."""

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tablewright_systems.listbackup.archives.files import (
    ArchiveCipher,
    ArchiveDamaged,
    ArchiveFiles,
    ChunkEntry,
    Manifest,
    new_key,
)
from tablewright_systems.listbackup.archives.object_store import Folder, Memory
from tablewright_systems.listbackup.platforms.protocol import Record

NOW = datetime(2026, 1, 1, 12, 0, 0, 123000, tzinfo=UTC)
RECORDS = [
    Record("1", NOW, {"name": "Ada\u2028\n\ud800", "tags": [1, 2.5, None]}),
    Record("2", None, {}),
    Record("3", NOW, {"name": "gone"}, deleted=True),
]


@pytest.fixture
def files(tmp_path: Path) -> ArchiveFiles:
    return ArchiveFiles(Folder(tmp_path), ArchiveCipher(new_key(), "a1"), "account", "a1")


def manifest(*chunks: ChunkEntry) -> Manifest:
    return Manifest(
        account_id="account", archive_id="a1", created_at=NOW, counts={"contacts": 3}, chunks=chunks
    )


def test_records_are_read_as_they_were_written(files: ArchiveFiles) -> None:
    entry = files.write_chunk("contacts", 0, RECORDS)
    assert files.read_chunk(entry) == RECORDS
    assert b"Ada" not in files.store.get(entry.name)
    assert (entry.records, entry.size) == (3, len(files.store.get(entry.name)))


def test_a_manifest_is_read_as_it_was_written(files: ArchiveFiles) -> None:
    written = manifest(files.write_chunk("contacts", 0, RECORDS))
    files.publish(written)
    assert files.read_manifest() == written


def test_publishing_deletes_what_interrupted_attempts_left(files: ArchiveFiles) -> None:
    kept, left = (files.write_chunk("contacts", 0, RECORDS) for _ in range(2))
    files.publish(manifest(kept))
    assert sorted(files.store.names(files.prefix)) == sorted([kept.name, f"{files.prefix}manifest"])
    with pytest.raises(ArchiveDamaged, match="chunk 0 of contacts is missing"):
        files.read_chunk(left)


def test_what_a_worker_wrote_when_it_was_killed_is_deleted(
    files: ArchiveFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = files.write_chunk("contacts", 0, RECORDS)
    with monkeypatch.context() as killed:
        killed.setattr(Path, "replace", _killed)
        killed.setattr(Path, "unlink", lambda *values, **more: None)
        with pytest.raises(SystemExit):
            files.write_chunk("contacts", 1, RECORDS)
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2
    files.publish(manifest(kept))
    assert len([path for path in tmp_path.rglob("*") if path.is_file()]) == 2, "the chunk and the manifest"
    files.delete()
    assert list(tmp_path.iterdir()) == []


def _killed(*values: object) -> None:
    raise SystemExit("killed")


def test_an_archive_without_a_manifest_is_not_readable(files: ArchiveFiles) -> None:
    files.write_chunk("contacts", 0, RECORDS)
    with pytest.raises(ArchiveDamaged, match="manifest is missing"):
        files.read_manifest()


def test_chunks_cannot_be_swapped(files: ArchiveFiles) -> None:
    one, two = files.write_chunk("contacts", 0, RECORDS), files.write_chunk("contacts", 1, RECORDS[:1])
    with pytest.raises(ArchiveDamaged, match="does not decrypt"):
        files.read_chunk(two.model_copy(update={"name": one.name, "sha256": one.sha256, "records": 3}))


def test_a_damaged_chunk_is_reported_by_its_checksum(files: ArchiveFiles) -> None:
    entry = files.write_chunk("contacts", 0, RECORDS)
    files.store.put(entry.name, files.store.get(entry.name)[:-1] + b"x")
    with pytest.raises(ArchiveDamaged, match="another checksum"):
        files.read_chunk(entry)


def test_a_manifest_cannot_leave_out_a_chunk(files: ArchiveFiles) -> None:
    files.publish(manifest(files.write_chunk("contacts", 0, RECORDS)))
    name = f"{files.prefix}manifest"
    document = json.loads(files.store.get(name))
    content = json.loads(document["manifest"])
    document["manifest"] = json.dumps({**content, "chunks": []})
    files.store.put(name, json.dumps(document).encode())
    with pytest.raises(ArchiveDamaged, match="not the signed one"):
        files.read_manifest()
    files.store.put(name, b"[1]")
    with pytest.raises(ArchiveDamaged, match="not readable"):
        files.read_manifest()


def test_names_of_accounts_and_data_types_stay_in_the_folder(tmp_path: Path) -> None:
    files = ArchiveFiles(Folder(tmp_path / "bucket"), ArchiveCipher(new_key(), ".."), "..", "..")
    files.write_chunk("../../x", 0, RECORDS)
    assert [path.name for path in tmp_path.iterdir()] == ["bucket"]


def test_each_changed_byte_of_a_manifest_is_reported() -> None:
    files = ArchiveFiles(Memory(), ArchiveCipher(new_key(), "a1"), "account", "a1")
    files.publish(manifest(files.write_chunk("contacts", 0, RECORDS)))
    name = f"{files.prefix}manifest"
    data = files.store.get(name)
    for place, byte in enumerate(data):
        for other in {byte ^ 1, byte ^ 32, ord("\n"), ord(" ")} - {byte}:
            files.store.put(name, data[:place] + bytes([other]) + data[place + 1 :])
            with pytest.raises(ArchiveDamaged):
                files.read_manifest()


KEY = new_key()


def test_a_chunk_is_encrypted_with_another_nonce_each_time() -> None:
    cipher = ArchiveCipher(KEY, "a1")
    one, other = cipher.encrypt(b"secret", "contacts", 0), cipher.encrypt(b"secret", "contacts", 0)
    assert one != other
    assert b"secret" not in one
    assert cipher.decrypt(one, "contacts", 0) == cipher.decrypt(other, "contacts", 0) == b"secret"


@pytest.mark.parametrize(
    ("archive", "data_type", "number"),
    [("a2", "contacts", 0), ("a1", "orders", 0), ("a1", "contacts", 1), ("a1", "0\ncontacts", 0)],
)
def test_a_chunk_of_another_place_is_rejected(archive: str, data_type: str, number: int) -> None:
    data = ArchiveCipher(KEY, "a1").encrypt(b"secret", "contacts", 0)
    with pytest.raises(ArchiveDamaged, match="does not decrypt"):
        ArchiveCipher(KEY, archive).decrypt(data, data_type, number)


def test_a_chunk_with_another_key_or_changed_bytes_is_rejected() -> None:
    data = ArchiveCipher(KEY, "a1").encrypt(b"secret", "contacts", 0)
    for cipher, read in [
        (ArchiveCipher(new_key(), "a1"), data),
        (ArchiveCipher(KEY, "a1"), data[:-1]),
        (ArchiveCipher(KEY, "a1"), data[:5]),
        (ArchiveCipher(KEY, "a1"), bytes([data[0] ^ 1]) + data[1:]),
    ]:
        with pytest.raises(ArchiveDamaged):
            cipher.decrypt(read, "contacts", 0)


def test_a_signature_belongs_to_one_manifest_archive_and_key() -> None:
    signature = ArchiveCipher(KEY, "a1").sign(b"manifest")
    assert ArchiveCipher(KEY, "a1").sign(b"manifest") == signature
    others = [
        ArchiveCipher(KEY, "a1").sign(b"manifesto"),
        ArchiveCipher(KEY, "a2").sign(b"manifest"),
        ArchiveCipher(new_key(), "a1").sign(b"manifest"),
    ]
    assert signature not in others
