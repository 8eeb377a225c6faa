"""SQLite's errors, as errors of the store that say what happened to which file and what to do."""

from pathlib import Path

import apsw

from tablewright.errors import StoreDamaged, StoreError, StoreFormat, StoreFull

UNREADABLE = (apsw.CorruptError, apsw.IOError)
"""The errors of a damaged file; an `IOError` only if `is_damage` says so."""


def is_damage(error: Exception) -> bool:
    """Whether the file is damaged: SQLite cannot understand it, or a page does not match its checksum."""
    if isinstance(error, apsw.IOError):
        return bool(getattr(error, "extendedresult", 0) == apsw.SQLITE_IOERR_DATA)
    return isinstance(error, apsw.CorruptError)


def damaged(
    path: Path | None, problem: object, *, space: int | None = None, row: bytes | None = None
) -> StoreDamaged:
    """The error for content that cannot be what was written."""
    place = path or "the in-memory database"
    advice = "restore it from a backup"
    if path is not None:
        advice += f", or save what is readable: tablewright fsck --storage --on {path} --salvage NEW_FILE"
    return StoreDamaged(f"{place} is damaged ({problem}); {advice}", space=space, row=row)


def explain(error: apsw.Error, path: Path | None) -> StoreError:
    """The error of the store for one of SQLite's."""
    place = path or "the in-memory database"
    match error:
        case apsw.SQLError() if "no such table" in str(error):
            return damaged(path, error)
        case apsw.ConnectionClosedError():
            return StoreError(f"{place} is closed; open it again")
        case apsw.FullError():
            return StoreFull(
                f"no disk space left for {place}: free some disk space and try again; no committed data was lost"
            )
        case apsw.NotADBError():
            return StoreFormat(f"{place} is not a Tablewright database; give the path of another file")
        case apsw.IOError() if is_damage(error):
            return damaged(path, "a page does not match its checksum")
        case apsw.CorruptError():
            return damaged(path, error)
        case apsw.CantOpenError() | apsw.ReadOnlyError() | apsw.PermissionsError():
            return StoreError(f"{place} cannot be written ({error}); check the folder and its permissions")
        case _:
            return StoreError(f"{place}: {error}")
