"""Keyrings: the master keys, which wrap data keys. Data keys encrypt the data.

A master key never encrypts data, so its rotation only wraps some data keys again. The newest master key wraps; older
ones are kept to unwrap. The purpose of a data key is part of its wrapping: it does not unwrap for another tenant.

- `KeyFile`: a file on this machine.
- `KmsKey`: AWS KMS; the master key never leaves it.
- `MemoryKeys`: for tests and databases in memory; lost when the process ends.
"""

import json
import os
import secrets
import stat
from base64 import b64decode, b64encode
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Protocol, Self

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from tablewright.errors import KeyringError

KEY_BYTES = 32
_NONCE_BYTES = 12
_FORMAT = 1


class Keyring(Protocol):
    """Master keys, in a file, in KMS or in memory."""

    @property
    def newest(self) -> str:
        """The name of the master key that wraps."""

    def wrap(self, key: bytes, purpose: str) -> bytes:
        """Wrap a data key with the newest master key for one purpose."""

    def unwrap(self, master: str, wrapped: bytes, purpose: str) -> bytes:
        """Unwrap a data key; raise `KeyringError` when it was wrapped for another purpose."""


class MemoryKeys:
    """Master keys in this process; a new one unless some are given.

    >>> keys = MemoryKeys()
    >>> keys.unwrap(keys.newest, keys.wrap(b"data key", "a tenant"), "a tenant")
    b'data key'
    """

    def __init__(self, keys: Mapping[str, bytes] | None = None) -> None:
        self._keys = dict(keys) if keys else dict([_new_key()])

    def __repr__(self) -> str:
        return f"<{type(self).__name__} of {len(self._keys)}, newest {self.newest}>"

    @property
    def newest(self) -> str:
        """The name of the master key that wraps: the last one added."""
        return next(reversed(self._keys))

    def rotate(self) -> str:
        """Add a master key, which wraps from now on; return its name. Then call `db.keys.rewrap()`."""
        name, key = _new_key()
        self._keys[name] = key
        return name

    def wrap(self, key: bytes, purpose: str) -> bytes:
        """Wrap a data key with the newest master key for one purpose."""
        nonce = secrets.token_bytes(_NONCE_BYTES)
        return nonce + AESGCM(self._keys[self.newest]).encrypt(nonce, key, purpose.encode())

    def unwrap(self, master: str, wrapped: bytes, purpose: str) -> bytes:
        """Unwrap a data key; raise `KeyringError` when it was wrapped for another purpose."""
        if master not in self._keys:
            raise KeyringError(
                f"the master key {master} is not in this keyring, which has: {', '.join(self._keys)}"
            )
        nonce, ciphertext = wrapped[:_NONCE_BYTES], wrapped[_NONCE_BYTES:]
        try:
            return AESGCM(self._keys[master]).decrypt(nonce, ciphertext, purpose.encode())
        except (InvalidTag, ValueError):  # ValueError: it is shorter than a nonce
            raise KeyringError(
                f"a data key for {purpose} was changed, or was wrapped for another purpose"
            ) from None


class KeyFile(MemoryKeys):
    """Master keys in a file that only its owner may read. `KeyFile.create(path)` creates one.

    A missing file is an error and is not created: data encrypted with a new key by mistake would be lost.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = Path(path)
        super().__init__(_read(self.path))

    @classmethod
    def create(cls, path: str | os.PathLike[str]) -> Self:
        """Create the file, with one key; an existing file is never overwritten."""
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except FileExistsError:
            raise KeyringError(f"{path} exists already; open it with KeyFile({str(path)!r})") from None
        except FileNotFoundError:
            directory = os.path.dirname(path)
            raise KeyringError(f"{directory} does not exist; create it first: mkdir -p {directory}") from None
        except OSError as error:
            raise KeyringError(f"{path} cannot be created: {error.strerror}") from None
        _write(descriptor, dict([_new_key()]))
        return cls(path)

    def rotate(self) -> str:
        """Add a master key to the file; other processes use it when they open the file again."""
        self._keys = _read(self.path)
        name = super().rotate()
        fresh = self.path.with_name(f"{self.path.name}.{name}")
        _write(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), self._keys)
        os.replace(fresh, self.path)
        return name


class KmsKey:
    """A key of AWS KMS, by its ARN; `older` are ARNs of former keys that may still unwrap.

    KMS rotates the key material of an ARN by itself; that needs no change here. `call` makes the calls to KMS; the
    default uses boto3.
    """

    def __init__(
        self, arn: str, *older: str, call: Callable[[str, dict[str, Any]], dict[str, Any]] | None = None
    ) -> None:
        self.newest = arn
        self._arns = (arn, *older)
        self._kms = call

    def __repr__(self) -> str:
        return f"KmsKey({', '.join(map(repr, self._arns))})"

    def wrap(self, key: bytes, purpose: str) -> bytes:
        """Wrap a data key with KMS for one purpose."""
        request = {"KeyId": self.newest, "Plaintext": key, "EncryptionContext": {"purpose": purpose}}
        return bytes(self._call("Encrypt", request)["CiphertextBlob"])

    def unwrap(self, master: str, wrapped: bytes, purpose: str) -> bytes:
        """Unwrap a data key; KMS rejects a key that was wrapped for another purpose."""
        if (
            master not in self._arns
        ):  # otherwise a client that can write to the key table could choose the master key
            raise KeyringError(f"the master key {master} is not one of: {', '.join(self._arns)}")
        request = {"KeyId": master, "CiphertextBlob": wrapped, "EncryptionContext": {"purpose": purpose}}
        return bytes(self._call("Decrypt", request)["Plaintext"])

    def _call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if self._kms is None:
            from tablewright.connections.kms import KmsConnection

            self._kms = KmsConnection(self.newest).call
        return self._kms(operation, request)


def _new_key() -> tuple[str, bytes]:
    return f"key-{secrets.token_hex(8)}", secrets.token_bytes(KEY_BYTES)


def _read(path: Path) -> dict[str, bytes]:
    try:
        with path.open("rb") as file:
            mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
            content = file.read()
    except FileNotFoundError:
        raise KeyringError(
            f"the key file {path} does not exist; create it with KeyFile.create({str(path)!r})"
        ) from None
    if os.name == "posix" and mode & 0o077:
        raise KeyringError(f"{path} can be read by other users; run: chmod 600 {path}")
    try:
        document = json.loads(content)
        keys = {entry["name"]: b64decode(entry["key"], validate=True) for entry in document["keys"]}
        fits = document["format"] == _FORMAT and keys and all(len(key) == KEY_BYTES for key in keys.values())
    except (ValueError, KeyError, TypeError):
        fits, keys = False, {}
    if not fits:
        raise KeyringError(f"{path} is not a key file, or has a newer format")
    return keys


def _write(descriptor: int, keys: Mapping[str, bytes]) -> None:
    entries = [{"name": name, "key": b64encode(key).decode()} for name, key in keys.items()]
    with os.fdopen(descriptor, "w") as file:
        json.dump({"format": _FORMAT, "keys": entries}, file, indent=1)
        file.flush()
        os.fsync(file.fileno())
