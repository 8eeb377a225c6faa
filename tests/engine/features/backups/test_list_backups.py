"""ListBackups: list the backups of all tables or of one, oldest first, a page at a time."""

from tests.engine.core.operations.music_table import START, create_backup, enable_recovery, open_music


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
