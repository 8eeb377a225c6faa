"""Page checksums: SQLite's checksum VFS, which verifies each page of the file when it is read from disk.

A row checksum proves that a row is as it was written. It cannot prove that no row is missing: a changed bit in SQLite's
own structures, or in a key, can hide a row. The checksum VFS (https://sqlite.org/cksumvfs.html) adds eight bytes to
every page and finds that too. It is an extension that the wheels of apsw include. Where it is missing, new files have
row checksums only, and files with page checksums cannot be opened: pages written without it would seem damaged.
"""

import ctypes
from functools import cache

import apsw
import apsw.sqlite_extra

VFS = "cksmvfs"
RESERVED_BYTES = 8


@cache
def vfs_name() -> str | None:
    """The name of the checksum VFS, which is loaded at the first call; None where apsw does not include it."""
    if VFS in apsw.vfs_names():
        return VFS
    default = apsw.vfs_names()[0]
    try:
        loader = apsw.Connection(":memory:")
        try:
            apsw.sqlite_extra.load(loader, "cksumvfs")
        finally:
            loader.close()
    except (apsw.Error, apsw.sqlite_extra.NotAvailable, LookupError, OSError):
        return None
    # The extension makes itself the default of the whole process, which may use apsw for other files.
    apsw.set_default_vfs(default)
    return VFS


def connect(path: str, statement_cache: int = 100, flags: int | None = None) -> apsw.Connection:
    """Open a file, with page checksums where they are available."""
    flags = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE if flags is None else flags
    return apsw.Connection(path, flags=flags, vfs=vfs_name(), statementcachesize=statement_cache)


def reserve_bytes(connection: apsw.Connection) -> None:
    """Make room for the checksums on the pages of a file that has no pages yet."""
    if vfs_name() is not None:
        wanted = ctypes.c_int(RESERVED_BYTES)
        connection.file_control("main", apsw.SQLITE_FCNTL_RESERVE_BYTES, ctypes.addressof(wanted))
