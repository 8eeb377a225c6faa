"""UpdateContinuousBackups: keep what a table was, at any moment of the last days, or stop keeping it."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine import journal
from tablewright.engine.backups import windows
from tablewright.engine.operations.replies import Reply
from tablewright.engine.sessions import Writing
from tablewright.engine.shapes import Number, Truth, required, structure
from tablewright.engine.tables.shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound, ValidationError

NAME = "UpdateContinuousBackups"
MODE = "write"
SHAPE = TableShape(
    TableName=TABLE_NAME,
    PointInTimeRecoverySpecification=required(
        structure(
            "PointInTimeRecoverySpecification",
            PointInTimeRecoveryEnabled=Truth(required=True),
            RecoveryPeriodInDays=Number(least=1, most=journal.LONGEST),
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
    catalog, table = tx.database.catalog, tx.settled(ask.table)
    if table is None:
        raise TableNotFound(f"Table not found: {ask.table}")
    if ask.enabled:
        table = catalog.save(tx.rows, windows.opened(table.definition, round(tx.now(), 3), ask.days))
        tx.database.sweeper.start()
    elif table.definition.get("Recovery"):
        table = catalog.save(tx.rows, windows.closed(table.definition))
        if not table.is_journaled:
            journal.forget(tx, table.id)
    return {"ContinuousBackupsDescription": windows.show(table, tx.now())}
