"""File upgrades: a file of an older format is rewritten when it is opened.

Every release has written the same format, so there is no older one yet: `OLDER` is empty. A release that changes the
format adds the function that copies the rows of the previous one. The format has a checksum in each row
(`row_checksums`) and on each page (`page_checksums`), and one SQL table for all tables and indexes (`rows`).

The new file is written beside the old one and replaces it in one step, so a crash at any time leaves one of the two,
complete. It needs as much free disk space as the file is large. The caller has locked the file.
"""

import contextlib
import logging
import os
from collections.abc import Callable
from pathlib import Path

import apsw

from tablewright.engine.storage import page_checksums
from tablewright.engine.storage.sqlite_errors import damaged, explain
from tablewright.errors import StoreError, StoreFormat

FORMAT = 3
SUFFIX = ".tablewright-upgrade"
"""Ends the name of the new file until it is complete; one that a killed process left is deleted."""
# 1 KB items fit four to a page of this size without spilling; measured fastest of 4, 8 and 16 KB.
PAGE_SIZE = 8192

OLDER: dict[int, Callable[[apsw.Connection], None]] = {}
"""How the rows of an older format are copied: from the schema `old` to `main`, inside of a transaction."""

_RESERVED, _VERSION = slice(20, 21), slice(60, 64)

_log = logging.getLogger("tablewright.engine.storage")


def upgrade(file: Path) -> None:
    """Rewrite a file of an older format, or without page checksums; do nothing to any other file."""
    with file.open("rb") as opened:
        header = opened.read(100)
    version = int.from_bytes(header[_VERSION], "big")
    reserved = int.from_bytes(header[_RESERVED], "big")
    if not header or version > FORMAT:
        return
    if page_checksums.vfs_name() is None:
        _require_no_page_checksums(file, reserved)
        if version == FORMAT:
            return
    elif version == FORMAT and reserved == page_checksums.RESERVED_BYTES:
        return
    elif reserved not in (0, page_checksums.RESERVED_BYTES):
        raise damaged(file, f"its header reserves {reserved} bytes of each page")
    try:
        in_log = _version_in_log(file)
        if 0 < in_log < FORMAT and in_log not in OLDER:
            raise StoreFormat(f"{file} has format {in_log}, which no release of Tablewright has written")
        if 0 < in_log < FORMAT or (in_log == FORMAT and not reserved):
            _log.info("rewriting %s in format %s", file, FORMAT)
            rewrite(file)
    except apsw.Error as error:
        raise explain(error, file) from error
    except TypeError as error:  # the type of a value changed, which SQLite stores in each row
        raise damaged(file, error) from error


def _require_no_page_checksums(file: Path, reserved: int) -> None:
    if reserved == page_checksums.RESERVED_BYTES:
        raise StoreError(
            f"{file} has page checksums, and this installation of apsw lacks the extension that verifies them "
            "(cksumvfs); install a wheel of apsw: pip install --force-reinstall --only-binary :all: apsw"
        )


def _version_in_log(file: Path) -> int:
    """The format of a file whose header may be newer in its log."""
    connection = page_checksums.connect(str(file))
    try:
        ((version,),) = connection.execute("PRAGMA user_version")
        return int(version)
    finally:
        connection.close()


def rewrite(file: Path) -> None:
    """Replace a file by a copy in the current format, without free pages."""
    new = file.with_name(file.name + SUFFIX)
    with contextlib.suppress(FileNotFoundError):
        new.unlink()
    try:
        _empty_log(file)
        # SQLite does not flush the removal of the log; after a power failure, it would be beside another file.
        _flush_directory(file.parent)
        _copy(file, new)
        _flush(new)
        os.replace(new, file)
        _flush_directory(file.parent)
    except OSError as error:
        raise StoreError(f"{file} cannot be rewritten as {new}: {error.strerror}; check the disk") from error
    finally:
        with contextlib.suppress(FileNotFoundError):
            new.unlink()


def _empty_log(file: Path) -> None:
    """Move everything from the log into the file and remove the log, which must not outlive the file."""
    connection = page_checksums.connect(str(file))
    try:
        ((mode,),) = connection.execute("PRAGMA journal_mode = DELETE")
        if mode != "delete":
            raise StoreError(f"{file} cannot be rewritten while another program reads it; stop that program")
    finally:
        connection.close()


def _copy(file: Path, new: Path) -> None:
    """Copy all rows into a new file, with checksums."""
    status = file.stat()
    os.close(os.open(new, os.O_CREAT | os.O_EXCL | os.O_RDWR, status.st_mode & 0o777))
    if os.name == "posix" and (status.st_uid, status.st_gid) != (os.geteuid(), os.getegid()):
        with contextlib.suppress(PermissionError):
            os.chown(new, status.st_uid, status.st_gid)  # root opens the file of another user
    connection = page_checksums.connect(str(new))
    try:
        create_pages(connection)
        # The file is used only once it is complete and flushed.
        connection.execute("PRAGMA journal_mode = OFF")
        connection.execute("PRAGMA synchronous = OFF")
        connection.execute("ATTACH ? AS old", (str(file),))
        ((application,),) = connection.execute("PRAGMA old.application_id")
        ((version,),) = connection.execute("PRAGMA old.user_version")
        connection.execute("BEGIN")
        OLDER.get(version, _copy_tables)(connection)
        connection.execute(f"PRAGMA main.application_id = {application}")
        connection.execute(f"PRAGMA main.user_version = {FORMAT}")
        connection.execute("COMMIT")
    finally:
        connection.close()


def _copy_tables(connection: apsw.Connection) -> None:
    tables = connection.execute("SELECT name, sql FROM old.sqlite_schema WHERE type = 'table'").fetchall()
    for name, sql in tables:
        connection.execute(str(sql))
        connection.execute(f"INSERT INTO main.{name} SELECT * FROM old.{name} ORDER BY 1")


def create_pages(connection: apsw.Connection) -> None:
    """Write the first page of an empty file: how pages are laid out is decided there."""
    connection.execute(f"PRAGMA page_size = {PAGE_SIZE}")
    # In this order, and before the first page is written.
    page_checksums.reserve_bytes(connection)
    connection.execute("PRAGMA auto_vacuum = INCREMENTAL")


def _flush(path: Path, flags: int = os.O_RDWR) -> None:
    descriptor = os.open(path, flags)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_directory(path: Path) -> None:
    if os.name == "posix":  # elsewhere a directory cannot be opened
        _flush(path, os.O_RDONLY)
