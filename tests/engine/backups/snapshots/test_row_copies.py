"""Row copies: a copy has the rows as of a point in time, whatever is written while it is made."""

from pathlib import Path

import pytest

from tablewright.engine.backups.snapshots import row_copies
from tablewright.engine.state import row_batches
from tests.engine.backups.archive import archive, back_up, create, delete, put, recover, restore, scan


@pytest.mark.parametrize("at_once", [1, 2, 2000])
def test_changes_during_a_copy_are_undone(
    tmp_path: Path, at_once: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers change, delete and create rows after the first batch was copied."""
    monkeypatch.setattr(row_batches, "MAX_ROWS", at_once)
    copy_as_of = row_copies.copy_as_of
    with archive(tmp_path) as db:
        create(db)
        recover(db)
        expected = [put(db, f"u{number}", city="Oslo") for number in range(4)]

        def copy_between_writes(*arguments: object) -> None:
            put(db, "u0", city="Lund")
            delete(db, "u1")
            put(db, "u9", city="Rome")
            copy_as_of(*arguments)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(row_copies, "copy_as_of", copy_between_writes)
            backup = back_up(db)
        restore(db, backup)
        assert scan(db, "restored") == expected
        assert [item["id"]["S"] for item in scan(db, "users")] == ["u0", "u2", "u3", "u9"]


def test_the_rows_of_a_deleted_table_stay_until_the_copy_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    copy_as_of = row_copies.copy_as_of
    with archive(tmp_path) as db:
        create(db)
        expected = [put(db, "u0"), put(db, "u1")]

        def copy_after_delete(*arguments: object) -> None:
            db.call("DeleteTable", {"TableName": "users"})
            copy_as_of(*arguments)  # type: ignore[arg-type]

        with monkeypatch.context() as patch:
            patch.setattr(row_copies, "copy_as_of", copy_after_delete)
            backup = back_up(db)
        assert db.call("ListTables", {})["TableNames"] == []
        restore(db, backup)
        assert scan(db, "restored") == expected
