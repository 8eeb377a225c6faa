"""Windows: from when until when a table can be had as it was.

The window opens when point-in-time recovery is enabled, reaches 35 days back, or fewer if so asked, and closes five
minutes ago. A restore may ask for a later moment that is not in the future; what AWS shows is the safe end.
"""

from datetime import UTC, datetime
from typing import Any

from tablewright.engine.change_journal import DAY, LONGEST
from tablewright.engine.state.catalog import Table
from tablewright.errors import PointInTimeRecoveryUnavailable

LAG = 300
"""Seconds that the safe end of a window lies behind."""

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
    # AWS enables it by itself, some seconds after a table was made, and never disables it again.
    backups = recovery or table.definition.get("ContinuousBackups")
    return {
        "ContinuousBackupsStatus": "ENABLED" if backups else "DISABLED",
        "PointInTimeRecoveryDescription": shown,
    }


def opened(definition: dict[str, Any], now: float, days: int | None) -> dict[str, Any]:
    """A definition with recovery on; it stays on since when it was, if it was."""
    old = definition.get("Recovery") or {"Since": now, "Days": LONGEST}
    return {**definition, "Recovery": old | ({"Days": days} if days else {}), "ContinuousBackups": True}


def closed(definition: dict[str, Any]) -> dict[str, Any]:
    """A definition with recovery off."""
    return {name: value for name, value in definition.items() if name != "Recovery"}


def shown_moment(seconds: float) -> str:
    """A moment as AWS words it, one that no calendar has as the nearest it has.

    >>> shown_moment(1_700_000_000.5)
    '2023-11-14T22:13:20Z'
    """
    within = min(max(seconds, 0), _LAST_SECOND)
    return datetime.fromtimestamp(within, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
