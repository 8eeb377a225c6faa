"""RestoreTableFromBackup: create a table with the items of a backup."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import (
    ARN,
    START,
    artists,
    create_backup,
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
