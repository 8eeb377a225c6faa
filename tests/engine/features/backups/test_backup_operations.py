"""CreateBackup: copy a table as it is now."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    START,
    create_backup,
    enable_recovery,
    finish_jobs,
    item,
    open_music,
    put,
)


def test_the_reply_describes_a_backup_that_is_being_created() -> None:
    with open_music() as db:
        details = db.call("CreateBackup", {"TableName": "music", "BackupName": "nightly"})["BackupDetails"]
        arn = details.pop("BackupArn")
        assert arn.startswith(f"{ARN}/backup/")
        assert details == {
            "BackupName": "nightly",
            "BackupSizeBytes": 0,
            "BackupStatus": "CREATING",
            "BackupType": "USER",
            "BackupCreationDateTime": START,
        }


def test_writes_after_the_request_are_not_in_the_backup() -> None:
    with open_music() as db:
        put(db, "nina")
        arn = db.call("CreateBackup", {"TableName": "music", "BackupName": "nightly"})["BackupDetails"][
            "BackupArn"
        ]
        put(db, "later")
        finish_jobs(db)
        db.call("RestoreTableFromBackup", {"TargetTableName": "restored", "BackupArn": arn})
        finish_jobs(db)
        assert db.call("Scan", {"TableName": "restored"})["Items"] == [item("nina")]


@pytest.mark.parametrize(
    ("table", "name", "code"),
    [("missing", "nightly", "TableNotFoundException"), ("music", "no", "ValidationException")],
)
def test_an_invalid_request_creates_no_backup(table: str, name: str, code: str) -> None:
    with open_music() as db:
        with pytest.raises(ServiceError) as caught:
            db.call("CreateBackup", {"TableName": table, "BackupName": name})
        assert caught.value.code == code
        assert db.call("ListBackups", {})["BackupSummaries"] == []


def test_an_available_backup_shows_its_source_table() -> None:
    with open_music() as db:
        put(db, "nina")
        arn = create_backup(db)
        described = db.call("DescribeBackup", {"BackupArn": arn})["BackupDescription"]
        assert described["BackupDetails"]["BackupStatus"] == "AVAILABLE"
        assert described["SourceTableDetails"]["TableArn"] == ARN
        assert described["SourceTableDetails"]["ItemCount"] == 1
        assert described["BackupDetails"]["BackupSizeBytes"] == len("artistnina")


@pytest.mark.parametrize(
    ("arn", "code"),
    [
        (f"{ARN}/backup/01700000000000-0badf00d", "BackupNotFoundException"),
        (f"{ARN}/export/01700000000000-0badf00d", "ValidationException"),
        (
            ARN.replace("123456789012", "999999999999") + "/backup/01700000000000-0badf00d",
            "AccessDeniedException",
        ),
    ],
)
def test_an_unknown_arn_is_rejected(arn: str, code: str) -> None:
    with open_music() as db, pytest.raises(ServiceError) as caught:
        db.call("DescribeBackup", {"BackupArn": arn})
    assert caught.value.code == code


def test_pages_continue_after_the_last_backup_even_when_it_was_deleted() -> None:
    with open_music() as db:
        arns = []
        for name in ("first", "second", "third"):
            arns.append(create_backup(db, name))
            db.clock.advance(1)
        page = db.call("ListBackups", {"Limit": 2})
        assert [summary["BackupName"] for summary in page["BackupSummaries"]] == ["first", "second"]
        assert page["LastEvaluatedBackupArn"] == arns[1]
        db.call("DeleteBackup", {"BackupArn": arns[1]})
        rest = db.call("ListBackups", {"Limit": 2, "ExclusiveStartBackupArn": arns[1]})
        assert [summary["BackupName"] for summary in rest["BackupSummaries"]] == ["third"]
        assert "LastEvaluatedBackupArn" not in rest


def test_backups_are_filtered_by_table_type_and_time() -> None:
    with open_music() as db:
        enable_recovery(db)
        create_backup(db, "manual")
        db.clock.advance(60)
        db.call("DeleteTable", {"TableName": "music"})

        def names(**members: object) -> list[str]:
            return [each["BackupName"] for each in db.call("ListBackups", members)["BackupSummaries"]]

        assert names(BackupType="SYSTEM") == ["music$DeletedTableBackup"]
        assert names(BackupType="USER", TableName="music") == ["manual"]
        assert names(TableName="other", BackupType="ALL") == []
        assert names(BackupType="ALL", TimeRangeLowerBound=START + 1) == ["music$DeletedTableBackup"]
        assert names(BackupType="ALL", TimeRangeUpperBound=START + 1) == ["manual"]


def test_a_deleted_backup_is_described_once_more_and_then_not_found() -> None:
    with open_music() as db:
        arn = create_backup(db)
        deleted = db.call("DeleteBackup", {"BackupArn": arn})["BackupDescription"]["BackupDetails"]
        assert (deleted["BackupArn"], deleted["BackupStatus"]) == (arn, "DELETED")
        with pytest.raises(ServiceError, match="Backup not found") as caught:
            db.call("DeleteBackup", {"BackupArn": arn})
        assert caught.value.code == "BackupNotFoundException"


def test_a_system_backup_cannot_be_deleted() -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina")
        db.call("DeleteTable", {"TableName": "music"})
        (summary,) = db.call("ListBackups", {"BackupType": "SYSTEM"})["BackupSummaries"]
        with pytest.raises(ServiceError, match="not allowed to delete the system backup"):
            db.call("DeleteBackup", {"BackupArn": summary["BackupArn"]})
