"""Row removals: deleted tables and indexes are gone at once; their rows are deleted in batches."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.jobs.job_runner import Job, Jobs
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import EXPIRY, JOURNAL, Catalog, StoredTable
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import LimitExceeded, ResourceInUse, ResourceNotFound, ValidationError
from tests.engine.archive import INDEXED, create, put

USERS = {"TableName": "users"}
DELETE = {**USERS, "GlobalSecondaryIndexUpdates": [{"Delete": {"IndexName": "by-team"}}]}
ITEMS = 30


@pytest.fixture(autouse=True)
def small_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_batches, "MAX_ROWS", 4)


def open_users(path: Path | None = None) -> Database:
    db = Database(open_store(path, "relaxed"))
    create(db, keys=INDEXED)
    for number in range(ITEMS):
        put(db, f"user {number}", team="red")
    return db


def spaces_of(db: Database) -> list[int]:
    return list(db.state.catalog.table("users").definition["Spaces"].values())


def left(db: Database, spaces: list[int]) -> list[int]:
    return db.state.store.read(lambda rows: [space for space in spaces if rows.has_space(space)])


def test_a_deleted_table_is_gone_at_once_and_its_rows_in_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    db = open_users()
    spaces = spaces_of(db)
    counts: list[int] = []
    write = Job.write

    def write_and_count(job: Job, work: Callable[[Writing], Any]) -> Any:
        result = write(job, work)
        present = left(db, spaces)
        counts.append(db.state.store.read(lambda rows: sum(rows.totals(space)[0] for space in present)))
        return result

    monkeypatch.setattr(Job, "write", write_and_count)
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("DeleteTable", USERS)
        for operation in ("DescribeTable", "Scan"):
            with pytest.raises(ResourceNotFound):
                db.call(operation, USERS)
        create(db, keys=INDEXED)
        put(db, "new")
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert left(db, spaces) == []
    steps = [before - after for before, after in zip([2 * ITEMS, *counts], counts, strict=False)]
    assert max(steps) <= 4
    assert [item["id"]["S"] for item in db.call("Scan", USERS)["Items"]] == ["new"]
    db.close()


def test_a_removal_continues_when_the_database_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "users.db"
    db = open_users(path)
    spaces = spaces_of(db)
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        db.call("DeleteTable", USERS)
    assert left(db, spaces) == spaces
    db.close()
    db = Database(open_store(path, "relaxed"))
    db.jobs.wait_for_all()
    assert left(db, spaces) == []
    db.close()


def test_a_deleted_index_is_shown_until_its_rows_are_gone(monkeypatch: pytest.MonkeyPatch) -> None:
    db = open_users()
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        shown = db.call("UpdateTable", DELETE)["TableDescription"]
        assert shown["GlobalSecondaryIndexes"][0]["ItemCount"] == ITEMS
        shown = db.call("DescribeTable", USERS)["Table"]
        assert (shown["TableStatus"], shown["GlobalSecondaryIndexes"][0]["IndexStatus"]) == (
            "UPDATING",
            "DELETING",
        )
        assert len(shown["AttributeDefinitions"]) == 2
        with pytest.raises(ValidationError, match="The table does not have the specified index: by-team"):
            db.call("Scan", {**USERS, "IndexName": "by-team"})
        with pytest.raises(LimitExceeded, match="Only 1 online index"):
            db.call("UpdateTable", DELETE)
        with pytest.raises(ResourceInUse, match="Table is being updated: users"):
            db.call("DeleteTable", USERS)
        put(db, "free", team="")
    db.jobs.wake()
    db.jobs.wait()
    shown = db.call("DescribeTable", USERS)["Table"]
    assert shown["TableStatus"] == "ACTIVE"
    assert "GlobalSecondaryIndexes" not in shown
    assert len(shown["AttributeDefinitions"]) == 1
    db.close()


def test_a_deleted_table_leaves_no_journal_and_no_expiry() -> None:
    db = open_users()
    ttl = {"AttributeName": "expires", "Enabled": True}
    db.call("UpdateTimeToLive", {**USERS, "TimeToLiveSpecification": ttl})
    for number in range(ITEMS):
        item = {"id": {"S": f"user {number}"}, "expires": {"N": "9999999999"}}
        db.call("PutItem", {**USERS, "Item": item})
    recovery = {"PointInTimeRecoverySpecification": {"PointInTimeRecoveryEnabled": True}}
    db.call("UpdateContinuousBackups", {**USERS, **recovery})
    for number in range(ITEMS):
        put(db, f"user {number}", expires="never")
        put(db, f"user {number}")
    db.call("DeleteTable", USERS)
    db.jobs.wait_for_all()
    assert db.state.store.read(lambda rows: [*rows.range(EXPIRY), *rows.range(JOURNAL)]) == []
    db.close()


def test_recovery_enabled_again_keeps_the_new_journal(monkeypatch: pytest.MonkeyPatch) -> None:
    db = open_users()

    def recover(*, enabled: bool) -> None:
        specification = {"PointInTimeRecoveryEnabled": enabled}
        db.call("UpdateContinuousBackups", {**USERS, "PointInTimeRecoverySpecification": specification})

    recover(enabled=True)
    for number in range(ITEMS):
        put(db, f"user {number}", team="blue")
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        recover(enabled=False)
        recover(enabled=True)
        for number in range(5):
            put(db, f"user {number}", team="green")
    db.jobs.wake()
    db.jobs.wait_for_all()
    assert len(db.state.store.read(lambda rows: list(rows.range(JOURNAL)))) == 5
    db.close()


def test_a_read_that_met_a_removal_is_repeated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A reader that found the table before it was deleted does not return the rows that are left."""
    db = open_users(tmp_path / "users.db")
    find = Catalog.table
    deleted: list[str] = []

    def find_then_delete(catalog: Catalog, name: str) -> StoredTable:
        table = find(catalog, name)
        if not deleted:
            deleted.append(name)
            db.call("DeleteTable", USERS)
            create(db)
        return table

    monkeypatch.setattr(Jobs, "wake", lambda self: None)
    monkeypatch.setattr(Catalog, "table", find_then_delete)
    assert db.call("Scan", USERS)["Items"] == []
    assert deleted == ["users"]
    db.close()
