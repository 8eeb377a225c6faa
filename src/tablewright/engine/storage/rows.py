"""Rows: ordered spaces of `key -> (size, body)`, read through a `ReadView`, changed through a `Transaction`.

    rows        the spaces of tables and indexes: number of the space (4 bytes), key  ->  size with checksum, body
    system_N    the same for space N, which is the engine's own: a damaged page of items does not reach it
    spaces      the numbers of the spaces that exist

Each is an SQLite table, clustered by key: a range of keys is read from neighbouring pages. Their number does not depend
on the number of tables and indexes, so no connection has to read the schema again when one is created or deleted.

The meaning of a space (a table's items, an index, a stream) is known to the engine only; here it is a number. A read or
write of a space that does not exist raises `SpaceMissing`.

Every row that is read is verified against its checksum. A damaged row is never returned: reading it raises
`StoreDamaged` with its space and key. `copy` does not raise: the copy of a damaged row is damaged too.

Row checksums: a CRC-32 of key, size and body, stored with the size of each row and verified whenever it is read.

    size column = crc32(4 bytes) size(31 bits)

One integer, because each further column costs more time to read than the checksum itself. The CRC begins with the size
as its start value and continues over the key, which begins with the number of the space, and the body. So a changed bit
in any of them is always found, and nothing is copied to compute it.

Tallies: the number of rows of each space and their size, kept in memory. A space is counted once, at first use, and
every write updates its tally from then on. A large space is counted in a snapshot, concurrently with writers, whose
changes since the snapshot are added. All updates are done in a writer's turn, so a tally is always exact. When a group
of writes is undone, the tallies are dropped, and counted again at next use.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, NoReturn
from zlib import crc32

import apsw

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage.sqlite_errors import UNREADABLE, is_damage
from tablewright.errors import SpaceMissing, StoreDamaged

SIZE_BITS = 31
SIZE_MASK = (1 << SIZE_BITS) - 1


def with_checksum(key: bytes, size: int, body: bytes) -> int:
    """The value of the size column of a row.

    >>> with_checksum(b"key", 4, b"body") & SIZE_MASK
    4
    """
    return crc32(body, crc32(key, size)) << SIZE_BITS | size


def moved_checksum(old_key: bytes, new_key: bytes, column: int, body: bytes) -> int:
    """The value of the size column of a row that is stored again at another key. A damaged row stays damaged.

    >>> column = with_checksum(b"old", 4, b"body")
    >>> moved_checksum(b"old", b"new", column, b"body") == with_checksum(b"new", 4, b"body")
    True
    >>> is_intact(b"new", moved_checksum(b"old", b"new", column, b"bodi"), b"bodi")
    False
    """
    if not (isinstance(column, int) and isinstance(body, bytes)):
        return column
    moved = with_checksum(new_key, column & SIZE_MASK, body)
    return moved if is_intact(old_key, column, body) else moved ^ 1 << SIZE_BITS


def is_intact(key: object, column: object, body: object) -> bool:
    """Whether a row is as it was written; damage can also change the type of a value.

    >>> column = with_checksum(b"key", 4, b"body")
    >>> is_intact(b"key", column, b"body"), is_intact(b"key", column, b"bodi"), is_intact(b"key", column, None)
    (True, False, False)
    """
    if not (isinstance(key, bytes) and isinstance(column, int) and isinstance(body, bytes)):
        return False
    return column == with_checksum(key, column & SIZE_MASK, body)


# Above every key the engine can build: keys begin with a four-byte hash and are far shorter than this.
END = b"\xff" * 64
PREFIX_BYTES = 4

FIRST_SHARED = 16
"""The number of the first space that shares an SQL table with others; the engine's own spaces are below."""

_COLUMNS = "(key BLOB PRIMARY KEY, size INTEGER NOT NULL, body BLOB NOT NULL) WITHOUT ROWID"
SCHEMA = (f"CREATE TABLE rows {_COLUMNS}", "CREATE TABLE spaces (number INTEGER PRIMARY KEY)")


class Statements(NamedTuple):
    """The SQL of the spaces of one SQL table."""

    get: str
    forward: str
    backward: str
    key_after: str
    totals: str
    put: str
    delete: str
    delete_range: str

    @classmethod
    def of(cls, table: str) -> "Statements":
        """The statements of an SQL table."""
        within = f"FROM {table} WHERE key >= ? AND key < ?"
        return cls(
            get=f"SELECT body, size FROM {table} WHERE key = ?",
            forward=f"SELECT key, body, size {within} ORDER BY key",
            backward=f"SELECT key, body, size {within} ORDER BY key DESC",
            key_after=f"SELECT key {within} ORDER BY key LIMIT 1 OFFSET ?",
            totals=f"SELECT count(*), coalesce(sum(size & {SIZE_MASK}), 0) {within}",
            put=f"INSERT INTO {table} VALUES (?1, ?2, ?3) "
            "ON CONFLICT (key) DO UPDATE SET size = excluded.size, body = excluded.body",
            delete=f"DELETE FROM {table} WHERE key = ?",
            delete_range=f"DELETE {within}",
        )


Place = tuple[bytes, Statements]
"""Where a space is stored: the first bytes of its keys, and the SQL of its SQL table."""

_HAS_SPACE = "SELECT 1 FROM spaces WHERE number = ?"


def table_of(space: int) -> str:
    """The SQL table of a space.

    >>> table_of(0), table_of(16)
    ('system_0', 'rows')
    """
    return "rows" if space >= FIRST_SHARED else f"system_{space}"


_SHARED = Statements.of(table_of(FIRST_SHARED))
_SYSTEM = tuple(Statements.of(table_of(space)) for space in range(FIRST_SHARED))


def prefix_of(space: int) -> bytes:
    """The first bytes of the stored keys of a space.

    >>> prefix_of(258).hex()
    '00000102'
    """
    return space.to_bytes(PREFIX_BYTES, "big")


def place_of(space: int) -> Place:
    """Where a space is stored."""
    return prefix_of(space), _SHARED if space >= FIRST_SHARED else _SYSTEM[space]


def create_statements(space: int) -> tuple[str, ...]:
    """The SQL that creates an empty space."""
    insert = f"INSERT INTO main.spaces VALUES ({space})"
    return (insert,) if space >= FIRST_SHARED else (f"CREATE TABLE {table_of(space)} {_COLUMNS}", insert)


class ReadView:
    """The rows of all spaces, for a reader.

    `known` has the spaces that are known to exist; all readers of a store share it.
    """

    __slots__ = ("connection", "execute", "known")

    def __init__(self, connection: apsw.Connection, known: dict[int, Place] | None = None) -> None:
        self.connection = connection
        self.execute = connection.execute
        self.known = {} if known is None else known

    def get(self, space: int, key: bytes) -> StoredItem | None:
        """The row at `key`."""
        try:
            prefix, sql = self.known[space]
        except KeyError:
            prefix, sql = self._find(space)
        stored = prefix + key
        try:
            for body, column in self.execute(sql.get, (stored,)):
                size = column & SIZE_MASK
                if crc32(body, crc32(stored, size)) == column >> SIZE_BITS:
                    return StoredItem(body, size)
                raise _damaged_row(space, stored)
        except _DAMAGE as error:
            _raise_damage(error, space, stored)
        return None

    def range(
        self, space: int, low: bytes = b"", high: bytes | None = None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows with `low <= key < high`, in key order or in reverse, fetched as they are consumed."""
        try:
            prefix, sql = self.known[space]
        except KeyError:
            prefix, sql = self._find(space)
        stored = None
        try:
            ends = prefix + low, prefix + (high or END)
            cursor = self.execute(sql.backward if backward else sql.forward, ends)
            try:
                for stored, body, column in cursor:
                    size = column & SIZE_MASK
                    if crc32(body, crc32(stored, size)) != column >> SIZE_BITS:
                        raise _damaged_row(space, stored)
                    yield stored[PREFIX_BYTES:], StoredItem(body, size)
            finally:
                cursor.close()
        except _DAMAGE as error:
            _raise_damage(error, space, stored)

    def key_after(self, space: int, low: bytes, rows: int) -> bytes | None:
        """The key `rows` rows after the first key from `low` on; None when there are not so many."""
        prefix, sql = self._find(space)
        row = self.execute(sql.key_after, (prefix + low, prefix + END, rows)).fetchone()
        return row[0][PREFIX_BYTES:] if row else None

    def has_space(self, space: int) -> bool:
        """Whether the space exists."""
        return self.execute(_HAS_SPACE, (space,)).fetchone() is not None

    def totals(self, space: int, low: bytes = b"", high: bytes | None = None) -> tuple[int, int]:
        """The number of rows of a range, and the sum of their sizes."""
        prefix, sql = self._find(space)
        ((count, size),) = self.execute(sql.totals, (prefix + low, prefix + (high or END)))
        return count, size

    def _find(self, space: int) -> Place:
        """Where a space is stored, if the commit that this reader sees has it."""
        place = self.known.get(space)
        if place is None:
            if not self.has_space(space):
                raise SpaceMissing(f"space {space} does not exist")
            place = self.known[space] = place_of(space)
        return place


class Transaction(ReadView):
    """The rows of all spaces, for a writer; `changes` counts its writes, to know whether failed work wrote anything."""

    __slots__ = ("_dropped", "_readers", "changes")

    def __init__(self, connection: apsw.Connection, readers: dict[int, Place] | None = None) -> None:
        super().__init__(connection)
        self.changes = 0
        self._readers = {} if readers is None else readers
        """The spaces that readers know."""
        self._dropped: list[int] = []

    def put(self, space: int, key: bytes, item: StoredItem) -> None:
        """Write a row, replacing the one at the same key."""
        try:
            prefix, sql = self.known[space]
        except KeyError:
            prefix, sql = self._find(space)
        stored = prefix + key
        self.changes += 1
        self.execute(sql.put, (stored, with_checksum(stored, item.size, item.raw), item.raw))

    def delete(self, space: int, key: bytes) -> None:
        """Remove the row at `key`, if there is one."""
        prefix, sql = self._find(space)
        self.changes += 1
        self.execute(sql.delete, (prefix + key,))

    def delete_range(self, space: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Remove all rows with `low <= key < high`."""
        prefix, sql = self._find(space)
        self.changes += 1
        self.execute(sql.delete_range, (prefix + low, prefix + (high or END)))

    def copy(self, source: int, target: int, low: bytes = b"", high: bytes | None = None) -> None:
        """Copy all rows with `low <= key < high` from one space into another; use it for a few rows at a time."""
        prefix, sql = self._find(source)
        rows: list[Any] = self.execute(sql.forward, (prefix + low, prefix + (high or END))).fetchall()
        prefix, sql = self._find(target)
        self.changes += 1
        for stored, body, column in rows:
            moved = prefix + stored[PREFIX_BYTES:]
            self.execute(sql.put, (moved, moved_checksum(stored, moved, column, body), body))

    def create_space(self, space: int) -> None:
        """Create an empty space."""
        self.changes += 1
        for statement in create_statements(space):
            self.execute(statement)
        self.known[space] = place_of(space)

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows."""
        self.delete_range(space)
        if space < FIRST_SHARED:
            self.execute(f"DROP TABLE {table_of(space)}")
        self.execute("DELETE FROM spaces WHERE number = ?", (space,))
        self.known.pop(space, None)
        self._dropped.append(space)

    def committed(self) -> None:
        """Make readers notice that spaces were dropped; called after each commit."""
        while self._dropped:
            self._readers.pop(self._dropped.pop(), None)

    def undone(self) -> None:
        """Forget which spaces exist; called when changes were undone."""
        self.known.clear()
        self._dropped.clear()


# A changed type of a value, which SQLite stores in each row, raises TypeError; text that is not UTF-8 the other.
_DAMAGE = (*UNREADABLE, TypeError, UnicodeDecodeError)


def _damaged_row(space: int, stored: bytes) -> StoreDamaged:
    key = stored[PREFIX_BYTES:]
    return StoreDamaged(
        f"the row {key.hex()} of space {space} does not match its checksum", space=space, row=key
    )


def _raise_damage(error: Exception, space: int, stored: object) -> NoReturn:
    """Raise the error for a row that could not be read; `error` itself when it has another reason than damage."""
    if isinstance(error, UNREADABLE) and not is_damage(error):
        raise error
    row = stored[PREFIX_BYTES:] if isinstance(stored, bytes) else None
    raise StoreDamaged(f"a row of space {space} cannot be read ({error})", space=space, row=row) from error


Totals = tuple[int, int]


class Tallies:
    """Rows and bytes by space."""

    def __init__(self) -> None:
        self._known: dict[int, Totals] = {}
        self._changes: dict[int, Totals] = {}
        """What writers added to spaces that are being counted, since the snapshot in which they are counted."""

    def known(self, space: int) -> Totals | None:
        """The tally of a space, or None when it was not counted yet."""
        return self._known.get(space)

    def of(self, rows: ReadView, space: int) -> Totals:
        """The number of rows of a space, and the sum of their sizes."""
        totals = self._known.get(space)
        if totals is None:
            totals = self._known[space] = rows.totals(space)
        return totals

    def note(self, space: int, before: StoredItem | None, after: StoredItem | None) -> None:
        """Update the tally for a row that was added, deleted or changed."""
        known = self._known
        totals = known.get(space)
        if totals is None and self._changes:
            known = self._changes
            totals = known.get(space)
        if totals is not None:
            count, size = totals
            if before is not None:
                count -= 1
                size -= before.size
            if after is not None:
                count += 1
                size += after.size
            known[space] = count, size

    def watch(self, space: int) -> bool:
        """Start to note the changes of a space that is counted in a snapshot; in a writer's turn.

        Return False when the space is being counted already."""
        if space in self._changes:
            return False
        self._changes[space] = 0, 0
        return True

    def settle(self, space: int, counted: Totals) -> None:
        """Set the tally of a space that was counted in a snapshot; in a writer's turn."""
        changes = self._changes.pop(space, None)
        if changes is not None:
            self._known[space] = counted[0] + changes[0], counted[1] + changes[1]

    def begin(self, space: int) -> None:
        """Start the tally of a new, empty space."""
        self._known[space] = 0, 0

    def forget(self, space: int) -> None:
        """Drop the tally of a space that was dropped, filled without its tally, or not counted to its end."""
        self._known.pop(space, None)
        self._changes.pop(space, None)

    def forget_all(self) -> None:
        """Drop all tallies: writes were undone."""
        self._known.clear()
        self._changes.clear()
