"""Files of an archive: chunks of compressed JSON Lines, and the manifest that lists them.

Object names are `<account>/<archive>/<data type>/<number>-<token>` and `<account>/<archive>/manifest`. The token is new
for each attempt: a worker that lost its lease cannot overwrite the chunk of its successor.

Chunks are encrypted by AES-256-GCM with a key for each archive, which the account's key encrypts in the database. The
associated data of a chunk names its archive, its data type and its number, so that a chunk decrypts only in its place.
The manifest lists all chunks and is signed, so that none can be left out. Deleting the account's key makes all its
archives unreadable.
"""

import base64
import gzip
import hmac
import json
import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from pydantic import BaseModel, ConfigDict, ValidationError
from pydantic.alias_generators import to_camel

from tablewright_systems.listbackup.archives.object_store import ObjectMissing, ObjectStore, object_name
from tablewright_systems.listbackup.platforms.protocol import Record

_NONCE_SIZE = 12


class ArchiveDamaged(Exception):
    """A file of an archive is missing, or differs from what was written."""


def new_key() -> str:
    """Return a new key for an archive, as text."""
    return base64.b64encode(secrets.token_bytes(32)).decode()


class ArchiveCipher:
    """Encrypts and signs the files of one archive.

    >>> cipher = ArchiveCipher(new_key(), "archive-1")
    >>> cipher.decrypt(cipher.encrypt(b"data", "contacts", 0), "contacts", 0)
    b'data'
    """

    def __init__(self, key: str, archive_id: str) -> None:
        self._archive_id = archive_id
        self._chunks = AESGCM(self._derived(key, b"chunks"))
        self._manifest = self._derived(key, b"manifest")

    def encrypt(self, data: bytes, data_type: str, number: int) -> bytes:
        """Encrypt the chunk of a data type with a number."""
        nonce = secrets.token_bytes(_NONCE_SIZE)
        return nonce + self._chunks.encrypt(nonce, data, self._place(data_type, number))

    def decrypt(self, data: bytes, data_type: str, number: int) -> bytes:
        """Decrypt a chunk, or raise `ArchiveDamaged` if it is not the one that was written at this place."""
        nonce, encrypted = data[:_NONCE_SIZE], data[_NONCE_SIZE:]
        try:
            return self._chunks.decrypt(nonce, encrypted, self._place(data_type, number))
        except (InvalidTag, ValueError):
            raise ArchiveDamaged(f"chunk {number} of {data_type} does not decrypt") from None

    def sign(self, manifest: bytes) -> str:
        """Return the signature of a manifest."""
        return hmac.new(self._manifest, manifest, sha256).hexdigest()

    def _derived(self, key: str, purpose: bytes) -> bytes:
        info = b"listbackup archive " + purpose + b" " + self._archive_id.encode()
        return HKDF(SHA256(), 32, salt=None, info=info).derive(base64.b64decode(key))

    def _place(self, data_type: str, number: int) -> bytes:
        return f"{self._archive_id}\n{number}\n{data_type}".encode()


FORMAT = 1


class ChunkEntry(BaseModel):
    """One chunk in a manifest; size and checksum are those of the encrypted file."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    name: str
    data_type: str
    number: int
    records: int
    size: int
    sha256: str


class Manifest(BaseModel):
    """The content of an archive."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    format: int = FORMAT
    account_id: str
    archive_id: str
    source_id: str | None = None
    platform: str | None = None
    base_archive_id: str | None = None
    """The backup that this incremental one continues."""
    start: datetime | None = None
    """Only records changed at or after this time."""
    end: datetime | None = None
    created_at: datetime
    counts: dict[str, int]
    """Records of each data type, also of those without any."""
    chunks: tuple[ChunkEntry, ...]


@dataclass(frozen=True, slots=True)
class ArchiveFiles:
    """Reads and writes the files of one archive."""

    store: ObjectStore
    cipher: ArchiveCipher
    account_id: str
    archive_id: str

    @property
    def prefix(self) -> str:
        """The prefix of the names of all its objects."""
        return f"{object_name(self.account_id, self.archive_id)}/"

    def write_chunk(self, data_type: str, number: int, records: Sequence[Record]) -> ChunkEntry:
        """Store a chunk; it belongs to the archive when a manifest lists it."""
        lines = b"".join(_line(record) for record in records)
        data = self.cipher.encrypt(gzip.compress(lines, mtime=0), data_type, number)
        name = self.prefix + object_name(data_type, f"{number:06}-{secrets.token_hex(4)}")
        self.store.put(name, data)
        return ChunkEntry(
            name=name,
            data_type=data_type,
            number=number,
            records=len(records),
            size=len(data),
            sha256=sha256(data).hexdigest(),
        )

    def read_chunk(self, entry: ChunkEntry) -> list[Record]:
        """Return the records of a chunk, or raise `ArchiveDamaged`."""
        data = self.require_chunk(entry)
        lines = gzip.decompress(self.cipher.decrypt(data, entry.data_type, entry.number))
        records = [_record(line) for line in lines.splitlines()]
        if len(records) != entry.records:
            raise ArchiveDamaged(f"chunk {entry.number} of {entry.data_type} has {len(records)} records")
        return records

    def require_chunk(self, entry: ChunkEntry) -> bytes:
        """Return the file of a chunk, or raise `ArchiveDamaged` unless it is the one that was written."""
        try:
            data = self.store.get(entry.name)
        except ObjectMissing:
            raise ArchiveDamaged(f"chunk {entry.number} of {entry.data_type} is missing") from None
        if sha256(data).hexdigest() != entry.sha256:
            raise ArchiveDamaged(f"chunk {entry.number} of {entry.data_type} has another checksum")
        return data

    def publish(self, manifest: Manifest) -> int:
        """Store the manifest, then delete what interrupted attempts left; return the size of the manifest."""
        data = self._signed(manifest.model_dump_json(by_alias=True, exclude_none=True))
        self.store.put(self._manifest_name, data)
        self.delete(keep={entry.name for entry in manifest.chunks} | {self._manifest_name})
        return len(data)

    def read_manifest(self) -> Manifest:
        """Return the manifest, or raise `ArchiveDamaged`."""
        try:
            data = self.store.get(self._manifest_name)
            text: str = json.loads(data)["manifest"]
            if not hmac.compare_digest(data, self._signed(text)):
                raise ArchiveDamaged("the manifest is not the signed one")
            return Manifest.model_validate_json(text)
        except ObjectMissing:
            raise ArchiveDamaged("the manifest is missing") from None
        except (ValueError, LookupError, TypeError, AttributeError, ValidationError):
            raise ArchiveDamaged("the manifest is not readable") from None

    def _signed(self, manifest: str) -> bytes:
        """Return the file of a manifest: its text and the signature."""
        return json.dumps({"manifest": manifest, "signature": self.cipher.sign(manifest.encode())}).encode()

    def delete(self, keep: Iterable[str] = ()) -> None:
        """Delete the objects of the archive except some."""
        delete_objects(self.store, self.account_id, self.archive_id, keep)

    @property
    def _manifest_name(self) -> str:
        return f"{self.prefix}manifest"


def delete_objects(store: ObjectStore, account_id: str, archive_id: str, keep: Iterable[str] = ()) -> None:
    """Delete the objects of an archive except some; this needs no key."""
    kept = set(keep)
    for name in list(store.names(f"{object_name(account_id, archive_id)}/")):
        if name not in kept:
            store.delete(name)


def canonical(data: Any) -> str:
    """Return JSON that is equal for equal values."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"))


def _line(record: Record) -> bytes:
    changed_at = record.changed_at.isoformat() if record.changed_at else None
    document: dict[str, Any] = {"id": record.id, "changedAt": changed_at, "data": dict(record.data)}
    if record.deleted:
        document["deleted"] = True
    return json.dumps(document, separators=(",", ":")).encode() + b"\n"


def _record(line: bytes) -> Record:
    try:
        document = json.loads(line)
        changed_at = document["changedAt"] and datetime.fromisoformat(document["changedAt"]).astimezone(UTC)
        return Record(document["id"], changed_at, document["data"], document.get("deleted", False))
    except (ValueError, LookupError, TypeError):
        raise ArchiveDamaged("a record is not readable") from None
