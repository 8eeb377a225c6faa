"""Damage: says which table and key a damaged row of the store belongs to."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from tablewright.dynamodb.values.key_bytes import key_values
from tablewright.dynamodb.values.stored_items import encode
from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.state.catalog import (
    BACKUPS,
    CATALOG,
    COLLECTIONS,
    EXPIRY,
    JOURNAL,
    META,
    RECORDS,
    TOKENS,
    OtherIndex,
    StoredIndex,
    StoredTable,
)
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.engine.core.state.key_schema import KeySchema
from tablewright.errors import StoreDamaged

SPACE_NAMES: Plug[Callable[[StoredTable, int], str | None]] = Plug()
"""The name of a space that a feature keeps for a table; None for every other space."""
SYSTEM_NAMES = {
    CATALOG: "table definitions",
    META: "counters",
    TOKENS: "client tokens",
    RECORDS: "stream records",
    EXPIRY: "expiry times",
    JOURNAL: "change journal",
    BACKUPS: "backups and jobs",
    COLLECTIONS: "sizes of item collections",
}


def locate(state: EngineState, error: StoreDamaged) -> StoreDamaged:
    """The same error with the path, the table and the key."""
    if error.space is None or error.table is not None:
        return error
    tables = [] if error.space in SYSTEM_NAMES else state.catalog.all()
    place = place_of(tables, error.space)
    key = None if place is None or error.row is None else key_of(place[0], place[1], error.row)
    name = name_of(place, error.space, tables)
    located = state.store.damaged(f"{name}{_text(key, error.row)}: {reason(error)}")
    located.space, located.row, located.key = error.space, error.row, key
    located.table = place[0].name if place else None
    return located


@contextmanager
def located(state: EngineState) -> Iterator[None]:
    """Raise damage that is found inside with its table and key."""
    try:
        yield
    except StoreDamaged as error:
        raise locate(state, error) from error


Place = tuple[StoredTable, StoredIndex | OtherIndex | None]


def place_of(tables: list[StoredTable], space: int) -> Place | None:
    """The table or index that a space belongs to."""
    for table in tables:
        if table.space == space:
            return table, None
        for index in table.all_indexes:
            if index.space == space:
                return table, index
    return None


def name_of(place: Place | None, space: int, tables: Iterable[StoredTable] = ()) -> str:
    """A space by the name of its table or index; or by the name that a feature has for it."""
    if place is None:
        names = (name for table in tables for name_space in SPACE_NAMES if (name := name_space(table, space)))
        return next(names, None) or SYSTEM_NAMES.get(space, f"space {space}")
    table, index = place
    return f"table {table.name!r}" if index is None else f"index {index.name!r} of table {table.name!r}"


def key_of(table: StoredTable, index: StoredIndex | OtherIndex | None, row: bytes) -> dict[str, Any] | None:
    """The key attributes in the stored key of a row; None when they cannot be read."""
    if index is None:
        keys = None
    else:
        keys = index.keys if isinstance(index, StoredIndex) else index.hash
    try:
        if keys is None:
            return _attributes(table.keys, row)
        head = _head(keys, row)
        return {**_attributes(keys, head), **_attributes(table.keys, row[len(head) :])}
    except (ValueError, ArithmeticError):
        return None


def _head(keys: KeySchema, row: bytes) -> bytes:
    """The index's own part of the key of an index row."""
    end = 6 + int.from_bytes(row[4:6], "big")
    for _ in keys.range:
        end = row.index(b"\x00\x01", end) + 2
    return row[:end]


def _attributes(keys: KeySchema, row: bytes) -> dict[str, Any]:
    types = ["".join(keys.types[name] for name in names) for names in (keys.hash, keys.range)]
    return dict(zip(keys.names, key_values(row, *types), strict=True))


def _text(key: dict[str, Any] | None, row: bytes | None) -> str:
    if key is not None:
        return f", key {encode(key).decode()}"
    return "" if row is None else f", stored key {row.hex()}"


def reason(error: StoreDamaged) -> str:
    """Why a row was not returned."""
    return "it cannot be read" if error.__cause__ is not None else "the row does not match its checksum"
