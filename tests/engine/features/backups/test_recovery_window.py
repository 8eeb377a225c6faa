"""Recovery window: its start, its safe end, and what is shown."""

from pathlib import Path

import pytest

from tablewright.engine.features.backups.change_journal import DAY
from tablewright.engine.features.backups.point_in_time_recovery import (
    LAG,
    closed,
    format_time,
    opened,
    window,
)
from tablewright.errors import PointInTimeRecoveryUnavailable
from tests.engine.archive import START, archive, create, recover


def test_the_window_starts_when_recovery_is_enabled_and_ends_five_minutes_ago(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        create(db)
        recover(db)
        table = db.sessions.read(lambda tx: tx.table("users"))
        assert window(table, START) == (START, START)
        assert window(table, START + 1000) == (START, START + 1000 - LAG)
        assert window(table, START + 100 * DAY) == (START + 65 * DAY, START + 100 * DAY - LAG)


def test_there_is_no_window_without_recovery(tmp_path: Path) -> None:
    with archive(tmp_path) as db:
        create(db)
        table = db.sessions.read(lambda tx: tx.table("users"))
        with pytest.raises(PointInTimeRecoveryUnavailable, match="not enabled for table 'users'"):
            window(table, START)


def test_a_second_activation_keeps_the_start_and_changes_the_days() -> None:
    first = opened({}, START, None)
    assert first["Recovery"] == {"Since": START, "Days": 35}
    assert opened(first, START + 99, 7)["Recovery"] == {"Since": START, "Days": 7}
    assert "Recovery" not in closed(first)


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "1970-01-01T00:00:00Z"), (-5, "1970-01-01T00:00:00Z"), (1e15, "9999-12-31T00:00:00Z")],
)
def test_times_out_of_range_are_shown_as_the_nearest(seconds: float, text: str) -> None:
    assert format_time(seconds) == text
