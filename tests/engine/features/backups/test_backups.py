"""Backups: copies that outlive their tables, and errors for conflicting requests."""

import re
import threading
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from tablewright.engine.core.jobs import index_fills
from tablewright.engine.core.jobs.job_runner import Jobs
from tablewright.engine.core.state import row_batches
from tablewright.engine.core.state.catalog import FIRST_FREE, JOURNAL
from tablewright.engine.database import Database
from tablewright.engine.features.backups.change_journal import DAY
from tablewright.errors import (
    AccessDenied,
    BackupInUse,
    BackupNotFound,
    ResourceInUse,
    ResourceNotFound,
    TableAlreadyExists,
    TableInUse,
    TableNotFound,
    ValidationError,
)
from tests.engine.archive import (
    ARN,
    INDEXED,
    START,
    archive,
    back_up,
    create,
    delete,
    put,
    recover,
    restore,
    scan,
)

NOT_THERE = f"{ARN}users/backup/01700000000000-0badf00d"


def spaces(db: Database) -> set[int]:
    """The spaces that tables, indexes and backups have."""
    return db.state.store.read(
        lambda rows: {space for space in range(FIRST_FREE, 200) if rows.has_space(space)}
    )


def test_a_backup_contains_the_table_as_it_was(db: Database) -> None:
    create(db, keys=INDEXED)
    ada = put(db, "ada", team="red")
    put(db, "bob", team="blue")
    backup = back_up(db)
    put(db, "bob", team="red")
    put(db, "eve", team="red")
    delete(db, "ada")
    restored = restore(db, backup)
    assert restored["TableStatus"] == "CREATING"
    assert restored["RestoreSummary"] == {
        "SourceBackupArn": backup,
        "SourceTableArn": f"{ARN}users",
        "RestoreDateTime": START,
        "RestoreInProgress": True,
    }
    assert [item["team"]["S"] for item in scan(db, "restored")] == ["red", "blue"]
    assert scan(
        db,
        "restored",
        IndexName="by-team",
        FilterExpression="team = :t",
        ExpressionAttributeValues={":t": {"S": "red"}},
    ) == [ada]
    shown = db.call("DescribeTable", {"TableName": "restored"})["Table"]
    assert (shown["TableStatus"], shown["ItemCount"]) == ("ACTIVE", 2)
    assert "RestoreSummary" not in shown


def test_a_backup_is_described(db: Database) -> None:
    create(db, keys=INDEXED, StreamSpecification={"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"})
    specification = {"AttributeName": "ttl", "Enabled": True}
    db.call("UpdateTimeToLive", {"TableName": "users", "TimeToLiveSpecification": specification})
    put(db, "ada")
    reply = db.call("CreateBackup", {"TableName": "users", "BackupName": "first"})["BackupDetails"]
    assert re.fullmatch(re.escape(ARN) + r"users/backup/01700000000000-[0-9a-f]{8}", reply["BackupArn"])
    assert (reply["BackupStatus"], reply["BackupType"]) == ("CREATING", "USER")
    db.jobs.wait()
    described = db.call("DescribeBackup", {"BackupArn": reply["BackupArn"]})["BackupDescription"]
    assert described["BackupDetails"] == {**reply, "BackupStatus": "AVAILABLE", "BackupSizeBytes": 5}
    assert described["SourceTableDetails"] == {
        "TableName": "users",
        "TableId": db.call("DescribeTable", {"TableName": "users"})["Table"]["TableId"],
        "TableArn": f"{ARN}users",
        "TableSizeBytes": 5,
        "KeySchema": INDEXED["KeySchema"],
        "TableCreationDateTime": START,
        "ProvisionedThroughput": {"ReadCapacityUnits": 0, "WriteCapacityUnits": 0},
        "ItemCount": 1,
        "BillingMode": "PAY_PER_REQUEST",
    }
    features = described["SourceTableFeatureDetails"]
    assert features["StreamDescription"] == {"StreamEnabled": True, "StreamViewType": "NEW_IMAGE"}
    assert features["TimeToLiveDescription"] == {"TimeToLiveStatus": "ENABLED", "AttributeName": "ttl"}
    assert set(features["GlobalSecondaryIndexes"][0]) == {
        "IndexName",
        "KeySchema",
        "Projection",
        "ProvisionedThroughput",
    }


def test_a_plain_table_has_no_features(db: Database) -> None:
    create(db)
    description = db.call("DescribeBackup", {"BackupArn": back_up(db)})["BackupDescription"]
    assert description["SourceTableFeatureDetails"] == {}


def test_a_backup_outlives_its_table_and_a_namesake(db: Database) -> None:
    create(db)
    ada = put(db, "ada")
    old = back_up(db)
    db.call("DeleteTable", {"TableName": "users"})
    create(db)
    db.clock.advance(1)
    new = back_up(db)
    summaries = db.call("ListBackups", {"TableName": "users"})["BackupSummaries"]
    assert [summary["BackupArn"] for summary in summaries] == [old, new]
    assert len({summary["TableId"] for summary in summaries}) == 2
    restore(db, old)
    assert scan(db, "restored") == [ada]


def test_a_deleted_backup_is_gone_with_its_rows(db: Database) -> None:
    create(db)
    before = spaces(db)
    backup = back_up(db)
    assert spaces(db) > before
    reply = db.call("DeleteBackup", {"BackupArn": backup})["BackupDescription"]
    assert reply["BackupDetails"]["BackupStatus"] == "DELETED"
    for operation in ("DescribeBackup", "DeleteBackup"):
        with pytest.raises(BackupNotFound, match=re.escape(f"Backup not found: {backup}")):
            db.call(operation, {"BackupArn": backup})
    assert db.call("ListBackups", {}) == {"BackupSummaries": []}
    assert spaces(db) == before


def test_backups_are_listed_in_pages(db: Database) -> None:
    create(db)
    create(db, "orders")
    arns = []
    for table in ("users", "orders", "users"):
        arns.append(back_up(db, table))
        db.clock.advance(1)
    first = db.call("ListBackups", {"Limit": 2})
    assert [each["BackupArn"] for each in first["BackupSummaries"]] == arns[:2]
    second = db.call("ListBackups", {"Limit": 2, "ExclusiveStartBackupArn": first["LastEvaluatedBackupArn"]})
    assert [each["BackupArn"] for each in second["BackupSummaries"]] == arns[2:]
    assert "LastEvaluatedBackupArn" not in second

    def listed(**request: Any) -> list[str]:
        return [each["BackupArn"] for each in db.call("ListBackups", request)["BackupSummaries"]]

    assert listed(TableName=f"{ARN}users") == [arns[0], arns[2]]
    assert listed(TableName="missing") == []
    assert listed(TimeRangeLowerBound=START + 1, TimeRangeUpperBound=START + 2) == [arns[1]]
    assert listed(BackupType="SYSTEM") == []
    with pytest.raises(ValidationError, match="Time range lower bound must be less than or equal"):
        listed(TimeRangeLowerBound=2, TimeRangeUpperBound=1)


def test_a_deleted_table_that_could_be_recovered_leaves_a_backup(db: Database) -> None:
    create(db, keys=INDEXED)
    recover(db)
    ada = put(db, "ada", team="red")
    db.call("DeleteTable", {"TableName": "users"})
    assert db.call("ListBackups", {}) == {"BackupSummaries": []}
    (left,) = db.call("ListBackups", {"BackupType": "ALL"})["BackupSummaries"]
    assert left["BackupName"] == "users$DeletedTableBackup"
    assert left["BackupArn"].endswith("-00000000")
    assert (left["BackupType"], left["BackupStatus"]) == ("SYSTEM", "AVAILABLE")
    assert left["BackupExpiryDateTime"] == START + 35 * DAY
    with pytest.raises(ValidationError, match="It will automatically expire on 2023-12-19T22:13:20Z"):
        db.call("DeleteBackup", {"BackupArn": left["BackupArn"]})
    restore(db, left["BackupArn"], "users")
    assert scan(db, "users") == scan(db, "users", IndexName="by-team") == [ada]
    db.clock.advance(35 * DAY - 1)
    db.sweep()
    assert db.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]
    db.clock.advance(1)
    db.sweep()
    assert db.call("ListBackups", {"BackupType": "SYSTEM"}) == {"BackupSummaries": []}


def test_a_table_that_could_not_be_recovered_leaves_nothing(db: Database) -> None:
    before = spaces(db)
    create(db)
    recover(db)
    put(db, "ada")
    recover(db, enabled=False)
    db.call("DeleteTable", {"TableName": "users"})
    assert db.call("ListBackups", {"BackupType": "ALL"}) == {"BackupSummaries": []}
    assert spaces(db) == before


REJECTED: list[tuple[str, dict[str, Any], type[Exception], str]] = [
    (
        "CreateBackup",
        {"TableName": "missing", "BackupName": "kept"},
        TableNotFound,
        "Table not found: missing",
    ),
    (
        "CreateBackup",
        {"TableName": "users"},
        ValidationError,
        "1 validation error detected: Value null at 'backupName' failed to satisfy constraint: Member must not be null",
    ),
    (
        "CreateBackup",
        {"TableName": "users", "BackupName": "a b"},
        ValidationError,
        "1 validation error detected: Value 'a b' at 'backupName' failed to satisfy constraint: Member must satisfy "
        "regular expression pattern: [a-zA-Z0-9_.-]+",
    ),
    ("DescribeBackup", {"BackupArn": NOT_THERE}, BackupNotFound, f"Backup not found: {NOT_THERE}"),
    ("DescribeBackup", {"BackupArn": f"{ARN}users"}, ValidationError, "Invalid Backup ARN"),
    ("DeleteBackup", {"BackupArn": "x" * 48}, ValidationError, "Invalid Backup ARN"),
    (
        "DeleteBackup",
        {"BackupArn": NOT_THERE.replace("us-east-1", "xx-fake-1")},
        ValidationError,
        "Invalid Request: BackupArn is not valid",
    ),
    (
        "DescribeBackup",
        {"BackupArn": NOT_THERE.replace("123456789012", "210987654321")},
        AccessDenied,
        "Access is denied",
    ),
    (
        "RestoreTableFromBackup",
        {"BackupArn": NOT_THERE, "TargetTableName": "restored"},
        BackupNotFound,
        f"Backup not found: {NOT_THERE}",
    ),
]


@pytest.mark.parametrize(("operation", "request_", "error", "message"), REJECTED)
def test_invalid_requests(
    operation: str, request_: dict[str, Any], error: type[Exception], message: str, tmp_path: Path
) -> None:
    with archive(tmp_path) as db:
        create(db)
        with pytest.raises(error) as refused:
            db.call(operation, request_)
        assert str(refused.value) == message


def test_names_need_not_be_unique(db: Database) -> None:
    create(db)
    assert len({back_up(db, name="same") for _ in range(3)}) == 3


def test_one_restore_at_a_time(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    create(db)
    ada = put(db, "ada")
    backup = back_up(db)
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        restore(db, backup)
        coming = db.call("DescribeTable", {"TableName": "restored"})["Table"]
        assert coming["TableStatus"] == "CREATING"
        assert coming["RestoreSummary"]["RestoreInProgress"] is True
        assert db.call("ListTables", {}) == {"TableNames": ["restored", "users"]}
        for operation, request, error, message in [
            (
                "RestoreTableFromBackup",
                {"BackupArn": backup, "TargetTableName": "other"},
                BackupInUse,
                f"Backup is being used to restore another table: {backup}",
            ),
            (
                "RestoreTableFromBackup",
                {"BackupArn": backup, "TargetTableName": "restored"},
                TableInUse,
                f"Table: restored is already being restored from backup: {backup}",
            ),
            (
                "DeleteBackup",
                {"BackupArn": backup},
                BackupInUse,
                f"Backup is being used to restore table: {backup}",
            ),
            (
                "DeleteTable",
                {"TableName": "restored"},
                ResourceInUse,
                "Attempt to change a resource which is still in use: Table is being created: restored",
            ),
            ("Scan", {"TableName": "restored"}, ResourceNotFound, "Requested resource not found"),
            (
                "DescribeTimeToLive",
                {"TableName": "restored"},
                ResourceNotFound,
                "Requested resource not found: Table: restored not found",
            ),
            (
                "CreateBackup",
                {"TableName": "restored", "BackupName": "kept"},
                TableNotFound,
                "Table not found: restored",
            ),
        ]:
            with pytest.raises(error, match=re.escape(message)):
                db.call(operation, request)
        with pytest.raises(ResourceInUse, match="Table is being used: restored"):
            create(db, "restored")
    db.jobs.wake()
    db.jobs.wait()
    assert scan(db, "restored") == [ada]
    assert db.call("DescribeTable", {"TableName": "restored"})["Table"]["ItemCount"] == 1
    with pytest.raises(TableAlreadyExists, match="Table already exists: restored"):
        restore(db, backup)


def test_a_table_may_be_deleted_while_it_is_copied(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    create(db, keys=INDEXED)
    ada = put(db, "ada", team="red")
    with monkeypatch.context() as idle:
        idle.setattr(Jobs, "wake", lambda self: None)
        backup = back_up(db)
        put(db, "ada", team="blue")
        db.call("DeleteTable", {"TableName": "users"})
        with pytest.raises(BackupInUse, match="Backup is being created"):
            restore(db, backup)
    db.jobs.wake()
    db.jobs.wait()
    restore(db, backup)
    assert scan(db, "restored") == [ada]
    db.call("DeleteTable", {"TableName": "restored"})
    db.call("DeleteBackup", {"BackupArn": backup})
    assert spaces(db) == set()
    assert db.state.store.read(lambda rows: list(rows.range(JOURNAL))) == []


def test_interrupted_jobs_run_again_when_the_file_is_opened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def break_down(*_: Any) -> None:
        raise RuntimeError("the power fails here")

    path = tmp_path / "data.db"
    with archive(tmp_path / "buckets", path) as db:
        create(db, keys=INDEXED)
        ada = put(db, "ada", team="red")
        backup = back_up(db)
        with monkeypatch.context() as broken:
            broken.setattr(index_fills, "fill_indexes", break_down)
            restore(db, backup)
        with monkeypatch.context() as idle:
            idle.setattr(Jobs, "wake", lambda self: None)
            unmade = back_up(db)
            put(db, "eve", team="blue")
    assert "restore job failed" in caplog.text
    with archive(tmp_path / "buckets", path) as db:
        db.jobs.wait()
        assert scan(db, "restored", IndexName="by-team") == scan(db, "restored") == [ada]
        restore(db, unmade, "again")
        assert scan(db, "again") == [ada]
        assert len(scan(db, "users")) == 2


def test_a_backup_made_during_writes_is_of_one_point_in_time(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every transaction writes all items; no backup has them from two."""
    monkeypatch.setattr(row_batches, "MAX_ROWS", 3)
    create(db)
    names = [f"u{number}" for number in range(20)]
    is_over = threading.Event()
    written = [0]

    def write_all(round_: int) -> None:
        item = {"n": {"N": str(round_)}}
        puts = [{"Put": {"TableName": "users", "Item": {"id": {"S": name}, **item}}} for name in names]
        db.call("TransactWriteItems", {"TransactItems": puts})

    def keep_writing() -> None:
        while not is_over.is_set():
            write_all(written[0] + 1)
            written[0] += 1

    def backups_during_writes() -> Iterator[str]:
        for _ in range(100):
            before = written[0]
            backup = back_up(db)
            if written[0] > before + 1:  # the first may have begun earlier
                yield backup

    write_all(0)
    writer = threading.Thread(target=keep_writing)
    writer.start()
    try:
        backups = list(islice(backups_during_writes(), 4))
    finally:
        is_over.set()
        writer.join()
    assert len(backups) == 4, "too few backups met a write"
    rounds = []
    for number, backup in enumerate(backups):
        restore(db, backup, f"restored-{number}")
        (round_,) = {item["n"]["N"] for item in scan(db, f"restored-{number}")}
        rounds.append(int(round_))
    assert rounds == sorted(rounds)
    monkeypatch.undo()
    db.jobs.wait_for_all()
    assert db.state.store.read(lambda rows: list(rows.range(JOURNAL))) == []
