"""SQLite's errors become errors of the store, which name the file and the fix."""

from pathlib import Path

import apsw
import pytest

from tablewright.engine.storage.sqlite_errors import damaged, explain, is_damage
from tablewright.errors import StoreDamaged, StoreError, StoreFormat, StoreFull

FILE = Path("/data/app.db")


@pytest.mark.parametrize(
    ("error", "kind", "text"),
    [
        (apsw.SQLError("no such table: rows"), StoreDamaged, "no such table"),
        (apsw.ConnectionClosedError("x"), StoreError, "is closed; open it again"),
        (apsw.FullError("x"), StoreFull, "free some disk space"),
        (apsw.NotADBError("x"), StoreFormat, "not a Tablewright database"),
        (apsw.CorruptError("x"), StoreDamaged, "tablewright fsck --storage --on /data/app.db --salvage"),
        (apsw.ReadOnlyError("x"), StoreError, "check the folder"),
        (apsw.IOError("x"), StoreError, "/data/app.db: x"),
    ],
)
def test_errors_are_explained(error: apsw.Error, kind: type[StoreError], text: str) -> None:
    explained = explain(error, FILE)
    assert type(explained) is kind
    assert text in str(explained)


def test_a_failed_page_checksum_is_damage_and_another_io_error_is_not() -> None:
    plain = apsw.IOError("disk I/O error")
    assert not is_damage(plain)
    failed = apsw.IOError("disk I/O error")
    failed.extendedresult = apsw.SQLITE_IOERR_DATA  # type: ignore[attr-defined]
    assert is_damage(failed)
    assert isinstance(explain(failed, FILE), StoreDamaged)


def test_a_database_in_memory_has_nothing_to_salvage() -> None:
    assert "salvage" not in str(damaged(None, "x"))
