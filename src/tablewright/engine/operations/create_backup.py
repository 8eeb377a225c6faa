"""CreateBackup: a copy of a table as it is now, kept until it is deleted."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.backups.snapshots import backups
from tablewright.engine.operations.replies import Reply
from tablewright.engine.requests.shapes import Text
from tablewright.engine.sessions import Writing
from tablewright.engine.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.errors import TableNotFound

NAME = "CreateBackup"
MODE = "write"
PLANS = True
SHAPE = TableShape(
    TableName=TABLE_NAME,
    BackupName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True),
)


@dataclass(frozen=True, slots=True)
class CreateBackup:
    """What is asked for."""

    table: str
    name: str


def parse(request: dict[str, Any]) -> CreateBackup:
    """From the request to its value."""
    return CreateBackup(request["TableName"], request["BackupName"])


def run(tx: Writing, ask: CreateBackup) -> Reply:
    """Plan the copy; names need not be unique."""
    table = tx.durable_table(ask.table)
    if table is None:
        raise TableNotFound(f"Table not found: {ask.table}")
    return {"BackupDetails": backups.create(tx, table, ask.name)["Details"]}
