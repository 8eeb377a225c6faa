"""File locks: one process at a time owns a data file.

The engine caches the catalog and groups commits, so two processes must not share a file. The lock is the operating
system's, on a small file beside the data, and is released when its process ends, even a killed one. A forked child is
another process, and must not use the SQLite connections of its parent: see `protect_from_fork`.
"""

import os
from pathlib import Path
from typing import IO, Protocol
from weakref import WeakSet

from tablewright.errors import StoreError, StoreLocked

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


def lock_file(path: Path) -> IO[str]:
    """Lock a data file for this process, until the returned lock file is closed."""
    beside = path.with_name(path.name + ".lock")
    try:
        lock = os.fdopen(os.open(beside, os.O_RDWR | os.O_CREAT, 0o600), "r+")
    except OSError as error:
        raise StoreError(
            f"{beside} cannot be written: {error.strerror}; check the folder's permissions"
        ) from None
    try:
        _lock(lock)
    except OSError:
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise StoreLocked(f"{path} is in use by process {owner}{_advice(path, owner)}") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _advice(path: Path, owner: str) -> str:
    if owner == str(os.getpid()):
        return ", this process: it was opened before and not closed. Close it, or use the open one."
    return (
        f". Close it there, or share it: start `tablewright serve --on {path}` "
        "and connect both to its address."
    )


def _lock(file: IO[str]) -> None:
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
