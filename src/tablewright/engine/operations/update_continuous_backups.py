"""UpdateContinuousBackups: keep what a table was, at any moment of the last days, or stop keeping it."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine import change_journal
from tablewright.engine.backups.snapshots import recovery_window
from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Number, Truth, required, structure
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound, ValidationError

NAME = "UpdateContinuousBackups"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    PointInTimeRecoverySpecification=required(
        structure(
            "PointInTimeRecoverySpecification",
            PointInTimeRecoveryEnabled=Truth(required=True),
            RecoveryPeriodInDays=Number(least=1, most=change_journal.LONGEST),
        )
    ),
)


@dataclass(frozen=True, slots=True)
class UpdateContinuousBackups:
    """What is asked for."""

    table: str
    enabled: bool
    days: int | None


def parse(request: dict[str, Any]) -> UpdateContinuousBackups:
    """From the request to its value."""
    asked = request["PointInTimeRecoverySpecification"]
    enabled, days = asked["PointInTimeRecoveryEnabled"], asked.get("RecoveryPeriodInDays")
    if days is not None and not enabled:
        raise ValidationError(
            "Invalid Request: Cannot specify RecoveryPeriodInDays when disabling point-in-time recovery."
        )
    return UpdateContinuousBackups(request["TableName"], enabled, None if days is None else int(days))


def run(tx: Writing, ask: UpdateContinuousBackups) -> Reply:
    """Open the window, or close it and forget what could be recovered; doing it twice changes nothing."""
    catalog, table = tx.state.catalog, tx.durable_table(ask.table)
    if table is None:
        raise TableNotFound(f"Table not found: {ask.table}")
    if ask.enabled:
        table = catalog.save(tx.rows, recovery_window.opened(table.definition, round(tx.now(), 3), ask.days))
        tx.state.sweep_timer.start()
    elif table.definition.get("Recovery"):
        table = catalog.save(tx.rows, recovery_window.closed(table.definition))
        if not table.is_journaled:
            change_journal.forget(tx, table.id)
    return {"ContinuousBackupsDescription": recovery_window.show(table, tx.now())}
