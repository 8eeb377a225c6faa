"""Salvage: copies what is intact in a damaged data file into a new one, and lists what is lost.

Tables, stream records, tokens and complete backups are copied. An item that is damaged in its table is taken from an
index that contains it whole. Index rows and expiry times are written anew from the items. The journal of point-in-time
recovery and unfinished jobs are left out: with a gap, a journal would restore wrong items.
"""

import contextlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

from tablewright.dynamodb.values.stored_items import StoredItem, decode
from tablewright.engine.core.damage import SYSTEM_NAMES, key_of, name_of
from tablewright.engine.core.index_rows import attributes_of, row_in
from tablewright.engine.core.state.catalog import (
    BACKUPS,
    CATALOG,
    FIRST_FREE,
    META,
    RECORDS,
    SYSTEM_SPACES,
    TOKENS,
    OtherIndex,
    StoredIndex,
    StoredTable,
)
from tablewright.engine.core.tables.table_definitions import SALVAGES
from tablewright.engine.database import Database
from tablewright.engine.storage import ReadView, Store, Transaction, open_store
from tablewright.engine.storage.damaged_file import DamagedFile
from tablewright.engine.storage_check import OnProgress, StorageProblem
from tablewright.errors import UsageError

Row = tuple[bytes, StoredItem]

_ROWS_AT_ONCE = 1000
# Members of a definition that belong to jobs and to the journal.
_UNFINISHED = ("Recovery", "Copying", "Building", "Deleting")


@dataclass(slots=True)
class SalvageReport:
    """What was copied, and what is lost."""

    copied: dict[str, int] = field(default_factory=dict)
    """The number of items by table, and of rows by other part of the file."""
    recovered: int = 0
    """The number of copied items that were damaged in their table and intact in an index."""
    lost: list[StorageProblem] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def salvage(
    path: Path, target: Path, on_progress: OnProgress = lambda part, done, total: None
) -> SalvageReport:
    """Copy what is intact in a data file into a new file."""
    if target.exists():
        raise UsageError(f"{target} exists; give the name of a new file")
    try:
        with DamagedFile(path) as file, contextlib.closing(open_store(target)) as store:
            report = _Salvage(file, store, on_progress).run()
        _write_anew(target)
    except BaseException:
        target.unlink(missing_ok=True)
        raise
    return report


def _write_anew(target: Path) -> None:
    with contextlib.closing(Database(open_store(target))) as database:
        for salvage_feature in SALVAGES:
            salvage_feature(database.sessions)
        database.jobs.wait_for_all()


class _Salvage:
    def __init__(self, file: DamagedFile, store: Store, on_progress: OnProgress) -> None:
        self._file, self._store, self._on_progress = file, store, on_progress
        self._report = SalvageReport()
        self._owned: set[int] = set(SYSTEM_SPACES)

    def run(self) -> SalvageReport:
        for space in SYSTEM_SPACES:
            self._store.write(partial(_create, space=space))
        for definition in self._definitions():
            self._copy_table(StoredTable.compile(definition))
            self._store.write(partial(_save, definition=definition))
        self._copy_backups()
        for space in (TOKENS, RECORDS, META):
            self._copy(space, SYSTEM_NAMES[space], self._intact(space, SYSTEM_NAMES[space]))
        self._set_counter()
        self._report_orphans()
        self._report_structure()
        return self._report

    def _definitions(self) -> Iterator[dict[str, Any]]:
        for key, row in list(self._intact(CATALOG, SYSTEM_NAMES[CATALOG], str_keys=True)):
            definition = decode(row.raw)
            self._owned.update(definition["Spaces"].values())
            if "Status" in definition:
                self._lose(f"table {key.decode()!r}", "was being created; create it again")
            else:
                yield self._settled(definition)

    def _settled(self, definition: dict[str, Any]) -> dict[str, Any]:
        """A definition without unfinished work and recovery."""
        name = definition["Description"]["TableName"]
        if definition.get("Recovery"):
            self._report.notes.append(f"table {name!r}: point-in-time recovery is off; turn it on again")
        return {member: value for member, value in definition.items() if member not in _UNFINISHED}

    def _copy_table(self, table: StoredTable) -> None:
        place = name_of((table, None), table.space)
        damaged: dict[bytes, StorageProblem] = {}
        gaps: list[StorageProblem] = []

        def on_damage(key: bytes | None, problem: str) -> None:
            decoded = None if key is None else key_of(table, None, key)
            text = problem if key is None or decoded is not None else f"{problem} (stored key {key.hex()})"
            entry = StorageProblem(place, text, table.name, decoded)
            if key is None:
                gaps.append(entry)
            else:
                damaged[key] = entry

        self._store.write(partial(_create, space=table.space))
        self._copy(table.space, place, self._file.rows(table.space, on_damage))
        for index in table.all_indexes:
            self._recover(table, index, damaged, place)
        self._report.lost += [*damaged.values(), *gaps]
        for index in table.all_indexes:
            self._store.write(partial(_create, space=index.space))
            items = self._stored(table.space)
            rows = (row for key, item in items if (row := row_in(index, key, item)) is not None)
            self._write(index.space, rows, f"index {index.name!r} of {place}")

    def _recover(
        self,
        table: StoredTable,
        index: StoredIndex | OtherIndex,
        damaged: dict[bytes, StorageProblem],
        place: str,
    ) -> None:
        """Take missing items from an index that contains them whole; otherwise learn their keys."""
        # A vector index has the vector in lower precision only.
        whole = index.projected is None and isinstance(index, StoredIndex)
        recovered: list[Row] = []
        for _, row in self._file.rows(index.space, _ignore):
            key = table.keys.find(attributes_of(index, row))
            if key is None or self._store.read(partial(_get, space=table.space, key=key)) is not None:
                continue
            if whole:
                recovered.append((key, row))
                damaged.pop(key, None)
            else:
                text = "the item cannot be read; an index still has its key"
                damaged.setdefault(key, StorageProblem(place, text, table.name, key_of(table, None, key)))
        self._write(table.space, recovered, place)
        self._report.recovered += len(recovered)
        self._report.copied[place] += len(recovered)

    def _copy_backups(self) -> None:
        name = SYSTEM_NAMES[BACKUPS]
        rows = []
        for key, row in self._intact(BACKUPS, name):
            kind = key.partition(b"\0")[0].decode()
            document = decode(row.raw)
            self._owned.update(document.get("Spaces", ()), [document["Space"]] if "Space" in document else ())
            # The table of an import is defined in its job until it is complete.
            self._owned.update(document.get("Definition", {}).get("Spaces", {}).values())
            if kind in ("job", "token", "orphan"):
                continue
            if kind == "import" and document["Description"]["ImportStatus"] == "IN_PROGRESS":
                table = document["Description"]["TableCreationParameters"]["TableName"]
                self._lose(f"import of table {table!r}", "was not complete; import it again")
                continue
            if kind == "backup":
                details = document["Details"]
                label = f"backup {details['BackupName']!r} of table {document['Source']['TableName']!r}"
                if details["BackupStatus"] != "AVAILABLE":
                    self._lose(label, "was not complete")
                    continue
                self._store.write(partial(_create, space=document["Space"]))
                self._copy(document["Space"], label, self._intact(document["Space"], label))
            rows.append((key, row))
        self._write(BACKUPS, rows, name)

    def _set_counter(self) -> None:
        """Numbers of spaces and tables are never used twice, even if the counter is lost."""
        tables = [decode(row.raw) for _, row in self._stored(CATALOG)]
        used = {*self._owned, *self._file.spaces, *(definition["Id"] for definition in tables)}
        used.update(value for definition in tables for value in definition.values() if isinstance(value, int))

        def advance(tx: Transaction) -> None:
            row = tx.get(META, b"counter")
            number = max(int(decode(row.raw)) if row else FIRST_FREE, max(used) + 1, FIRST_FREE)
            tx.put(META, b"counter", StoredItem(str(number).encode(), 0))

        self._store.write(advance)

    def _report_orphans(self) -> None:
        for space in sorted(set(self._file.spaces) - self._owned):
            count = sum(1 for _ in self._file.rows(space, _ignore))
            if count:
                self._lose(f"space {space}", f"{count} rows of a table or an index whose definition is lost")

    def _report_structure(self) -> None:
        """Rows can be hidden by damage to SQLite's own structures, such as the number of rows of a page."""
        for problem in self._file.structure_problems(limit=1):
            self._lose("structure", f"items may be missing that are not listed here ({problem})")

    def _intact(self, space: int, name: str, *, str_keys: bool = False) -> Iterator[Row]:
        def on_damage(key: bytes | None, problem: str) -> None:
            shown = (
                "" if key is None else f" {key.decode(errors='replace')!r}" if str_keys else f" {key.hex()}"
            )
            self._lose(name + shown, problem)

        return self._file.rows(space, on_damage)

    def _lose(self, place: str, problem: str) -> None:
        self._report.lost.append(StorageProblem(place, problem))

    def _copy(self, space: int, name: str, rows: Iterable[Row]) -> None:
        self._report.copied[name] = self._write(space, rows, name)

    def _write(self, space: int, rows: Iterable[Row], name: str) -> int:
        source, written = iter(rows), 0
        while batch := list(islice(source, _ROWS_AT_ONCE)):
            self._store.write(partial(_put, space=space, rows=batch))
            written += len(batch)
            self._on_progress(f"rows of {name}", written, 0)
        return written

    def _stored(self, space: int) -> Iterator[Row]:
        """The rows of the new file, in batches: the new file is written meanwhile."""
        low = b""
        while batch := self._store.read(partial(_batch, space=space, low=low)):
            yield from batch
            low = batch[-1][0] + b"\0"


def _batch(view: ReadView, space: int, low: bytes) -> list[Row]:
    return list(islice(view.range(space, low), _ROWS_AT_ONCE))


def _get(view: ReadView, space: int, key: bytes) -> StoredItem | None:
    return view.get(space, key)


def _put(tx: Transaction, space: int, rows: list[Row]) -> None:
    for key, item in rows:
        tx.put(space, key, item)


def _create(tx: Transaction, space: int) -> None:
    tx.create_space(space)


def _save(tx: Transaction, definition: dict[str, Any]) -> None:
    tx.put(CATALOG, definition["Description"]["TableName"].encode(), StoredItem.of(definition, 0))


def _ignore(key: bytes | None, problem: str) -> None:
    pass
