"""Recovery window: the period to which a table can be restored.

It starts when point-in-time recovery is enabled, at most 35 days ago (fewer if so configured), and ends five minutes
ago. A restore may request a later time that is not in the future; AWS shows the safe end.
"""

from datetime import UTC, datetime
from typing import Any

from tablewright.engine.core.state.catalog import Table
from tablewright.engine.features.backups.change_journal import DAY, LONGEST
from tablewright.errors import PointInTimeRecoveryUnavailable

LAG = 300
"""Seconds from the safe end of the window to now."""

_LAST_SECOND = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


def window(table: Table, now: float) -> tuple[int, int]:
    """The first and the last second that a table can safely be restored to."""
    recovery = table.definition.get("Recovery")
    if not recovery:
        raise PointInTimeRecoveryUnavailable(
            f"Point in time recovery is not enabled for table '{table.name}'"
        )
    first = max(recovery["Since"], now - recovery["Days"] * DAY)
    return int(first), int(max(first, now - LAG))


def show(table: Table, now: float) -> dict[str, Any]:
    """The `ContinuousBackupsDescription` member."""
    recovery = table.definition.get("Recovery")
    shown: dict[str, Any] = {"PointInTimeRecoveryStatus": "ENABLED" if recovery else "DISABLED"}
    if recovery:
        first, last = window(table, now)
        shown |= {
            "RecoveryPeriodInDays": recovery["Days"],
            "EarliestRestorableDateTime": first,
            "LatestRestorableDateTime": last,
        }
    # AWS enables continuous backups of every table itself, and never disables them.
    return {"ContinuousBackupsStatus": "ENABLED", "PointInTimeRecoveryDescription": shown}


def opened(definition: dict[str, Any], now: float, days: int | None) -> dict[str, Any]:
    """A definition with recovery enabled; if it was enabled before, the start of the window stays."""
    old = definition.get("Recovery") or {"Since": now, "Days": LONGEST}
    return {**definition, "Recovery": old | ({"Days": days} if days else {})}


def closed(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition with recovery disabled."""
    return {name: value for name, value in definition.items() if name != "Recovery"}


def format_time(seconds: float) -> str:
    """A time in the format of AWS's messages; a time out of the calendar's range becomes the nearest in range.

    >>> format_time(1_700_000_000.5)
    '2023-11-14T22:13:20Z'
    """
    within = min(max(seconds, 0), _LAST_SECOND)
    return datetime.fromtimestamp(within, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
