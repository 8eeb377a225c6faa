"""UpdateContinuousBackups: enable or disable point-in-time recovery of a table."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Boolean, Number, required, structure
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import change_journal, recovery_window, row_copies
from tablewright.errors import TableNotFound, ValidationError

NAME = "UpdateContinuousBackups"
MODE = "write"
SHAPE = TableShape(
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


def parse(request: dict[str, Any]) -> UpdateContinuousBackups:
    """Parse the request."""
    requested = request["PointInTimeRecoverySpecification"]
    enabled, days = requested["PointInTimeRecoveryEnabled"], requested.get("RecoveryPeriodInDays")
    if days is not None and not enabled:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )
    return UpdateContinuousBackups(request["TableName"], enabled, None if days is None else int(days))


def run(tx: Writing, request: UpdateContinuousBackups) -> Reply:
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
        if not table.is_journaled:
            row_copies.forget_journal(tx, table.id)
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}
