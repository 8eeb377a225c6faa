"""File calls: every write, sync, truncation and deletion that SQLite makes passes a test first.

`watching(before)` makes SQLite's file layer (its VFS) call `before(call)` ahead of each call, for every store that is
opened inside the `with` block. `before` may record the call, raise an apsw error in its place, or end the process.
Nothing in src knows of this: the store opens its file as always. A sync is passed to `before` only: a killed process
loses nothing that the operating system has, and power cuts are computed from the record.
"""

import itertools
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Literal, NamedTuple

import apsw

from tablewright.engine.storage import page_checksums

Kind = Literal["write", "sync", "truncate", "delete", "read"]


class FileCall(NamedTuple):
    """One call of SQLite on one of its files."""

    kind: Kind
    path: str
    offset: int = 0
    """Where a write begins; the new size of a truncation."""
    data: bytes = b""

    @property
    def changes_file(self) -> bool:
        return self.kind != "read"


Before = Callable[[FileCall], None]


class _WatchedFile(apsw.VFSFile):
    def __init__(
        self, base: str, name: str | apsw.URIFilename | None, flags: list[int], before: Before
    ) -> None:
        super().__init__(base, name, flags)
        self._path = name.filename() if isinstance(name, apsw.URIFilename) else str(name)
        self._before = before

    def excepthook(self, *error: Any) -> bool:
        """Accept the errors that SQLite ignores: those of a checkpoint, because the log still has everything."""
        return True

    def xRead(self, amount: int, offset: int) -> bytes:
        self._before(FileCall("read", self._path, offset))
        return super().xRead(amount, offset)

    def xWrite(self, data: bytes, offset: int) -> None:
        self._before(FileCall("write", self._path, offset, bytes(data)))
        super().xWrite(data, offset)

    def xSync(self, flags: int) -> None:
        self._before(FileCall("sync", self._path))

    def xTruncate(self, newsize: int) -> None:
        self._before(FileCall("truncate", self._path, newsize))
        super().xTruncate(newsize)


_SYSTEM = apsw.vfs_names()[0]
_numbers = itertools.count()


class _WatchedFiles(apsw.VFS):
    def __init__(self, base: str, before: Before) -> None:
        self._base = base
        self._before = before
        super().__init__(f"tablewright-watched-{next(_numbers)}", base, makedefault=True)

    def excepthook(self, *error: Any) -> bool:
        """As above."""
        return True

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:
        return _WatchedFile(self._base, name, flags, self._before)

    def xDelete(self, filename: str, syncdir: bool) -> None:
        self._before(FileCall("delete", filename))
        super().xDelete(filename, syncdir)


def ignore(call: FileCall) -> None:
    """Do nothing ahead of a call."""


@contextmanager
def watching(before: Before = ignore, checkpoint_pages: int = 40) -> Iterator[None]:
    """Call `before` ahead of each file call. The log is copied to the data file after so few pages, so that a short
    script has many checkpoints."""

    def checkpoint_often(connection: apsw.Connection) -> None:
        connection.wal_autocheckpoint(checkpoint_pages)

    watched = _WatchedFiles(_SYSTEM, before)
    _load_page_checksums()
    apsw.connection_hooks.append(checkpoint_often)
    try:
        yield
    finally:
        apsw.connection_hooks.remove(checkpoint_often)
        watched.unregister()
        _load_page_checksums()


def _load_page_checksums() -> None:
    """Put the layer of page checksums on top of the current default: it keeps the one that it found when loaded."""
    if page_checksums.VFS in apsw.vfs_names():
        apsw.unregister_vfs(page_checksums.VFS)
    page_checksums.vfs_name.cache_clear()
    page_checksums.vfs_name()
