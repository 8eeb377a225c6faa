"""UpdateContinuousBackups: enable or disable point-in-time recovery of a table."""

from typing import Any

import pytest

from tablewright.engine.core.state.catalog import JOURNAL
from tablewright.engine.database import Database
from tablewright.errors import ServiceError
from tests.engine.core.operations.music_table import START, open_music, put


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
