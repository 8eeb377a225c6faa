"""Import files: the objects that an import reads, item after item, and the formats they may have.

An item that does not parse ends its object, as on AWS: what follows it is not read. Blank lines are skipped.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from tablewright.dynamodb.values.attributes import AttributeValue
from tablewright.dynamodb.values.stored_items import NotJson, decode
from tablewright.engine.core.buckets.ion_limits import IonError
from tablewright.engine.core.buckets.ion_reader import read_values
from tablewright.errors import ValidationError

# More than any item takes on a line: binary is base64, and text may be escaped.
LONGEST_LINE = 8 * 1024 * 1024


class Malformed(Exception):
    """The object does not parse, or has no item where one is expected."""


class ObjectSource:
    """One object; `size` is the number of bytes read from it, uncompressed."""

    def __init__(self, path: Path, compression: str) -> None:
        self._path = path
        self._compression = compression
        self._file: IO[bytes]
        self.size = 0

    @contextmanager
    def open(self) -> Iterator[None]:
        """Open the object, to read from it."""
        try:
            with open_object(self._path, self._compression) as self._file:
                yield
        except (OSError, EOFError, zlib.error, RuntimeError) as error:
            raise Malformed(f"it is not {self._compression}: {error}") from None

    def lines(self) -> Iterator[bytes]:
        """The lines, as they are read."""
        with self.open():
            while line := self._file.readline(LONGEST_LINE):
                self.size += len(line)
                yield line

    def read(self, size: int) -> bytes:
        """The next bytes, at most `size`; none at the end."""
        data = self._file.read(size)
        self.size += len(data)
        return data


Reader = Callable[[ObjectSource], Iterator[dict[str, Any]]]


def open_object(path: Path, compression: str) -> IO[bytes]:
    """Open an object, uncompressed."""
    if compression == "GZIP":
        return cast(IO[bytes], gzip.open(path))
    if compression == "ZSTD":
        return zstd_opener()(path)
    return path.open("rb")


def zstd_opener() -> Callable[[Path], IO[bytes]]:
    """The function that opens a file compressed with Zstandard: of Python 3.14, or of the package zstandard."""
    for module in ("compression.zstd", "zstandard"):
        try:
            return import_module(module).open  # type: ignore[no-any-return]
        except ImportError:
            continue
    raise ValidationError("ZSTD needs Python 3.14, or the package zstandard: pip install zstandard")


def json_items(source: ObjectSource) -> Iterator[dict[str, Any]]:
    """Items in DynamoDB JSON, one on each line."""
    return (record["Item"] for record in json_records(source))


def json_records(source: ObjectSource) -> Iterator[dict[str, Any]]:
    """Records in DynamoDB JSON, one on each line; each has an Item."""
    for line in source.lines():
        if line.strip():
            try:
                yield _with_item(decode(line))
            except NotJson as error:
                raise Malformed(str(error)) from None


def ion_items(source: ObjectSource) -> Iterator[dict[str, Any]]:
    """Items in Ion, text or binary."""
    return (record["Item"] for record in ion_records(source))


def ion_records(source: ObjectSource) -> Iterator[dict[str, Any]]:
    """Records in Ion, text or binary, in the form that they have in DynamoDB JSON; each has an Item."""
    with source.open():
        try:
            for value in read_values(source):
                members = value.get("M") or {}
                yield _with_item(
                    {name: _ION_MEMBERS.get(name, _text)(member) for name, member in members.items()}
                )
        except IonError as error:
            raise Malformed(str(error)) from None


def _text(value: AttributeValue) -> Any:
    return value.get("S", value)


def _struct(value: AttributeValue) -> Any:
    return value.get("M", value)


def _item(value: AttributeValue) -> Any:
    return value.get("M")


def _texts(value: AttributeValue) -> Any:
    return {name: _text(member) for name, member in value["M"].items()} if "M" in value else value


_ION_MEMBERS: dict[str, Callable[[AttributeValue], Any]] = {
    "Item": _item,
    "ExpressionAttributeNames": _texts,
    "ExpressionAttributeValues": _struct,
}


def _with_item(record: Any) -> dict[str, Any]:
    item = record.get("Item") if isinstance(record, dict) else None
    if not isinstance(item, dict):
        raise Malformed("there is no Item")
    return record  # type: ignore[no-any-return]


def csv_items(
    source: ObjectSource, types: Mapping[str, str], delimiter: str, header: list[str] | None
) -> Iterator[dict[str, Any]]:
    """Items of a CSV file: key attributes have their types, other values are strings, empty values are left out."""
    rows = csv.reader(
        (line.decode("utf-8-sig" if first else "utf-8") for first, line in _marked(source.lines())),
        delimiter=delimiter,
    )
    # A value may be as long as an item; the limit of Python's csv module is lower, and holds for the whole process.
    csv.field_size_limit(max(csv.field_size_limit(), LONGEST_LINE))
    try:
        for row in rows:
            if header is None:
                header = row
            elif row:
                if len(row) > len(header):
                    raise Malformed(f"{len(row)} values under {len(header)} headers")
                filled = zip(header, row, strict=False)
                yield {name: {types.get(name, "S"): text} for name, text in filled if text}
    except (csv.Error, UnicodeDecodeError) as error:
        raise Malformed(str(error)) from None


def _marked(lines: Iterator[bytes]) -> Iterator[tuple[bool, bytes]]:
    """Each line, and whether it is the first."""
    first = True
    for line in lines:
        yield first, line
        first = False


def reader_of(input_format: str, options: Mapping[str, Any] | None, types: Mapping[str, str]) -> Reader:
    """The reader of a format; `types` are the types of the key attributes."""
    if input_format == "CSV":
        chosen = (options or {}).get("Csv") or {}
        return partial(
            csv_items, types=types, delimiter=chosen.get("Delimiter") or ",", header=chosen.get("HeaderList")
        )
    return json_items if input_format == "DYNAMODB_JSON" else ion_items
