"""UpdateContinuousBackups and DescribeContinuousBackups: point-in-time recovery of a table."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.shapes import Boolean, Number, required, structure
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import change_journal, recovery_window, row_copies
from tablewright.errors import TableNotFound, ValidationError

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
        table = catalog.save(
            tx.rows, recovery_window.opened(table.definition, round(tx.now(), 3), request.days)
        )
        tx.state.sweep_timer.start()
    elif table.definition.get("Recovery"):
        table = catalog.save(tx.rows, recovery_window.closed(table.definition))
        if not change_journal.is_journaled(table.definition):
            row_copies.forget_journal(tx, table.id)
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}


_DESCRIBE_CONTINUOUS_BACKUPS = TableShape(TableName=TABLE_NAME)


def _parse_describe_continuous_backups(request: dict[str, Any]) -> str:
    """The table's name or ARN."""
    return request["TableName"]  # type: ignore[no-any-return]


def _run_describe_continuous_backups(tx: Reading, request: str) -> Reply:
    """The recovery window, if recovery is enabled."""
    table = tx.durable_table(request)
    if table is None:
        tx.state.catalog.require_region(request)
        raise TableNotFound(f"Table not found: {request}")
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}


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
        _parse_describe_continuous_backups,
        _run_describe_continuous_backups,
    ),
)
