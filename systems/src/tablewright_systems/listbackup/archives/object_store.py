"""Object stores: where the files of archives are stored. `Folder` stands for a bucket, `S3` is one.

`store_for` returns the store of a database, which the variable LISTBACKUP_ARCHIVES names: a folder or s3://bucket/prefix.
Without it, the archives of a data file are in a folder beside it, and those of a database in memory are in memory.

The names of objects are built by `object_name` from parts that users may have chosen: every character that could leave
the folder is encoded.
"""

import os
import re
import secrets
from collections.abc import Hashable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote, urlsplit
from weakref import WeakKeyDictionary

from tablewright import Connection

_NAME = re.compile(r"[A-Za-z0-9_%-][A-Za-z0-9_.%-]*(/[A-Za-z0-9_%-][A-Za-z0-9_.%-]*)*")
_MAX_PART = 200

VARIABLE = "LISTBACKUP_ARCHIVES"


class ObjectMissing(LookupError):
    """The store has no object with this name."""


class ObjectStore(Protocol):
    """Objects by name. `put` is atomic and durable: afterwards readers see the whole object, or the one before."""

    def put(self, name: str, data: bytes) -> None:
        """Store an object, or replace it."""
        ...

    def get(self, name: str) -> bytes:
        """Return an object, or raise `ObjectMissing`."""
        ...

    def names(self, prefix: str) -> Iterator[str]:
        """Return the names of the objects below a prefix, which ends in a slash."""
        ...

    def delete(self, name: str) -> None:
        """Delete an object; it may be missing."""
        ...


def object_name(*parts: str) -> str:
    """Return the name of an object; each part becomes one component, whatever it contains.

    >>> object_name("a1", "../etc/passwd")
    'a1/%2E%2E%2Fetc%2Fpasswd'
    """
    encoded = [quote(part, safe="").replace(".", "%2E").replace("~", "%7E") for part in parts]
    for part, text in zip(parts, encoded, strict=True):
        if not 0 < len(text) <= _MAX_PART:
            raise ValueError(f"{part[:50]!r} must have 1 to {_MAX_PART} characters in the name of an object")
    return "/".join(encoded)


def _checked(name: str) -> str:
    if not _NAME.fullmatch(name):
        raise ValueError(f"{name!r} is not the name of an object; build names with object_name")
    return name


class Folder:
    """Objects as files in a folder; written to a temporary file, flushed to disk, then renamed.

    A temporary file that a killed process left is listed as an object, so that it is deleted with the others.

    >>> import tempfile
    >>> store = Folder(tempfile.mkdtemp())
    >>> store.put("a/b", b"data")
    >>> store.get("a/b"), list(store.names("a/"))
    (b'data', ['a/b'])
    """

    def __init__(self, root: str | Path) -> None:
        self._root = Path(root).absolute()

    def put(self, name: str, data: bytes) -> None:
        """Store an object, or replace it."""
        path = self._path(name)
        self._make_folder(path.parent)
        temporary = path.with_name(f"%temporary-{secrets.token_hex(8)}")  # no part of a name begins so
        try:
            with open(os.open(temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600), "wb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
        _flush_folder(path.parent)

    def get(self, name: str) -> bytes:
        """Return an object, or raise `ObjectMissing`."""
        try:
            return self._path(name).read_bytes()
        except (FileNotFoundError, IsADirectoryError, NotADirectoryError):
            raise ObjectMissing(name) from None

    def names(self, prefix: str) -> Iterator[str]:
        """Return the names of the objects below a prefix, which ends in a slash."""
        folder = self._path(prefix.rstrip("/"))
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                yield path.relative_to(self._root).as_posix()

    def delete(self, name: str) -> None:
        """Delete an object, and its folder when it is the last one there."""
        path = self._path(name)
        path.unlink(missing_ok=True)
        for folder in path.parents:
            if folder == self._root or not _remove_if_empty(folder):
                return

    def _path(self, name: str) -> Path:
        path = self._root / _checked(name)
        if not path.resolve().is_relative_to(self._root.resolve()):
            raise ValueError(f"{name!r} leads out of the folder {self._root}: it contains a symbolic link")
        return path

    def _make_folder(self, folder: Path) -> None:
        missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
        for parent in reversed(missing):
            parent.mkdir(mode=0o700, exist_ok=True)
            _flush_folder(parent.parent)


class Memory:
    """Objects in this process, for a database in memory."""

    def __init__(self) -> None:
        self._objects: dict[str, bytes] = {}

    def put(self, name: str, data: bytes) -> None:
        """Store an object, or replace it."""
        self._objects[_checked(name)] = data

    def get(self, name: str) -> bytes:
        """Return an object, or raise `ObjectMissing`."""
        try:
            return self._objects[_checked(name)]
        except KeyError:
            raise ObjectMissing(name) from None

    def names(self, prefix: str) -> Iterator[str]:
        """Return the names of the objects below a prefix, which ends in a slash."""
        below = f"{_checked(prefix.rstrip('/'))}/"
        yield from sorted(name for name in list(self._objects) if name.startswith(below))

    def delete(self, name: str) -> None:
        """Delete an object; it may be missing."""
        self._objects.pop(_checked(name), None)


class S3:
    """Objects in a bucket, below a prefix; `client` is a boto3 client for S3."""

    def __init__(self, bucket: str, prefix: str = "", client: Any = None) -> None:
        self._bucket = bucket
        self._prefix = f"{prefix.strip('/')}/" if prefix.strip("/") else ""
        self._client = client if client is not None else _new_client()

    def put(self, name: str, data: bytes) -> None:
        """Store an object, or replace it; S3 compares the checksum."""
        key = self._prefix + _checked(name)
        self._client.put_object(Bucket=self._bucket, Key=key, Body=data, ChecksumAlgorithm="SHA256")

    def get(self, name: str) -> bytes:
        """Return an object, or raise `ObjectMissing`."""
        try:
            reply = self._client.get_object(Bucket=self._bucket, Key=self._prefix + _checked(name))
        except self._client.exceptions.NoSuchKey:
            raise ObjectMissing(name) from None
        data: bytes = reply["Body"].read()
        return data

    def names(self, prefix: str) -> Iterator[str]:
        """Return the names of the objects below a prefix, which ends in a slash."""
        below = f"{self._prefix}{_checked(prefix.rstrip('/'))}/"
        pages = self._client.get_paginator("list_objects_v2").paginate(Bucket=self._bucket, Prefix=below)
        for page in pages:
            for entry in page.get("Contents", []):
                yield entry["Key"].removeprefix(self._prefix)

    def delete(self, name: str) -> None:
        """Delete an object; it may be missing."""
        self._client.delete_object(Bucket=self._bucket, Key=self._prefix + _checked(name))


_IN_MEMORY: WeakKeyDictionary[Any, Memory] = WeakKeyDictionary()


@cache
def open_store(location: str | Path) -> ObjectStore:
    """Open a store: `s3://bucket/prefix`, or the path of a folder."""
    text = str(location)
    if not text.startswith("s3://"):
        return Folder(location)
    address = urlsplit(text)
    if not address.netloc:
        raise ValueError(f"{text!r} names no bucket; write s3://bucket/prefix")
    return S3(address.netloc, address.path)


def store_for(connection: Connection) -> ObjectStore:
    """Return the store for the archives of a database; raise ValueError if it is not configured."""
    if location := os.environ.get(VARIABLE):
        return open_store(location)
    if not isinstance(connection, Hashable) or not hasattr(connection, "path"):
        raise ValueError(f"set {VARIABLE} to a folder or to s3://bucket/prefix: where archives are stored")
    path: str | Path | None = getattr(connection, "path")  # noqa: B009 - only embedded connections have one
    if path is not None:
        return Folder(f"{path}.archives")
    return _IN_MEMORY.setdefault(connection, Memory())


def _new_client() -> Any:
    import boto3  # only production needs it

    return boto3.client("s3")


def _flush_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def _remove_if_empty(folder: Path) -> bool:
    try:
        folder.rmdir()
    except OSError:
        return False
    return True
