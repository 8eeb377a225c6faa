"""DeleteBackup: delete a backup with its items."""

import pytest

from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import create_backup, enable_recovery, open_music, put


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
