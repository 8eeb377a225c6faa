"""CreateBackup: copy a table as it is now; the copy is kept until it is deleted."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.shapes import Text
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import backups
from tablewright.errors import TableNotFound

NAME = "CreateBackup"
MODE = "write"
COUNTS = True
PLANS = True
SHAPE = TableShape(
    TableName=TABLE_NAME,
    BackupName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True),
)


@dataclass(frozen=True, slots=True)
class CreateBackup:
    """Parsed CreateBackup request."""

    table: str
    name: str


def parse(request: dict[str, Any]) -> CreateBackup:
    """Parse the request."""
    return CreateBackup(request["TableName"], request["BackupName"])


def run(tx: Writing, request: CreateBackup) -> Reply:
    """Plan the job that copies the table; backup names need not be unique."""
    table = tx.durable_table(request.table)
    if table is None:
        tx.state.catalog.require_region(request.table)
        raise TableNotFound(f"Table not found: {request.table}")
    return {"BackupDetails": backups.create(tx, table, request.name)["Details"]}
