"""Buckets: folders in one directory, in place of the buckets of S3.

Exports write to them; imports and bulk operations read from them.

A bucket must exist before it is used, as on AWS: to create a bucket, create a folder. Keys are paths in the folder. No
key leads out of its bucket, and no bucket out of the directory.
"""

import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from tablewright.engine.core.requests.shapes import Text
from tablewright.errors import ValidationError

_PARTIAL = ".partial"


class BucketName(Text):
    """The name of a bucket. AWS's pattern takes exponential time on some texts, so an equivalent pattern is matched."""

    _NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*[a-zA-Z0-9]").fullmatch

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", self._NAME)


BUCKET_NAME = BucketName(longest=255, pattern=r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$", required=True)


OWNER = Text(pattern="[0-9]{12}")
PREFIX = Text(shortest=1, longest=1024)
TOKEN = Text(pattern=r"^[^\$]+$")
"""The client token of an export, an import or a bulk operation."""


class NoSuchBucket(Exception):
    """The folder of the bucket does not exist."""

    @property
    def problem(self) -> str:
        """The message for clients, without the place of the files on the server."""
        folder = Path(str(self)).name
        return f"The specified bucket does not exist; create the folder {folder} in the directory of buckets"


class Denied(Exception):
    """The bucket belongs to another account, or the key leads out of it."""


class Buckets:
    """The directory of all buckets; `root` is None for a database in memory without one."""

    def __init__(self, root: Path | None) -> None:
        self.root = root

    @classmethod
    def beside(cls, data: Path | None, root: str | os.PathLike[str] | None) -> "Buckets":
        """The given directory, or one beside the data file: `app.db` has `app.db.buckets`."""
        if root is not None:
            return cls(Path(root).expanduser().resolve())
        return cls(data.with_name(data.name + ".buckets") if data else None)

    def require(self) -> None:
        """Reject an operation that needs a bucket if there is no directory for buckets."""
        if self.root is None:
            raise ValidationError(
                "a database in memory has no buckets: give it a directory for them, with "
                "embedded(buckets=PATH) or tablewright serve --buckets DIR"
            )

    def bucket(self, name: str) -> "Bucket":
        """The bucket of that name; raises NoSuchBucket."""
        self.require()
        assert self.root is not None
        folder = self.root / name
        # Requests cannot contain a separator here; this is for links that resolve elsewhere.
        if folder.resolve().parent != self.root or not folder.is_dir():
            raise NoSuchBucket(str(folder))
        return Bucket(folder)


class Bucket:
    """One bucket, which is a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, key: str) -> Path:
        """The file of a key; raises Denied if the key leads out of the bucket."""
        parts = [part for part in key.split("/") if part]
        if not parts or any(part in (".", "..") or "\0" in part for part in parts):
            raise Denied(key)
        path = self._folder.joinpath(*parts)
        if not self._contains(path):
            raise Denied(key)
        return path

    def _contains(self, path: Path) -> bool:
        """Whether a path is in the bucket after all links are resolved."""
        return path.resolve().is_relative_to(self._folder.resolve())

    def key(self, path: Path) -> str:
        """The key of a file of the bucket."""
        return path.relative_to(self._folder).as_posix()

    def write(self, key: str, content: bytes) -> None:
        """Write an object atomically."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.partial(path)
        with open_private(partial) as file:
            file.write(content)
        partial.replace(path)

    @staticmethod
    def partial(path: Path) -> Path:
        """The file that an object is written to until it is complete."""
        return path.with_name(path.name + _PARTIAL)

    def objects(self, prefix: str) -> Iterator[Path]:
        """The files whose keys start with a prefix, in the order of their keys."""
        paths = {}
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = Path(folder, name)
                key = self.key(path)
                if key.startswith(prefix) and not name.endswith(_PARTIAL) and self._contains(path):
                    paths[key] = path
        return (paths[key] for key in sorted(paths))


def open_private(path: Path) -> BinaryIO:
    """Open a new file for writing that only its owner may read, as the data file."""
    return os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb")


def manifest_time(seconds: float) -> str:
    """A time in the format of manifests.

    >>> manifest_time(1_700_000_000.25)
    '2023-11-14T22:13:20.250Z'
    """
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
