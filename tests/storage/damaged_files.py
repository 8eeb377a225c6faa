"""Damage for tests: changed bits in a data file, and changed rows on pages whose checksums are right."""

import os
from pathlib import Path

import apsw

from tablewright.storage import page_checksums


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
    """Run `UPDATE space SET change WHERE where` behind the back of the store, and return the number of rows."""
    connection = page_checksums.connect(str(path))
    try:
        connection.execute(f"UPDATE space_{space} SET {change} WHERE {where}")
        changed = connection.changes()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return changed
    finally:
        connection.close()


def create_format_1(path: Path, spaces: dict[int, list[tuple[bytes, int, bytes]]]) -> None:
    """A file as the first versions of Tablewright wrote it: rows `(key, size, body)` without checksums."""
    connection = apsw.Connection(str(path))
    connection.execute("PRAGMA page_size = 8192")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute(f"PRAGMA application_id = {0x54574442}")
    connection.execute("PRAGMA user_version = 1")
    for space, rows in spaces.items():
        connection.execute(
            f"CREATE TABLE space_{space} (key BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) "
            "WITHOUT ROWID"
        )
        connection.executemany(f"INSERT INTO space_{space} VALUES (?, ?, ?)", rows)
    connection.close()
