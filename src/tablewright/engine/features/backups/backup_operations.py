"""CreateBackup, DescribeBackup, ListBackups and DeleteBackup."""

from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN, parse_name
from tablewright.engine.core.jobs.job_records import Document
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import table_name
from tablewright.engine.core.requests.shapes import Number, Shape, TableName, Text, one_of
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.core.tables.table_shapes import TABLE_NAME, TableShape
from tablewright.engine.features.backups import backups
from tablewright.engine.features.backups.point_in_time_recovery import format_time
from tablewright.errors import TableNotFound, ValidationError

_CREATE_BACKUP = TableShape(
    TableName=TABLE_NAME,
    BackupName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True),
)


@dataclass(frozen=True, slots=True)
class CreateBackup:
    """Parsed CreateBackup request."""

    table: str
    name: str


def _parse_create_backup(request: dict[str, Any]) -> CreateBackup:
    """Parse the request."""
    return CreateBackup(request["TableName"], request["BackupName"])


def _run_create_backup(tx: Writing, request: CreateBackup) -> Reply:
    """Plan the job that copies the table; backup names need not be unique."""
    table = tx.durable_table(request.table)
    if table is None:
        tx.state.catalog.require_region(request.table)
        raise TableNotFound(f"Table not found: {request.table}")
    return {"BackupDetails": backups.create(tx, table, request.name)["Details"]}


_DESCRIBE_BACKUP = Shape(BackupArn=ARN)


def _run_describe_backup(tx: Reading, request: str) -> Reply:
    """The description of the backup."""
    return {"BackupDescription": backups.show(backups.find(tx, request)[1])}


LARGEST_PAGE = 100
_TIMESTAMP = Number(java="Date")
_LIST_BACKUPS = Shape(
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


def _parse_list_backups(request: dict[str, Any]) -> ListBackups:
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


def _run_list_backups(tx: Reading, request: ListBackups) -> Reply:
    """One page. The start backup may have been deleted: its ARN holds its position."""
    backups = [backup for key, backup in job_records.documents(tx.rows, "backup") if key > request.after]
    backups = [backup for backup in backups if _fits(backup, request)]
    reply: Reply = {"BackupSummaries": [_show(backup) for backup in backups[: request.limit]]}
    if len(backups) > request.limit:
        reply["LastEvaluatedBackupArn"] = backups[request.limit - 1]["Details"]["BackupArn"]
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


_DELETE_BACKUP = Shape(BackupArn=ARN)


def _run_delete_backup(tx: Writing, request: str) -> Reply:
    """Delete the backup, unless it is in use or a system backup."""
    name, backup = backups.find(tx, request)
    if backup["Details"]["BackupType"] == "SYSTEM":
        raise ValidationError(
            f"Invalid Request: User is not allowed to delete the system backup with arn {request}. It will "
            f"automatically expire on {format_time(backup['Details']['BackupExpiryDateTime'])}"
        )
    backups.require_idle(backup, "table")
    backups.drop(tx, name, backup)
    backup["Details"]["BackupStatus"] = "DELETED"
    return {"BackupDescription": backups.show(backup)}


OPERATIONS = (
    Operation(
        "CreateBackup",
        _CREATE_BACKUP,
        "write",
        _parse_create_backup,
        _run_create_backup,
        plans_job=True,
        counts=True,
    ),
    Operation("DescribeBackup", _DESCRIBE_BACKUP, "read", itemgetter("BackupArn"), _run_describe_backup),
    Operation("ListBackups", _LIST_BACKUPS, "snapshot", _parse_list_backups, _run_list_backups),
    Operation("DeleteBackup", _DELETE_BACKUP, "write", itemgetter("BackupArn"), _run_delete_backup),
)
