"""Export manifests: the files of an export in its bucket, in the layout of AWS.

    prefix/AWSDynamoDB/ID/_started                an empty file: the bucket is writable
    prefix/AWSDynamoDB/ID/data/NAME.json.gz       the items, one on each line; NAME.ion.gz for Ion
    prefix/AWSDynamoDB/ID/manifest-files.json     one line for each data file: its key, item count and checksum
    prefix/AWSDynamoDB/ID/manifest-summary.json   what was exported, and when
    prefix/AWSDynamoDB/ID/manifest-*.md5          their checksums

Data files of incremental exports are in prefix/AWSDynamoDB/data. Checksums are MD5 in base64.
https://docs.aws.amazon.com/amazondynamodb/latest/developerguide/S3DataExport.Output.html
"""

import gzip
import hashlib
import secrets
from base64 import b32encode, b64encode
from collections.abc import Iterable
from pathlib import Path
from typing import IO, Any

from tablewright.dynamodb.values.stored_items import encode
from tablewright.engine.core.buckets.buckets import Bucket, open_private

FILE_SIZE = 64 * 1024 * 1024
"""Uncompressed bytes after which a new data file is started."""

# Nearly as small as the slowest level, at a third of the time.
_LEVEL = 6
_ENDINGS = {"DYNAMODB_JSON": "json.gz", "ION": "ion.gz"}


def digest(content: bytes) -> str:
    """The checksum of a manifest."""
    return b64encode(hashlib.md5(content, usedforsecurity=False).digest()).decode()


class _ChecksumFile:
    """A file that computes the checksum of what is written to it."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self.checksum = hashlib.md5(usedforsecurity=False)

    def write(self, content: bytes) -> int:
        self.checksum.update(content)
        return self._file.write(content)

    def flush(self) -> None:
        self._file.flush()


class DataFile:
    """One data file while it is written; it appears in the bucket when it is closed."""

    def __init__(self, bucket: Bucket, key: str) -> None:
        self.key = key
        self.items = 0
        self.size = 0
        self._path = bucket.path(key)
        self._path.parent.mkdir(parents=True, exist_ok=True)
        self._partial = Bucket.partial(self._path)
        self._file = open_private(self._partial)
        self._checksum_file = _ChecksumFile(self._file)
        self._zipped = gzip.GzipFile("", "wb", _LEVEL, self._checksum_file, mtime=0)

    def write(self, line: bytes) -> None:
        """Write one item."""
        self._zipped.write(line)
        self.items += 1
        self.size += len(line)

    def close(self) -> dict[str, Any]:
        """Close the file; returns its entry of the manifest."""
        self._zipped.close()
        self._file.close()
        self._partial.replace(self._path)
        checksum = self._checksum_file.checksum
        return {
            "itemCount": self.items,
            "md5Checksum": b64encode(checksum.digest()).decode(),
            "etag": f"{checksum.hexdigest()}-1",
            "dataFileS3Key": self.key,
        }


class ExportLayout:
    """The files of one export. An interrupted export starts again: files that it left are deleted."""

    def __init__(
        self, bucket: Bucket, prefix: str | None, export: str, file_format: str, *, is_full: bool
    ) -> None:
        self._bucket = bucket
        start = f"{prefix.rstrip('/')}/" if prefix else ""
        self._folder = f"{start}AWSDynamoDB/{export}"
        self._data = f"{self._folder}/data" if is_full else f"{start}AWSDynamoDB/data"
        self._ending = _ENDINGS[file_format]
        self._files: list[dict[str, Any]] = []
        self._open: DataFile | None = None
        self._is_full = is_full

    @property
    def manifest(self) -> str:
        """The key of the summary, which DescribeExport names."""
        return f"{self._folder}/manifest-summary.json"

    @property
    def files_manifest(self) -> str:
        """The key of the list of data files."""
        return f"{self._folder}/manifest-files.json"

    def begin(self) -> None:
        """Write the empty file that shows that the bucket is writable."""
        if self._is_full:
            self._clear(self._bucket.path(f"{self._data}/any").parent)
        self._bucket.write(f"{self._folder}/_started", b"")

    def _clear(self, folder: Path) -> None:
        for left in folder.glob("*") if folder.is_dir() else ():
            left.unlink()

    def write(self, lines: Iterable[bytes]) -> None:
        """Write items."""
        for line in lines:
            if self._open is None:
                self._open = DataFile(self._bucket, f"{self._data}/{_file_name()}.{self._ending}")
            self._open.write(line)
            if self._open.size >= FILE_SIZE:
                self._close_file()

    def finish(self, summary: dict[str, Any]) -> int:
        """Write the manifests; returns the number of items. Even an empty export has a data file."""
        if self._open is None and not self._files:
            self._open = DataFile(self._bucket, f"{self._data}/{_file_name()}.{self._ending}")
        self._close_file()
        items: int = sum(file["itemCount"] for file in self._files)
        files = b"".join(encode(file) + b"\n" for file in self._files)
        self._write_manifest(self.files_manifest, files)
        self._write_manifest(self.manifest, encode(summary | {"itemCount": items}))
        return items

    def _close_file(self) -> None:
        if self._open is not None:
            self._files.append(self._open.close())
            self._open = None

    def _write_manifest(self, key: str, content: bytes) -> None:
        self._bucket.write(key, content)
        self._bucket.write(key.removesuffix("json") + "md5", digest(content).encode())


def _file_name() -> str:
    return b32encode(secrets.token_bytes(16)).decode().strip("=").lower()
