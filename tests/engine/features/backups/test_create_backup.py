"""CreateBackup: copy a table as it is now."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import ARN, START, finish_jobs, item, open_music, put


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
