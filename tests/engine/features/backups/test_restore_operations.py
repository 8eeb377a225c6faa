"""RestoreTableFromBackup: create a table with the items of a backup."""

from typing import Any

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    START,
    artists,
    create_backup,
    enable_recovery,
    finish_jobs,
    open_music,
    put,
)


def test_the_restored_table_has_the_items_and_the_summary_of_its_source() -> None:
    with open_music() as db:
        put(db, "nina")
        arn = create_backup(db)
        put(db, "later")
        request = {"TargetTableName": "restored", "BackupArn": arn}
        description = db.call("RestoreTableFromBackup", request)["TableDescription"]
        assert description["TableStatus"] == "CREATING"
        assert description["RestoreSummary"] == {
            "SourceBackupArn": arn,
            "SourceTableArn": ARN,
            "RestoreDateTime": START,
            "RestoreInProgress": True,
        }
        finish_jobs(db)
        assert artists(db, "restored") == ["nina"]


def test_the_target_must_not_exist() -> None:
    with open_music() as db:
        arn = create_backup(db)
        with pytest.raises(ServiceError) as caught:
            db.call("RestoreTableFromBackup", {"TargetTableName": "music", "BackupArn": arn})
        assert caught.value.code == "TableAlreadyExistsException"


@pytest.mark.parametrize(
    ("members", "restored"),
    [
        ({"RestoreDateTime": START}, ["nina"]),
        ({"RestoreDateTime": START + 60}, ["ella", "nina"]),
        ({"UseLatestRestorableTime": True}, ["ella", "nina"]),
    ],
)
def test_the_restored_table_has_the_items_of_that_time(members: dict[str, Any], restored: list[str]) -> None:
    with open_music() as db:
        enable_recovery(db)
        put(db, "nina")
        db.clock.advance(60)
        put(db, "ella")
        db.clock.advance(400)
        put(db, "within the last five minutes")
        request = {"SourceTableName": "music", "TargetTableName": "restored", **members}
        db.call("RestoreTableToPointInTime", request)
        finish_jobs(db)
        assert artists(db, "restored") == restored


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({}, "ValidationException"),
        ({"RestoreDateTime": START, "UseLatestRestorableTime": True}, "ValidationException"),
        ({"RestoreDateTime": START - 1}, "InvalidRestoreTimeException"),
        ({"RestoreDateTime": START + 1}, "InvalidRestoreTimeException"),
        ({"UseLatestRestorableTime": True, "TargetTableName": "music"}, "TableAlreadyExistsException"),
        ({"UseLatestRestorableTime": True, "SourceTableName": "missing"}, "TableNotFoundException"),
    ],
)
def test_invalid_requests_restore_nothing(members: dict[str, Any], code: str) -> None:
    with open_music() as db:
        enable_recovery(db)
        request = {"SourceTableName": "music", "TargetTableName": "restored", **members}
        with pytest.raises(ServiceError) as caught:
            db.call("RestoreTableToPointInTime", request)
        assert caught.value.code == code
        assert db.call("ListTables", {})["TableNames"] == ["music"]
