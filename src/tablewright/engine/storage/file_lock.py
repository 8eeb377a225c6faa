"""File locks: one process at a time owns a data file.

The engine caches the catalog and groups commits, so two processes must not share a file. The lock is the operating
system's, on a small file beside the data, and is released when its process ends, even a killed one. It is not on the
data file: closing a second descriptor of that file would release SQLite's own locks. A file of that name which is not
a lock of ours is never changed. A forked child is another process, and must not use the SQLite connections of its
parent: see `protect_from_fork`.
"""

import errno
import os
import re
from pathlib import Path
from stat import S_ISREG
from typing import IO, Protocol
from weakref import WeakSet

from tablewright.errors import StoreError, StoreFull, StoreLocked

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


# The content of a lock file; the first versions wrote the number alone. It is empty after a crash.
_OWNER = re.compile(rb"(?:tablewright )?([0-9]{1,10})\n?|")
_MAX_CONTENT = 32
# O_NONBLOCK: opening a named pipe would wait for its writer.
_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def lock_file(path: Path) -> IO[bytes]:
    """Lock a data file for this process, until the returned lock file is closed."""
    beside = path.with_name(path.name + ".lock")
    lock = _open(beside)
    try:
        owner = _owner(lock, beside)
        try:
            _lock(lock)
        except OSError:
            raise StoreLocked(f"{path} is in use by process {owner}{_advice(path, owner)}") from None
        _owner(lock, beside)  # another program may have written to it before it was locked
        _write_owner(lock, beside)
    except BaseException:
        lock.close()
        raise
    return lock


def _open(beside: Path) -> IO[bytes]:
    try:
        return os.fdopen(os.open(beside, _FLAGS, 0o600), "r+b", buffering=0)
    except OSError as error:
        if error.errno == errno.ELOOP:
            raise _foreign(beside, "is a symbolic link") from None
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(beside) from None
        raise StoreError(
            f"{beside} cannot be written: {error.strerror}; check the folder's permissions"
        ) from None


def _owner(lock: IO[bytes], beside: Path) -> str:
    """The process in a lock file; `StoreError` if the file is not a lock of ours."""
    status = os.fstat(lock.fileno())
    if not S_ISREG(status.st_mode):
        raise _foreign(beside, "is not a regular file")
    if status.st_nlink > 1:
        raise _foreign(beside, "has several hard links")
    lock.seek(0)
    content = _OWNER.fullmatch(lock.read(_MAX_CONTENT + 1) or b"")
    if content is None:
        raise _foreign(beside, "was not written by Tablewright")
    return (content[1] or b"unknown").decode()


def _write_owner(lock: IO[bytes], beside: Path) -> None:
    try:
        lock.truncate(0)
        lock.seek(0)
        lock.write(b"tablewright %d\n" % os.getpid())
    except OSError as error:
        if error.errno in (errno.ENOSPC, errno.EDQUOT):
            raise _disk_full(beside) from None
        raise StoreError(f"{beside} cannot be written: {error.strerror}") from None


def _foreign(beside: Path, reason: str) -> StoreError:
    return StoreError(
        f"{beside} {reason}, so it cannot be the lock of the data file; it was not changed. "
        "Give the data file another name, or move that file away."
    )


def _disk_full(beside: Path) -> StoreFull:
    return StoreFull(f"no disk space left for {beside}: free some disk space and try again")


def _advice(path: Path, owner: str) -> str:
    if owner == str(os.getpid()):
        return ", this process: it was opened before and not closed. Close it, or use the open one."
    return (
        f". Close it there, or share it: start `tablewright serve --on {path}` "
        "and connect both to its address."
    )


def _lock(file: IO[bytes]) -> None:
    if fcntl is not None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # pragma: no cover - Windows

    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # pragma: no cover


class ForkSensitive(Protocol):
    """Something that a forked child must not use."""

    def close_in_child(self) -> None:
        """Called in the child."""


_PROTECTED: "WeakSet[ForkSensitive]" = WeakSet()


def protect_from_fork(store: ForkSensitive) -> None:
    """Call `store.close_in_child()` in every forked child."""
    _PROTECTED.add(store)


def _close_all_in_child() -> None:
    for store in list(_PROTECTED):
        store.close_in_child()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_close_all_in_child)
