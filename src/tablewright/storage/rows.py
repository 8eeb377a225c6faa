"""Rows: ordered spaces of `key -> (size, body)`, read through a `View`, changed through a `Transaction`.

A space is one SQLite table clustered by key, so a range of keys is read from neighbouring pages. The meaning of a
space (a table's items, an index, a stream) is known to the engine only; here it is a number.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

import apsw

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


@lru_cache(maxsize=4096)
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
        totals=f"SELECT count(*), coalesce(sum(size), 0) {within}",
    )


class View:
    """The rows of all spaces, for a reader."""

    __slots__ = ("connection", "execute")

    def __init__(self, connection: apsw.Connection) -> None:
        self.connection = connection
        self.execute = connection.execute

    def get(self, space: int, key: bytes) -> StoredItem | None:
        """The row at `key`."""
        for body, size in self.execute(statements(space).get, (key,)):
            return StoredItem(body, size)
        return None

    def range(
        self, space: int, low: bytes = b"", high: bytes | None = None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows with `low <= key < high`, in key order or in reverse, fetched as they are consumed."""
        sql = statements(space)
        cursor = self.execute(sql.backward if backward else sql.forward, (low, high or END))
        try:
            for key, body, size in cursor:
                yield key, StoredItem(body, size)
        finally:
            cursor.close()

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
        self.execute(statements(space).put, (key, item.size, item.raw))

    def delete(self, space: int, key: bytes) -> None:
        """Remove the row at `key`, if there is one."""
        self.changes += 1
        self.execute(statements(space).delete, (key,))

    def delete_range(self, space: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Remove all rows with `low <= key < high`."""
        self.changes += 1
        self.execute(statements(space).delete_range, (low, high or END))

    def copy(self, source: int, target: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Copy all rows with `low <= key < high` from one space into another."""
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
