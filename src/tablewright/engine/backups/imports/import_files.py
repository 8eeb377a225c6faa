"""Sources: the objects that an import reads, item after item.

An item that does not parse ends its object, as on AWS: what follows it is not read. Blank lines are passed over.
"""

import csv
import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import IO, Any, cast

from tablewright.engine.backups.ion import IonError, Unfinished, read_values
from tablewright.errors import ValidationError
from tablewright.values.stored_items import NotJson, decode

Reader = Callable[[Iterator[bytes]], Iterator[dict[str, Any]]]

# More than any item takes on a line: binary is base64, and text may be escaped.
LONGEST_LINE = 8 * 1024 * 1024


class Malformed(Exception):
    """There is no item where one should be."""


class Source:
    """The lines of one object; `size` is how many bytes of them were read, uncompressed."""

    def __init__(self, path: Path, compression: str) -> None:
        self._path = path
        self._compression = compression
        self.size = 0

    def lines(self) -> Iterator[bytes]:
        """The lines, as they are read."""
        try:
            with open_object(self._path, self._compression) as file:
                while line := file.readline(LONGEST_LINE):
                    self.size += len(line)
                    yield line
        except (OSError, EOFError, zlib.error, RuntimeError) as error:
            raise Malformed(f"it is not {self._compression}: {error}") from None


def open_object(path: Path, compression: str) -> IO[bytes]:
    """An object, uncompressed."""
    if compression == "GZIP":
        return cast(IO[bytes], gzip.open(path))
    if compression == "ZSTD":
        return zstd_opener()(path)
    return path.open("rb")


def zstd_opener() -> Callable[[Path], IO[bytes]]:
    """What opens a file that is compressed with Zstandard: newer Pythons can, and a package can."""
    for module in ("compression.zstd", "zstandard"):
        try:
            return import_module(module).open  # type: ignore[no-any-return]
        except ImportError:
            continue
    raise ValidationError("ZSTD needs Python 3.14, or the package zstandard: pip install zstandard")


def json_items(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """Items in DynamoDB JSON, one a line."""
    for line in lines:
        if line.strip():
            try:
                yield _item_of(decode(line))
            except NotJson as error:
                raise Malformed(str(error)) from None


def ion_items(lines: Iterator[bytes]) -> Iterator[dict[str, Any]]:
    """Items in Ion; one may go over several lines."""
    text = ""
    for line in lines:
        try:
            text += line.decode()
            values = read_values(text)
        except Unfinished:
            if len(text) > LONGEST_LINE:
                raise Malformed("an item does not end") from None
            continue
        except (IonError, UnicodeDecodeError) as error:
            raise Malformed(str(error)) from None
        text = ""
        for value in values:
            struct = value.get("M") or {}
            yield _item_of({"Item": struct.get("Item", {}).get("M")})
    if text.strip():
        raise Malformed("the text ends inside of an item")


def _item_of(record: Any) -> dict[str, Any]:
    item = record.get("Item") if isinstance(record, dict) else None
    if not isinstance(item, dict):
        raise Malformed("there is no Item")
    return item


def csv_items(
    lines: Iterator[bytes], types: Mapping[str, str], delimiter: str, header: list[str] | None
) -> Iterator[dict[str, Any]]:
    """Items of a CSV file: key attributes have their types, everything else is text, and what is empty is absent."""
    rows = csv.reader(
        (line.decode("utf-8-sig" if first else "utf-8") for first, line in _marked(lines)),
        delimiter=delimiter,
    )
    # A value may be as long as an item; Python's own limit, which is shared by all, is lower.
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


def reader_of(form: str, options: Mapping[str, Any] | None, types: Mapping[str, str]) -> Reader:
    """What reads items of that form; `types` are those of the key attributes."""
    if form == "CSV":
        asked = (options or {}).get("Csv") or {}
        return partial(
            csv_items, types=types, delimiter=asked.get("Delimiter") or ",", header=asked.get("HeaderList")
        )
    return json_items if form == "DYNAMODB_JSON" else ion_items
