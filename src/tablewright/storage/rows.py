"""Rows: ordered spaces of `key -> (size, body)`, read through a `View`, changed through a `Transaction`.

A space is one SQLite table clustered by key, so a range of keys is read from neighbouring pages. The meaning of a
space (a table's items, an index, a stream) is known to the engine only; here it is a number.

Every row that is read is verified against its checksum. A damaged row is never returned: reading it raises
`StoreDamaged` with its space and key. `copy` does not verify: the copied row keeps its checksum, so it stays damaged.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple, NoReturn
from zlib import crc32

import apsw

from tablewright.errors import StoreDamaged
from tablewright.storage.row_checksums import SIZE_BITS, SIZE_MASK, with_checksum
from tablewright.storage.sqlite_errors import UNREADABLE, is_damage
from tablewright.values.stored_items import StoredItem

# Above every key the engine can build: keys begin with a four-byte hash and are far shorter than this.
END = b"\xff" * 64


class Statements(NamedTuple):
    """The SQL of one space, built once: SQLite's statement cache finds it again by its text."""

    get: str
    forward: str
    backward: str
    put: str
    delete: str
    delete_range: str
    totals: str


@lru_cache(maxsize=65536)
def statements(space: int) -> Statements:
    """The SQL of a space."""
    name = f"space_{space}"
    within = f"FROM {name} WHERE key >= ? AND key < ?"
    return Statements(
        get=f"SELECT body, size FROM {name} WHERE key = ?",
        forward=f"SELECT key, body, size {within} ORDER BY key",
        backward=f"SELECT key, body, size {within} ORDER BY key DESC",
        put=f"INSERT INTO {name} VALUES (?1, ?2, ?3) "
        "ON CONFLICT (key) DO UPDATE SET size = excluded.size, body = excluded.body",
        delete=f"DELETE FROM {name} WHERE key = ?",
        delete_range=f"DELETE {within}",
        totals=f"SELECT count(*), coalesce(sum(size & {SIZE_MASK}), 0) {within}",
    )


class View:
    """The rows of all spaces, for a reader."""

    __slots__ = ("connection", "execute")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute

    def get(self, space: int, key: bytes) -> StoredItem | None:
        """The row at `key`."""
        try:
            for body, column in self.execute(statements(space).get, (key,)):
                size = column & SIZE_MASK
                if crc32(body, crc32(key, size)) == column >> SIZE_BITS:
                    return StoredItem(body, size)
                raise _damaged_row(space, key)
        except _DAMAGE as error:
            _raise_damage(error, space, key)
        return None

    def range(
        self, space: int, low: bytes = b"", high: bytes | None = None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows with `low <= key < high`, in key order or in reverse, fetched as they are consumed."""
        sql = statements(space)
        key = None
        try:
            cursor = self.execute(sql.backward if backward else sql.forward, (low, high or END))
            try:
                for key, body, column in cursor:
                    size = column & SIZE_MASK
                    if crc32(body, crc32(key, size)) != column >> SIZE_BITS:
                        raise _damaged_row(space, key)
                    yield key, StoredItem(body, size)
            finally:
                cursor.close()
        except _DAMAGE as error:
            _raise_damage(error, space, key)

    def key_after(self, space: int, low: bytes, rows: int) -> bytes | None:
        """The key `rows` rows after the first key from `low` on; None when there are not so many."""
        query = f"SELECT key FROM space_{space} WHERE key >= ? ORDER BY key LIMIT 1 OFFSET ?"
        found = self.execute(query, (low, rows)).fetchone()
        return found[0] if found else None

    def has_space(self, space: int) -> bool:
        """Whether the space exists."""
        query = "SELECT 1 FROM sqlite_schema WHERE name = ?"
        return self.execute(query, (f"space_{space}",)).fetchone() is not None

    def totals(self, space: int, low: bytes = b"", high: bytes | None = None) -> tuple[int, int]:
        """The number of rows of a range, and the sum of their sizes."""
        ((count, size),) = self.execute(statements(space).totals, (low, high or END))
        return count, size


class Transaction(View):
    """The rows of all spaces, for a writer; `changes` counts its writes, to know whether failed work wrote anything."""

    __slots__ = ("changes",)

    def __init__(self, connection: apsw.Connection) -> None:
        super().__init__(connection)
        self.changes = 0

    def put(self, space: int, key: bytes, item: StoredItem) -> None:
        """Write a row, replacing the one at the same key."""
        self.changes += 1
        self.execute(statements(space).put, (key, with_checksum(key, item.size, item.raw), item.raw))

    def delete(self, space: int, key: bytes) -> None:
        """Remove the row at `key`, if there is one."""
        self.changes += 1
        self.execute(statements(space).delete, (key,))

    def delete_range(self, space: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Remove all rows with `low <= key < high`."""
        self.changes += 1
        self.execute(statements(space).delete_range, (low, high or END))

    def copy(self, source: int, target: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Copy all rows with `low <= key < high` from one space into another, with their checksums."""
        self.changes += 1
        self.execute(
            f"INSERT OR REPLACE INTO space_{target} SELECT key, size, body FROM space_{source} "
            "WHERE key >= ? AND key < ?",
            (low, high or END),
        )

    def create_space(self, space: int) -> None:
        """Create an empty space."""
        self.changes += 1
        self.execute(
            f"CREATE TABLE space_{space} (key BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) "
            "WITHOUT ROWID"
        )

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows."""
        self.changes += 1
        self.execute(f"DROP TABLE space_{space}")


# A changed type of a value, which SQLite stores in each row, raises TypeError; text that is not UTF-8 the other.
_DAMAGE = (*UNREADABLE, TypeError, UnicodeDecodeError)


def _damaged_row(space: int, key: bytes) -> StoreDamaged:
    return StoreDamaged(
        f"the row {key.hex()} of space {space} does not match its checksum", space=space, row=key
    )


def _raise_damage(error: Exception, space: int, key: object) -> NoReturn:
    """Raise the error for a row that could not be read; `error` itself when it has another reason than damage."""
    if isinstance(error, UNREADABLE) and not is_damage(error):
        raise error
    row = key if isinstance(key, bytes) else None
    raise StoreDamaged(f"a row of space {space} cannot be read ({error})", space=space, row=row) from error
