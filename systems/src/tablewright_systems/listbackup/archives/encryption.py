"""Encryption of archives: AES-256-GCM with a key for each archive, which the account's key encrypts in the database.

The associated data of a chunk names its archive, its data type and its number, so that a chunk decrypts only in its
place. The manifest lists all chunks and is signed, so that none can be left out. Deleting the account's key makes all
its archives unreadable.
"""

import base64
import hmac
import secrets
from hashlib import sha256

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

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
