"""One owner a file: the engine caches the catalog and groups commits, so two processes must not share a file.

The lock is the operating system's, on a small file beside the data, and falls with its process, even a killed one.
A forked child is another process, and SQLite's connections must not be carried across a fork: see `keep`.
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


def claim(path: Path) -> IO[str]:
    """Take the file for this process; the claim holds until the returned file is closed."""
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
        raise StoreLocked(f"{path} is in use by process {owner}{_way_out(path, owner)}") from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _way_out(path: Path, owner: str) -> str:
    if owner == str(os.getpid()):
        return ", this one: it was opened before, and not closed. Close that one, or go on using it."
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


class Kept(Protocol):
    """What this process owns and a forked child must leave alone."""

    def disown(self) -> None:
        """Called in the child."""


_KEPT: "WeakSet[Kept]" = WeakSet()


def keep(store: Kept) -> None:
    """Remember an owner's store, so that a forked child can be told that it is not its own."""
    _KEPT.add(store)


def _disown_all() -> None:
    for store in list(_KEPT):
        store.disown()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_disown_all)
