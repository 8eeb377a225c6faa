"""DescribeContinuousBackups: show whether point-in-time recovery is enabled, and its recovery window."""

import pytest

from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import START, enable_recovery, open_music
from tests.engine.table_cases import outcome_of, request_of


def test_recovery_is_disabled_at_first() -> None:
    with open_music() as db:
        described = db.call("DescribeContinuousBackups", {"TableName": "music"})
        assert described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"] == {
            "PointInTimeRecoveryStatus": "DISABLED"
        }


def test_the_window_ends_five_minutes_ago() -> None:
    with open_music() as db:
        enable_recovery(db)
        db.clock.advance(3600)
        described = db.call("DescribeContinuousBackups", {"TableName": "music"})
        assert described["ContinuousBackupsDescription"]["PointInTimeRecoveryDescription"] == {
            "PointInTimeRecoveryStatus": "ENABLED",
            "RecoveryPeriodInDays": 35,
            "EarliestRestorableDateTime": START,
            "LatestRestorableDateTime": START + 3600 - 300,
        }


def test_an_unknown_table_is_not_found() -> None:
    with open_music() as db, pytest.raises(ServiceError) as caught:
        db.call("DescribeContinuousBackups", {"TableName": "missing"})
    assert caught.value.code == "TableNotFoundException"


def test_continuous_backups_of_a_new_table_are_enabled() -> None:
    db = Database(open_store())
    db.call("CreateTable", request_of("music", "artist | artist:S"))
    assert db.call("DescribeContinuousBackups", {"TableName": "music"}) == {
        "ContinuousBackupsDescription": {
            "ContinuousBackupsStatus": "ENABLED",
            "PointInTimeRecoveryDescription": {"PointInTimeRecoveryStatus": "DISABLED"},
        }
    }
    reply = outcome_of(db, "DescribeContinuousBackups", {"TableName": "nowhere"})
    assert reply == "TableNotFoundException: Table not found: nowhere"
    db.close()
