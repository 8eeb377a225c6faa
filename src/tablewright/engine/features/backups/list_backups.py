"""ListBackups: list the backups of all tables or of one, oldest first, a page at a time."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.operations import Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.requests.shapes import Number, Shape, TableName, Text, one_of
from tablewright.engine.core.sessions import Reading
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.errors import ValidationError

NAME = "ListBackups"
MODE = "snapshot"
LARGEST_PAGE = 100
_TIMESTAMP = Number(java="Date")
SHAPE = Shape(
    TableName=TableName(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    Limit=Number(least=1, most=LARGEST_PAGE),
    TimeRangeLowerBound=_TIMESTAMP,
    TimeRangeUpperBound=_TIMESTAMP,
    ExclusiveStartBackupArn=Text(shortest=ARN.shortest, longest=ARN.longest),
    BackupType=one_of("USER", "SYSTEM", "AWS_BACKUP", "ALL"),
)
_SHOWN = (
    "BackupArn",
    "BackupName",
    "BackupCreationDateTime",
    "BackupExpiryDateTime",
    "BackupStatus",
    "BackupType",
    "BackupSizeBytes",
)


@dataclass(frozen=True, slots=True)
class ListBackups:
    """Parsed ListBackups request."""

    table: str | None
    limit: int
    since: float
    until: float
    after: str
    kind: str


def parse(request: dict[str, Any]) -> ListBackups:
    """Parse the request."""
    since, until = request.get("TimeRangeLowerBound"), request.get("TimeRangeUpperBound")
    if since is not None and until is not None and since > until:
        raise ValidationError(f"{INVALID}Time range lower bound must be less than or equal to upper bound")
    start, table = request.get("ExclusiveStartBackupArn"), request.get("TableName")
    return ListBackups(
        table=table_name(table) if table else None,
        limit=int(request.get("Limit") or LARGEST_PAGE),
        since=float("-inf") if since is None else since,
        until=float("inf") if until is None else until,
        after=parse_name(start, "backup").key if start else "",
        kind=request.get("BackupType") or "USER",
    )


def run(tx: Reading, request: ListBackups) -> Reply:
    """One page. The start backup may have been deleted: its ARN holds its position."""
    found = [backup for key, backup in job_records.each(tx.rows, "backup") if key > request.after]
    found = [backup for backup in found if _fits(backup, request)]
    reply: Reply = {"BackupSummaries": [_show(backup) for backup in found[: request.limit]]}
    if len(found) > request.limit:
        reply["LastEvaluatedBackupArn"] = found[request.limit - 1]["Details"]["BackupArn"]
    return reply


def _fits(backup: Document, request: ListBackups) -> bool:
    details = backup["Details"]
    return (
        request.table in (None, backup["Source"]["TableName"])
        and request.kind in ("ALL", details["BackupType"])
        and request.since <= details["BackupCreationDateTime"] < request.until
    )


def _show(backup: Document) -> dict[str, Any]:
    source, details = backup["Source"], backup["Details"]
    shown = {name: source[name] for name in ("TableName", "TableId", "TableArn")}
    return shown | {name: details[name] for name in _SHOWN if name in details}
