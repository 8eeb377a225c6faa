"""Damage for tests: changed bits in a data file, and changed rows on pages whose checksums are right."""

import os
from pathlib import Path
from typing import Any, cast

import apsw

from tablewright.engine.storage import page_checksums
from tablewright.engine.storage.file_upgrade import create_pages
from tablewright.engine.storage.rows import (
    SCHEMA,
    create_statements,
    moved_checksum,
    prefix_of,
    table_of,
    with_checksum,
)


def flip_bit(path: Path, position: int) -> None:
    """Change one bit of a file; the same call changes it back."""
    with path.open("r+b", buffering=0) as file:
        file.seek(position // 8)
        (byte,) = file.read(1)
        file.seek(position // 8)
        file.write(bytes([byte ^ 1 << position % 8]))


def bit_count(path: Path) -> int:
    """The number of bits of a file."""
    return os.path.getsize(path) * 8


def change_rows(path: Path, space: int, change: str, where: str = "1") -> int:
    """Run `UPDATE rows SET change WHERE where` on a space, behind the back of the store; return the number of rows."""
    return _execute(path, f"UPDATE {table_of(space)} SET {change} {_within(space)} AND ({where})")


def delete_rows(path: Path, space: int, where: str) -> int:
    """Delete rows of a space behind the back of the store, and return their number."""
    return _execute(path, f"DELETE FROM {table_of(space)} {_within(space)} AND ({where})")


def forget_space(path: Path, space: int) -> None:
    """Remove a space from the list of spaces, behind the back of the store; its rows stay."""
    assert _execute(path, f"DELETE FROM spaces WHERE number = {space}") == 1


def _within(space: int) -> str:
    return f"WHERE key >= x'{prefix_of(space).hex()}' AND key < x'{prefix_of(space + 1).hex()}'"


def _execute(path: Path, statement: str) -> int:
    connection = page_checksums.connect(str(path))
    try:
        connection.execute(statement)
        changed = connection.changes()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return changed
    finally:
        connection.close()


OLDER_FORMAT = 2
"""A made-up format before the current one: an SQL table for each space, and rows with checksums."""


def create_older_format(path: Path, spaces: dict[int, list[tuple[bytes, int, bytes]]]) -> None:
    """A file of the made-up format, with the rows `(key, size, body)` of its spaces."""
    connection = page_checksums.connect(str(path))
    create_pages(connection)
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {0x54574442}")
    connection.execute(f"PRAGMA user_version = {OLDER_FORMAT}")
    for space, rows in spaces.items():
        connection.execute(
            f"CREATE TABLE space_{space} (key BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) "
            "WITHOUT ROWID"
        )
        stored = [(key, with_checksum(key, size, body), body) for key, size, body in rows]
        connection.executemany(f"INSERT INTO space_{space} VALUES (?, ?, ?)", stored)
    connection.close()


def copy_older_format(connection: apsw.Connection) -> None:
    """Copy the rows of the made-up format into the current one, as a release would that changes the format."""
    for statement in SCHEMA:
        connection.execute(statement)
    connection.create_scalar_function("stored_key", cast(Any, bytes.__add__), 2, deterministic=True)
    connection.create_scalar_function("moved", cast(Any, _moved_checksum), 4, deterministic=True)
    names = connection.execute("SELECT name FROM old.sqlite_schema WHERE type = 'table'").fetchall()
    for space in sorted(int(str(name).removeprefix("space_")) for (name,) in names):
        for statement in create_statements(space):
            connection.execute(statement)
        connection.execute(
            f"INSERT INTO main.{table_of(space)} "
            "SELECT stored_key(?1, key), moved(?1, key, size, body), body "
            f"FROM old.space_{space} ORDER BY key",
            (prefix_of(space),),
        )


def _moved_checksum(prefix: bytes, key: bytes, column: int, body: bytes) -> int:
    return moved_checksum(key, prefix + key, column, body)
