"""Storage check: reads every page and every row of a data file, and compares every index with its table.

It works on the file itself, without opening it as a database, so that it can check a file that cannot be opened.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tablewright.dynamodb.values.key_bytes import partition_of
from tablewright.dynamodb.values.stored_items import StoredItem, decode, encode
from tablewright.engine.core.collection_sizes import collection_spaces, sizes_range
from tablewright.engine.core.damage import SYSTEM_NAMES, key_of, name_of, place_of
from tablewright.engine.core.index_rows import attributes_of, row_in, same_row
from tablewright.engine.core.state.catalog import CATALOG, COLLECTIONS, OtherIndex, StoredIndex, StoredTable
from tablewright.engine.storage.damaged_file import DamagedFile

OnProgress = Callable[[str, int, int], None]
"""Called with what is being checked, the number of checked pages or rows, and their total; 0 when it is unknown."""


@dataclass(frozen=True, slots=True)
class StorageProblem:
    """One thing that is wrong with a file."""

    place: str
    """A table, an index, or another part of the file, such as "table 'Users'"."""
    problem: str
    table: str | None = None
    key: dict[str, Any] | None = None

    def __str__(self) -> str:
        key = f", key {encode(self.key).decode()}" if self.key is not None else ""
        return f"{self.place}{key}: {self.problem}"


@dataclass(slots=True)
class StorageReport:
    """What a check has found."""

    rows: int = 0
    problems: list[StorageProblem] = field(default_factory=list)

    def add(self, file_tables: list[StoredTable], space: int, row: bytes | None, problem: str) -> None:
        """Add a problem of a row, with its table and key."""
        place = place_of(file_tables, space)
        key = None if place is None or row is None else key_of(*place, row)
        if row is not None and key is None:
            problem = f"{problem} (stored key {_shown(space, row)})"
        name = name_of(place, space, file_tables)
        self.problems.append(StorageProblem(name, problem, place[0].name if place else None, key))


def _shown(space: int, row: bytes) -> str:
    return repr(row.decode(errors="replace")) if space == CATALOG else row.hex()


def check_storage(path: Path, on_progress: OnProgress = lambda part, done, total: None) -> StorageReport:
    """Check a data file that no other process has open."""
    report = StorageReport()
    with DamagedFile(path) as file:
        for page in file.damaged_pages(lambda done, total: on_progress("pages", done, total)):
            report.problems.append(StorageProblem(f"page {page}", "does not match its checksum"))
        for text in file.structure_problems():
            report.problems.append(StorageProblem("structure", text))
        tables = read_tables(file)
        report.problems += _unlisted(file, tables)
        for space in file.spaces:
            _check_rows(file, tables, space, report, on_progress)
        for table in tables:
            if table.has_local_indexes:
                report.problems += _compare_sizes(file, table)
            for index in table.all_indexes:
                if table.definition.get("Building") != index.name:
                    on_progress(f"index {index.name} of {table.name}", 0, 0)
                    report.problems += _compare(file, table, index)
    return report


def _unlisted(file: DamagedFile, tables: list[StoredTable]) -> Iterator[StorageProblem]:
    for table in tables:
        for index in (None, *table.all_indexes):
            space = table.space if index is None else index.space
            if space not in file.listed:
                text = f"space {space} is missing in the list of spaces, so no request finds its rows"
                yield StorageProblem(name_of((table, index), space), text, table.name)


def read_tables(file: DamagedFile) -> list[StoredTable]:
    """The tables whose definitions are intact."""
    if CATALOG not in file.spaces:
        return []
    definitions = (decode(row.raw) for _, row in file.rows(CATALOG, lambda key, problem: None))
    return [StoredTable.compile(definition) for definition in definitions if "Status" not in definition]


def _check_rows(
    file: DamagedFile, tables: list[StoredTable], space: int, report: StorageReport, on_progress: OnProgress
) -> None:
    place = place_of(tables, space)
    if place is None and space not in SYSTEM_NAMES:
        name = f"space {space}"
    else:
        name = name_of(place, space)
    rows = file.rows(space, lambda key, problem: report.add(tables, space, key, problem))
    for number, _ in enumerate(rows, 1):
        report.rows += 1
        if number % 1000 == 0:
            on_progress(f"rows of {name}", number, 0)


def _compare(
    file: DamagedFile, table: StoredTable, index: StoredIndex | OtherIndex
) -> Iterator[StorageProblem]:
    """The differences between an index and its table, in both directions."""
    place = name_of((table, index), index.space)

    def problem(key: bytes, text: str) -> StorageProblem:
        return StorageProblem(place, text, table.name, key_of(table, None, key))

    for key, item in file.rows(table.space, _ignore):
        expected = row_in(index, key, item)
        if expected is None:
            continue
        index_row = file.get(index.space, expected[0])
        if index_row is None:
            yield problem(key, "lacks the row of this item, or it is damaged")
        elif not same_row(index, index_row, expected[1]):
            yield problem(key, "has another row than this item requires")
    for row_key, row in file.rows(index.space, _ignore):
        table_key = table.keys.find(attributes_of(index, row))
        stored = None if table_key is None else file.get(table.space, table_key)
        if table_key is None or not _requires(index, table_key, stored, row_key):
            key = table_key or row_key
            yield problem(key, "has a row without an intact item in the table")


def _compare_sizes(file: DamagedFile, table: StoredTable) -> Iterator[StorageProblem]:
    """The item collections whose stored size is not the size of their rows."""
    low, high = sizes_range(table)
    stored = {
        key[len(low) :]: int(row.raw)
        for key, row in (file.rows(COLLECTIONS, _ignore) if COLLECTIONS in file.spaces else ())
        if low <= key < high
    }
    sizes = dict.fromkeys(stored, 0)
    damaged: list[bytes | None] = []
    for space in collection_spaces(table) if stored else ():
        for key, row in file.rows(space, lambda key, problem: damaged.append(key)):
            head = partition_of(key)
            if head in sizes:
                sizes[head] += row.size
    if damaged:
        # They are reported themselves, and have no size.
        return
    place = f"item collections of table {table.name!r}"
    for head, size in sizes.items():
        if stored[head] != size:
            yield StorageProblem(
                place, f"the size of partition {head.hex()} is {stored[head]}, not {size}", table.name
            )


def _requires(index: StoredIndex | OtherIndex, key: bytes, item: StoredItem | None, row_key: bytes) -> bool:
    row = row_in(index, key, item)
    return row is not None and row[0] == row_key


def _ignore(key: bytes | None, problem: str) -> None:
    pass
