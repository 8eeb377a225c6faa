"""One owner a file: the engine caches the catalog and groups commits, so two processes must not share a file.

The lock is the operating system's, on a small file beside the data, and falls with its process, even a killed one.
"""

import os
from pathlib import Path
from typing import IO

from tablewright.errors import StoreLocked

try:
    import fcntl
except ImportError:  # pragma: no cover - Windows
    fcntl = None  # type: ignore[assignment]


def claim(path: Path) -> IO[str]:
    """Take the file for this process; the claim holds until the returned file is closed."""
    beside = path.with_name(path.name + ".lock")
    lock = os.fdopen(os.open(beside, os.O_RDWR | os.O_CREAT, 0o600), "r+")
    try:
        _lock(lock)
    except OSError:
        owner = lock.read().strip() or "unknown"
        lock.close()
        raise StoreLocked(
            f"{path} is in use by process {owner}. Close it there, or share it: start "
            f"`tablewright serve --data {path}` and connect both to its address."
        ) from None
    lock.truncate(0)
    lock.write(str(os.getpid()))
    lock.flush()
    return lock


def _lock(file: IO[str]) -> None:
    if fcntl is not None:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        return
    import msvcrt  # pragma: no cover - Windows

    msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # pragma: no cover
