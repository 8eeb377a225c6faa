"""Files for users: records as JSON or CSV, and records from an uploaded file.

CSV has a column for each field, with dots for nested ones; lists are JSON. A cell that a spreadsheet would run as a
formula begins with an apostrophe, which an upload removes again; names of columns are cells too.
"""

import csv
import io
import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from tablewright_systems.listbackup.design.archives import FileFormat
from tablewright_systems.listbackup.platforms.protocol import Record
from tablewright_systems.service.errors import Invalid

MAX_DEPTH = 100
"""How deep the values of an uploaded record are nested at most: JSON cannot be written at any depth."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def render(records: Callable[[], Iterable[Record]], file_format: FileFormat) -> Iterator[bytes]:
    """Yield the text of a file; `records` is called once for JSON, and twice for CSV, to find the columns first."""
    return _csv(records) if file_format is FileFormat.CSV else _json(records())


def parse(data: bytes, file_format: FileFormat) -> list[Record]:
    """Return the records of an uploaded file: a JSON list, JSON Lines, or CSV with a header. Each needs an `id`."""
    try:
        text = data.decode("utf-8-sig")
        rows = _csv_rows(text) if file_format is FileFormat.CSV else _json_rows(text)
        _require_shallow(rows)
    except (ValueError, RecursionError, csv.Error) as error:
        raise Invalid(f"the file is not valid {file_format.value}: {error}", "content") from None
    records: dict[str, Record] = {}
    for number, row in enumerate(rows, 1):
        record_id = row.get("id") if isinstance(row, dict) else None
        if isinstance(record_id, bool) or not isinstance(record_id, str | int) or record_id == "":
            raise Invalid(f"record {number} has no id: each record needs the field id", "content")
        if str(record_id) in records:
            raise Invalid(f"record {number} repeats the id {record_id}", "content")
        records[str(record_id)] = Record(str(record_id), None, row)
    return list(records.values())


def flatten(data: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested fields under names with dots.

    >>> flatten({"id": 1, "address": {"city": "Bern"}})
    {'id': 1, 'address.city': 'Bern'}
    """
    flat: dict[str, Any] = {}
    for name, value in data.items():
        if isinstance(value, Mapping) and value:
            flat |= flatten(value, f"{prefix}{name}.")
        else:
            flat[f"{prefix}{name}"] = value
    return flat


def _json(records: Iterable[Record]) -> Iterator[bytes]:
    separator = b"[\n"
    for record in records:
        yield separator + json.dumps({"id": record.id, **record.data}).encode()
        separator = b",\n"
    yield b"[]\n" if separator == b"[\n" else b"\n]\n"


def _csv(records: Callable[[], Iterable[Record]]) -> Iterator[bytes]:
    columns = {"id": None}
    for record in records():
        columns |= dict.fromkeys(flatten(record.data))
    yield _csv_line([_cell(column) for column in columns])
    for record in records():
        row = {"id": record.id, **flatten(record.data)}
        yield _csv_line([_cell(row.get(column)) for column in columns])


def _csv_line(cells: list[str]) -> bytes:
    line = io.StringIO()
    csv.writer(line).writerow(cells)
    return line.getvalue().encode("utf-8", "replace")


def _cell(value: Any) -> str:
    if value is None:
        return ""
    text = value if isinstance(value, str) else json.dumps(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(_FORMULA) else text


def _json_rows(text: str) -> list[Any]:
    if text.lstrip().startswith("["):
        rows: list[Any] = _from_json(text)
        return rows
    return [_from_json(line) for line in text.split("\n") if line.strip()]


def _from_json(text: str) -> Any:
    return json.loads(text, parse_constant=_finite, parse_float=_finite)


def _finite(number: str) -> float:
    """Return a number; NaN and infinite ones, which Python reads, are not JSON."""
    if not math.isfinite(value := float(number)):
        raise ValueError(f"{number[:50]} is not a number of JSON")
    return value


def _require_shallow(rows: list[Any]) -> None:
    level: list[Any] = rows
    for _ in range(MAX_DEPTH):
        nested = [value for value in level if isinstance(value, dict | list)]
        level = [
            inner for value in nested for inner in (value.values() if isinstance(value, dict) else value)
        ]
    if level:
        raise ValueError(f"a record is nested deeper than {MAX_DEPTH} levels")


def _csv_rows(text: str) -> list[dict[str, Any]]:
    rows = []
    for cells in csv.DictReader(io.StringIO(text, newline=""), strict=True):
        if None in cells:
            raise ValueError("a line has more cells than the header")
        row: dict[str, Any] = {}
        for name, cell in cells.items():
            if cell:
                _set_nested(row, _text(name).split("."), _text(cell))
        rows.append(row)
    return rows


def _text(cell: str) -> str:
    """Return the text of a cell, without the apostrophe before what would be a formula."""
    return cell[1:] if cell[:1] == "'" and cell[1:2] in _FORMULA else cell


def _set_nested(row: dict[str, Any], path: list[str], value: str) -> None:
    for name in path[:-1]:
        inner = row.setdefault(name, {})
        if not isinstance(inner, dict):
            raise ValueError(f"the column {'.'.join(path)} is both a value and an object")
        row = inner
    if isinstance(row.get(path[-1]), dict):
        raise ValueError(f"the column {'.'.join(path)} is both a value and an object")
    row[path[-1]] = value
