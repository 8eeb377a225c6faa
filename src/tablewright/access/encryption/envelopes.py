"""Envelopes: the bytes of an encrypted value.

    version (1) | id of the data key (16) | salt (32) | AES-256-GCM ciphertext, with its tag (16)

Key and nonce of each message are derived from the data key and the random salt, with HKDF-SHA-256: so one data key may
encrypt any number of values, where a random 96-bit nonce alone would be safe for 2^32 only. The header and the binding
(table, entity, key and field of the value) are authenticated with the content: a changed or moved envelope cannot be
decrypted.
"""

import secrets
from dataclasses import field

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

from tablewright.deferred_dataclasses import dataclass

VERSION = b"\x01"
ID_BYTES = 16
_SALT_BYTES = 32
_KEY_BYTES = 32
_NONCE_BYTES = 12
_HEADER_BYTES = 1 + ID_BYTES + _SALT_BYTES


@dataclass(frozen=True, slots=True)
class DataKey:
    """A key that encrypts values."""

    id: bytes
    secret: bytes = field(repr=False)


class NotAnEnvelope(ValueError):
    """Bytes that are not an envelope of a known version."""


class WrongKeyOrBinding(ValueError):
    """An envelope that was changed, or encrypted with another key or for another binding."""


def encrypt(key: DataKey, binding: bytes, content: bytes) -> bytes:
    """Encrypt content; only this key and this binding decrypt it."""
    header = VERSION + key.id + secrets.token_bytes(_SALT_BYTES)
    cipher, nonce = _cipher(key, header)
    return header + cipher.encrypt(nonce, content, header + binding)


def decrypt(key: DataKey, binding: bytes, envelope: bytes) -> bytes:
    """Decrypt the content of an envelope.

    >>> key = DataKey(bytes(16), bytes(32))
    >>> decrypt(key, b"here", encrypt(key, b"here", b"content"))
    b'content'
    """
    header = envelope[:_HEADER_BYTES]
    cipher, nonce = _cipher(key, header)
    try:
        return cipher.decrypt(nonce, envelope[_HEADER_BYTES:], header + binding)
    except InvalidTag:
        raise WrongKeyOrBinding from None


def key_id(envelope: object) -> bytes:
    """Return the id of the data key that encrypted an envelope."""
    if not isinstance(envelope, bytes) or len(envelope) <= _HEADER_BYTES or not envelope.startswith(VERSION):
        raise NotAnEnvelope
    return envelope[1 : 1 + ID_BYTES]


def _cipher(key: DataKey, header: bytes) -> tuple[AESGCM, bytes]:
    salt = header[1 + ID_BYTES :]
    derived = HKDF(SHA256(), _KEY_BYTES + _NONCE_BYTES, salt, b"tablewright envelope 1").derive(key.secret)
    return AESGCM(derived[:_KEY_BYTES]), derived[_KEY_BYTES:]
