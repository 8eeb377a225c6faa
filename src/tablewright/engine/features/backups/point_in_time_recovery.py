"""UpdateContinuousBackups and DescribeContinuousBackups: point-in-time recovery of a table.

Recovery window: the period to which a table can be restored.

It starts when point-in-time recovery is enabled, at most 35 days ago (fewer if so configured), and ends five minutes
ago. A restore may request a later time that is not in the future; AWS shows the safe end.
"""

from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Boolean, Number, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import change_journal, row_copies
from tablewright.engine.features.backups.change_journal import DAY, LONGEST
from tablewright.errors import PointInTimeRecoveryUnavailable, TableNotFound, ValidationError

LAG = 300
"""Seconds from the safe end of the window to now."""

_LAST_SECOND = datetime(9999, 12, 31, tzinfo=UTC).timestamp()


def window(table: StoredTable, now: float) -> tuple[int, int]:
    """The first and the last second that a table can safely be restored to."""
    recovery = table.definition.get("Recovery")
    if not recovery:
        raise PointInTimeRecoveryUnavailable(
            f"Point in time recovery is not enabled for table '{table.name}'"
        )
    first = max(recovery["Since"], now - recovery["Days"] * DAY)
    return int(first), int(max(first, now - LAG))


def show(table: StoredTable, now: float) -> dict[str, Any]:
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


_UPDATE_CONTINUOUS_BACKUPS = TableShape(
    TableName=TABLE_NAME,
    PointInTimeRecoverySpecification=required(
        structure(
            "PointInTimeRecoverySpecification",
            PointInTimeRecoveryEnabled=Boolean(required=True),
            RecoveryPeriodInDays=Number(least=1, most=change_journal.LONGEST),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class UpdateContinuousBackups:
    """Parsed UpdateContinuousBackups request."""

    table: str
    enabled: bool
    days: int | None


def _parse_update_continuous_backups(request: dict[str, Any]) -> UpdateContinuousBackups:
    """Parse the request."""
    requested = request["PointInTimeRecoverySpecification"]
    enabled, days = requested["PointInTimeRecoveryEnabled"], requested.get("RecoveryPeriodInDays")
    if days is not None and not enabled:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )
    return UpdateContinuousBackups(request["TableName"], enabled, None if days is None else int(days))


def _run_update_continuous_backups(tx: Writing, request: UpdateContinuousBackups) -> Reply:
    """Enable recovery, or disable it and delete the journal; repeating the request changes nothing."""
    catalog, table = tx.state.catalog, tx.durable_table(request.table)
    if table is None:
        catalog.require_region(request.table)
        raise TableNotFound(f"Table not found: {request.table}")
    if request.enabled:
        table = catalog.save(tx.rows, opened(table.definition, round(tx.now(), 3), request.days))
        tx.state.sweep_timer.start()
    elif table.definition.get("Recovery"):
        table = catalog.save(tx.rows, closed(table.definition))
        if not change_journal.is_journaled(table.definition):
            row_copies.forget_journal(tx, table.id)
    return {"ContinuousBackupsDescription": show(table, tx.now())}


_DESCRIBE_CONTINUOUS_BACKUPS = TableShape(TableName=TABLE_NAME)


def _run_describe_continuous_backups(tx: Reading, request: str) -> Reply:
    """The recovery window, if recovery is enabled."""
    table = tx.durable_table(request)
    if table is None:
        tx.state.catalog.require_region(request)
        raise TableNotFound(f"Table not found: {request}")
    return {"ContinuousBackupsDescription": show(table, tx.now())}


OPERATIONS = (
    Operation(
        "UpdateContinuousBackups",
        _UPDATE_CONTINUOUS_BACKUPS,
        "write",
        _parse_update_continuous_backups,
        _run_update_continuous_backups,
    ),
    Operation(
        "DescribeContinuousBackups",
        _DESCRIBE_CONTINUOUS_BACKUPS,
        "read",
        itemgetter("TableName"),
        _run_describe_continuous_backups,
    ),
)
