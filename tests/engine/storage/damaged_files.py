"""Damage for tests: changed bits in a data file, and changed rows on pages whose checksums are right."""

import os
from pathlib import Path

import apsw

from tablewright.engine.storage import page_checksums
from tablewright.engine.storage.file_upgrade import create_pages
from tablewright.engine.storage.row_checksums import with_checksum
from tablewright.engine.storage.rows import prefix_of, table_of


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


def create_format_1(path: Path, spaces: dict[int, list[tuple[bytes, int, bytes]]]) -> None:
    """A file as the first versions of Tablewright wrote it: rows `(key, size, body)` without checksums."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA page_size = 8192")
    _fill(connection, spaces, 1)


def create_format_2(path: Path, spaces: dict[int, list[tuple[bytes, int, bytes]]]) -> None:
    """A file as later versions wrote it: with checksums of rows and pages, and an SQL table for each space."""
    connection = page_checksums.connect(str(path))
    create_pages(connection)
    checked = {
        space: [(key, with_checksum(key, size, body), body) for key, size, body in rows]
        for space, rows in spaces.items()
    }
    _fill(connection, checked, 2)


def _fill(
    connection: apsw.Connection, spaces: dict[int, list[tuple[bytes, int, bytes]]], version: int
) -> None:
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {0x54574442}")
    connection.execute(f"PRAGMA user_version = {version}")
    for space, rows in spaces.items():
        connection.execute(
            f"CREATE TABLE space_{space} (key BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) "
            "WITHOUT ROWID"
        )
        connection.executemany(f"INSERT INTO space_{space} VALUES (?, ?, ?)", rows)
    connection.close()
