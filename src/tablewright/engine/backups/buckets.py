"""Buckets: folders in one directory, which stand for those of S3. Exports are written to them, imports read from them.

A bucket has to be there before it is used, as on AWS: to make one is to make a folder. Keys are paths in it. No key
leads out of its bucket, and no bucket out of the directory.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path

from tablewright.engine.requests.shapes import Text
from tablewright.errors import ValidationError

_PARTIAL = ".partial"


class BucketName(Text):
    """The name of a bucket. AWS's pattern takes forever on some long texts: another one, of the same names, decides."""

    _NAME = re.compile(r"[a-zA-Z0-9][a-zA-Z0-9_.-]*[a-zA-Z0-9]").fullmatch

    def __post_init__(self) -> None:
        object.__setattr__(self, "_matches", self._NAME)


BUCKET_NAME = BucketName(longest=255, pattern=r"^[a-z0-9A-Z]+[\.\-\w]*[a-z0-9A-Z]+$", required=True)


class NoSuchBucket(Exception):
    """The folder is not there."""


class Denied(Exception):
    """The bucket is somebody else's, or what was asked for lies outside of it."""


class Buckets:
    """The directory with all buckets; None when there is no place for it."""

    def __init__(self, root: Path | None) -> None:
        self.root = root

    @classmethod
    def beside(cls, data: Path | None, root: str | os.PathLike[str] | None) -> "Buckets":
        """The directory asked for, or one beside the data file: `app.db` has `app.db.buckets`."""
        if root is not None:
            return cls(Path(root).expanduser().resolve())
        return cls(data.with_name(data.name + ".buckets") if data else None)

    def require(self) -> None:
        """Refuse what needs a bucket where there can be none."""
        if self.root is None:
            raise ValidationError(
                "a database in memory has no buckets: give it a directory for them, with "
                "embedded(buckets=PATH) or tablewright serve --buckets DIR"
            )

    def bucket(self, name: str) -> "Bucket":
        """The bucket of that name, or NoSuchBucket."""
        self.require()
        assert self.root is not None
        folder = self.root / name
        # The shape of a request lets no separator through; this is for what resolves elsewhere.
        if folder.resolve().parent != self.root or not folder.is_dir():
            raise NoSuchBucket(str(folder))
        return Bucket(folder)


class Bucket:
    """One folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def path(self, key: str) -> Path:
        """The file of a key, or Denied where it would lead out of the bucket."""
        parts = [part for part in key.split("/") if part]
        if not parts or any(part in (".", "..") or "\0" in part for part in parts):
            raise Denied(key)
        path = self._folder.joinpath(*parts)
        if not self._holds(path):
            raise Denied(key)
        return path

    def _holds(self, path: Path) -> bool:
        """Whether a path stays in the bucket, wherever links may lead."""
        return path.resolve().is_relative_to(self._folder.resolve())

    def write(self, key: str, content: bytes) -> None:
        """Write a whole object; it is there at once, or not at all."""
        path = self.path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        partial = self.partial(path)
        partial.write_bytes(content)
        partial.replace(path)

    @staticmethod
    def partial(path: Path) -> Path:
        """Where an object is written until it is whole."""
        return path.with_name(path.name + _PARTIAL)

    def objects(self, prefix: str) -> Iterator[Path]:
        """The files whose keys begin with a prefix, in the order of their keys."""
        found = {}
        for folder, _, names in os.walk(self._folder):
            for name in names:
                path = Path(folder, name)
                key = path.relative_to(self._folder).as_posix()
                if key.startswith(prefix) and not name.endswith(_PARTIAL) and self._holds(path):
                    found[key] = path
        return (found[key] for key in sorted(found))
