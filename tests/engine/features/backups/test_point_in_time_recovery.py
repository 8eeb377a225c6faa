"""UpdateContinuousBackups: enable or disable point-in-time recovery of a table."""

from typing import Any

import pytest

from tablewright.engine.core.state.catalog import JOURNAL
from tablewright.engine.database import Database
from tablewright.engine.storage import open_store
from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import START, enable_recovery, open_music, put
from tests.engine.table_cases import outcome_of, request_of


def update(db: Database, table: str = "music", **specification: Any) -> dict[str, Any]:
    request = {"TableName": table, "PointInTimeRecoverySpecification": specification}
    reply = db.call("UpdateContinuousBackups", request)["ContinuousBackupsDescription"]
    return reply["PointInTimeRecoveryDescription"]  # type: ignore[no-any-return]


def journal_entries(db: Database) -> int:
    return db.sessions.read(lambda tx: tx.rows.totals(JOURNAL)[0])


def test_changes_are_recorded_while_recovery_is_enabled() -> None:
    with open_music() as db:
        put(db, "before")
        assert update(db, PointInTimeRecoveryEnabled=True)["EarliestRestorableDateTime"] == START
        put(db, "nina")
        assert journal_entries(db) == 1
        assert update(db, PointInTimeRecoveryEnabled=False) == {"PointInTimeRecoveryStatus": "DISABLED"}
        put(db, "after")
        assert journal_entries(db) == 0


def test_enabling_again_keeps_the_window_and_changes_the_period() -> None:
    with open_music() as db:
        update(db, PointInTimeRecoveryEnabled=True)
        db.clock.advance(3600)
        shown = update(db, PointInTimeRecoveryEnabled=True, RecoveryPeriodInDays=7)
        assert (shown["EarliestRestorableDateTime"], shown["RecoveryPeriodInDays"]) == (START, 7)


@pytest.mark.parametrize(
    ("table", "specification", "code"),
    [
        ("missing", {"PointInTimeRecoveryEnabled": True}, "TableNotFoundException"),
        ("music", {"PointInTimeRecoveryEnabled": True, "RecoveryPeriodInDays": 36}, "ValidationException"),
        ("music", {"PointInTimeRecoveryEnabled": False, "RecoveryPeriodInDays": 7}, "ValidationException"),
    ],
)
def test_invalid_requests_change_nothing(table: str, specification: dict[str, Any], code: str) -> None:
    with open_music() as db:
        with pytest.raises(ServiceError) as caught:
            update(db, table, **specification)
        assert caught.value.code == code
        put(db, "nina")
        assert journal_entries(db) == 0


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
