"""Row copies: a copy has the rows as of a point in time, whatever is written while it is made."""

import random
from pathlib import Path

import pytest

from tablewright.engine.core.jobs import row_sorter
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.features.backups import row_copies
from tests.engine.archive import (
    INDEXED,
    START,
    archive,
    back_up,
    create,
    delete,
    put,
    recover,
    restore,
    restore_to,
    scan,
)
from tests.engine.integrity import assert_indexes_match


@pytest.mark.parametrize("at_once", [1, 2, 2000])
@pytest.mark.parametrize("file", [None, "data.db"])
def test_changes_during_a_copy_are_undone(
    tmp_path: Path, at_once: int, file: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Writers change, delete and create rows after the first batch was copied."""
    monkeypatch.setattr(row_batches, "MAX_ROWS", at_once)
    copy_as_of = row_copies.copy_as_of
    with archive(tmp_path, None if file is None else tmp_path / file) as db:
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


def test_in_a_file_changes_are_undone_once_for_each_row_and_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(row_batches, "MAX_ROWS", 3)
    monkeypatch.setattr(row_sorter, "RUN_BYTES", 2000)
    undone: list[bytes] = []
    undo = row_copies._undo

    def record(tx: Writing, target: int, rows: list[row_batches.Row]) -> None:
        undone.extend(key for key, _ in rows)
        undo(tx, target, rows)

    monkeypatch.setattr(row_copies, "_undo", record)
    rng = random.Random(2)
    with archive(tmp_path, tmp_path / "data.db") as db:
        create(db, keys=INDEXED)
        recover(db)
        expected = [put(db, f"u{number:02}", city="Oslo") for number in range(10, 30)]
        db.clock.advance(1)
        changed = {f"u{rng.randrange(40):02}" for _ in range(30)}
        for number in range(5):
            for name in sorted(changed):
                if rng.random() < 0.3:
                    delete(db, name)
                else:
                    put(db, name, city=f"city {number}", team="red")
        last = {name: put(db, name, city="last") for name in changed}
        restore_to(db, START)
        assert scan(db, "restored") == expected
        assert_indexes_match(db)
        assert undone == sorted(undone)
        assert len(undone) == len(changed), "once for each row"
        restore_to(db, START + 1, "newest")
        left = {item["id"]["S"]: item for item in expected} | last
        assert scan(db, "newest") == [left[name] for name in sorted(left)]
