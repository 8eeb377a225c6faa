"""Damaged files: reads what is left of a data file, and says what is not.

The file is opened without page checksums, for reading only, and is not changed. Rows are verified one by one, so an
intact row on a damaged page is found. Where a page cannot be read at all, the rows before and behind it are.
"""

import contextlib
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import apsw

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.storage import page_checksums
from tablewright.engine.storage.file_lock import lock_file
from tablewright.engine.storage.file_upgrade import FORMAT, PAGE_SIZE
from tablewright.engine.storage.rows import (
    END,
    FIRST_SHARED,
    PREFIX_BYTES,
    SIZE_MASK,
    is_intact,
    prefix_of,
    table_of,
)
from tablewright.engine.storage.sqlite_errors import explain
from tablewright.errors import StoreError, StoreFormat

OnDamage = Callable[[bytes | None, str], None]
"""Called with the key of a damaged row, or None for a gap of unknown rows, and what is wrong."""

# A gap between readable rows is halved so often in search of more.
_HALVINGS = 10
_KEY_BYTES = 12
# The last is raised by a number of a space that cannot be one.
_UNREADABLE = (apsw.Error, UnicodeDecodeError, OverflowError)


class DamagedFile:
    """A data file, damaged or not. No other process may use it."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = lock_file(path)
        try:
            self._connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
            ((version,),) = self._connection.execute("PRAGMA user_version")
            if 0 < int(version) < FORMAT:
                raise StoreFormat(
                    f"{path} has format {version}; open it as a database first, which rewrites it"
                )
            self.listed = self._listed_spaces()
            """The numbers of the spaces that exist for the store."""
            self.spaces = sorted(
                self.listed.union(self._spaces_of_rows(), self._spaces_of_rows(backward=True))
            )
            """The numbers of the spaces that exist or have rows."""
        except apsw.Error as error:
            self._lock.close()
            raise explain(error, path) from error
        except BaseException:
            self._lock.close()
            raise

    def _listed_spaces(self) -> set[int]:
        names = self._connection.execute("SELECT name FROM sqlite_schema WHERE name GLOB 'system_[0-9]*'")
        numbers = {int(str(name).removeprefix("system_")) for (name,) in names}
        with contextlib.suppress(*_UNREADABLE):
            for (number,) in self._connection.execute("SELECT number FROM spaces"):
                prefix_of(number)
                numbers.add(number)
        return numbers

    def _spaces_of_rows(self, *, backward: bool = False) -> Iterator[int]:
        """The spaces of stored rows, in order or in reverse, up to the first page that cannot be read."""
        query = "SELECT key FROM rows WHERE key >= ? ORDER BY key LIMIT 1"
        if backward:
            query = "SELECT key FROM rows WHERE key < ? ORDER BY key DESC LIMIT 1"
        position = END if backward else b""
        with contextlib.suppress(*_UNREADABLE):
            while row := self._connection.execute(query, (position,)).fetchone():
                key = row[0]
                if not isinstance(key, bytes) or (key >= position if backward else key < position):
                    return  # keys are out of order
                space = int.from_bytes(key[:PREFIX_BYTES], "big")
                yield space
                position = prefix_of(space if backward else space + 1)

    def damaged_pages(self, on_progress: Callable[[int, int], None]) -> Iterator[int]:
        """The numbers of the pages that do not match their checksum."""
        if page_checksums.vfs_name() is None:
            return
        total = self.path.stat().st_size // PAGE_SIZE
        verifier = apsw.Connection(":memory:")
        try:
            with self.path.open("rb") as file:
                if file.read(21)[20:] != bytes([page_checksums.RESERVED_BYTES]):
                    return
                file.seek(0)
                for number in range(1, total + 1):
                    ((intact,),) = verifier.execute("SELECT verify_checksum(?)", (file.read(PAGE_SIZE),))
                    if not intact:
                        yield number
                    on_progress(number, total)
        finally:
            verifier.close()

    def structure_problems(self, limit: int = 20) -> list[str]:
        """What SQLite's own integrity check finds."""
        try:
            rows = self._connection.execute(f"PRAGMA integrity_check({limit})").fetchall()
        except apsw.Error as error:
            return [str(error)]
        return [str(text) for (text,) in rows if text != "ok"]

    def get(self, space: int, key: bytes) -> StoredItem | None:
        """The row at `key`; None when there is none, or it is damaged."""
        try:
            query = f"SELECT key, size, body FROM {table_of(space)} WHERE key = ?"
            for row in self._connection.execute(query, (prefix_of(space) + key,)):
                return self._item(*row)
        except _UNREADABLE:
            pass
        return None

    def rows(self, space: int, on_damage: OnDamage) -> Iterator[tuple[bytes, StoredItem]]:
        """All intact rows of a space, not always in order; the others go to `on_damage`."""
        # The list of spaces may be damaged too.
        if space in self.spaces or space >= FIRST_SHARED:
            yield from self._rows(space, b"", END, on_damage, _HALVINGS)

    def _rows(
        self, space: int, low: bytes, high: bytes, on_damage: OnDamage, halvings: int
    ) -> Iterator[tuple[bytes, StoredItem]]:
        forward = _Scan(self, space, low, high, False, on_damage)
        yield from forward.rows()
        if forward.failure is None:
            return
        low = forward.last + b"\0" if forward.has_rows else low
        backward = _Scan(self, space, low, high, True, on_damage)
        yield from backward.rows()
        if backward.failure is None:
            return
        high = backward.last
        middle = _middle(low, high)
        if not halvings or not low < middle < high:
            on_damage(None, f"rows between {low.hex()} and {high.hex()} cannot be read ({backward.failure})")
            return
        yield from self._rows(space, low, middle, on_damage, halvings - 1)
        yield from self._rows(space, middle, high, on_damage, halvings - 1)

    def _item(self, key: Any, column: Any, body: Any) -> StoredItem | None:
        return StoredItem(body, column & SIZE_MASK) if is_intact(key, column, body) else None

    def close(self) -> None:
        """Release the file."""
        self._connection.close()
        self._lock.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class _Scan:
    """Reads a range of rows in one direction, until its end or the first page that cannot be read."""

    def __init__(
        self, file: DamagedFile, space: int, low: bytes, high: bytes, backward: bool, on_damage: OnDamage
    ) -> None:
        self._file, self._on_damage = file, on_damage
        self._query = f"SELECT key, size, body FROM {table_of(space)} WHERE key >= ? AND key < ? ORDER BY key"
        self._query += " DESC" if backward else ""
        self._prefix = prefix_of(space)
        self._range = self._prefix + low, self._prefix + high
        self._backward = backward
        self.last = high if backward else low
        """The key of the last row that was read; the end of the range it began with when there was none."""
        self.has_rows = False
        self.failure: Exception | None = None

    def rows(self) -> Iterator[tuple[bytes, StoredItem]]:
        try:
            for stored, column, body in self._file._connection.execute(self._query, self._range):
                if not isinstance(stored, bytes) or not stored.startswith(self._prefix):
                    raise StoreError("keys are out of order")
                key = stored[len(self._prefix) :]
                if not self._continues(key):
                    raise StoreError("keys are out of order")
                self.last, self.has_rows = key, True
                item = self._file._item(stored, column, body)
                if item is None:
                    self._on_damage(key, "the row does not match its checksum")
                else:
                    yield key, item
        except (*_UNREADABLE, StoreError) as error:
            self.failure = error

    def _continues(self, key: bytes) -> bool:
        """Whether a key is behind the previous one: a damaged page can lead back, and round in circles."""
        if not self.has_rows:
            return True
        return key < self.last if self._backward else key > self.last


def _middle(low: bytes, high: bytes) -> bytes:
    """A key between two keys.

    >>> _middle(b"", b"\\x80").rstrip(b"\\0"), _middle(b"a", b"c").rstrip(b"\\0")
    (b'@', b'b')
    """
    ends = (int.from_bytes(key[:_KEY_BYTES].ljust(_KEY_BYTES, b"\0"), "big") for key in (low, high))
    return (sum(ends) // 2).to_bytes(_KEY_BYTES, "big")
