"""Gaps of the document about backups: target and range of a restore."""

from typing import Any

import pytest

from systems.tests.student_hub.fixtures import ADA, START, save, stored
from tablewright import Clock, Repository, errors

PROFILES = "leavs-main-user-profiles"


def test_r20_export_requires_recovery(db: Repository) -> None:
    arn = db.connection.call("DescribeTable", {"TableName": PROFILES})["Table"]["TableArn"]
    with pytest.raises(errors.ServiceError) as error:
        db.connection.call("ExportTableToPointInTime", {"TableArn": arn, "S3Bucket": "archive"})
    assert error.value.code == "PointInTimeRecoveryUnavailableException"


def test_r22_any_second_since_enabling_can_be_restored(db: Repository, clock: Clock) -> None:
    call = db.connection.call
    save(db, ADA, firstName="Ada")
    enabled = {"PointInTimeRecoveryEnabled": True}
    call("UpdateContinuousBackups", {"TableName": PROFILES, "PointInTimeRecoverySpecification": enabled})
    for second in range(1, 4):
        clock.advance(1)
        save(db, ADA, firstName=f"Ada {second}")
    clock.advance(600)
    for second in range(1, 4):
        _restore(db, f"restored-{second}", second)
        assert _first_name(db, f"restored-{second}") == f"Ada {second}"
    with pytest.raises(errors.ServiceError) as error:
        _restore(db, PROFILES, 1)
    assert error.value.code == "TableAlreadyExistsException"


def _restore(db: Repository, target: str, second: int) -> None:
    """The profiles as they were so many seconds after the start."""
    at = START.timestamp() + second
    request = {"SourceTableName": PROFILES, "TargetTableName": target, "RestoreDateTime": at}
    db.connection.call("RestoreTableToPointInTime", request)


def test_r52_backup_names_are_not_unique(db: Repository) -> None:
    call = db.connection.call
    asked = {"TableName": PROFILES, "BackupName": "leavs-profiles-backup-2024-02-18"}
    save(db, ADA, firstName="Ada")
    first = call("CreateBackup", asked)["BackupDetails"]
    save(db, ADA, firstName="Augusta")
    second = call("CreateBackup", asked)["BackupDetails"]
    assert first["BackupStatus"] == "CREATING"
    assert first["BackupArn"] != second["BackupArn"]
    summaries = call("ListBackups", {})["BackupSummaries"]
    assert [(summary["BackupName"], summary["TableName"]) for summary in summaries] == [
        (asked["BackupName"], PROFILES)
    ] * 2
    call("RestoreTableFromBackup", {"BackupArn": first["BackupArn"], "TargetTableName": "restored"})
    assert _first_name(db, "restored") == "Ada"


def _first_name(db: Repository, table: str) -> Any:
    item = stored(db, table, userId="ada")
    return item and item["firstName"]["S"]
