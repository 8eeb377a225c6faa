"""RestoreTableFromBackup and RestoreTableToPointInTime."""

from dataclasses import dataclass
from typing import Any

from tablewright.engine.core.jobs import job_records
from tablewright.engine.core.jobs.backup_arns import ARN
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Boolean, Number, Shape, Text
from tablewright.engine.core.sessions import Writing
from tablewright.engine.core.state.catalog import Table
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.features.backups import backups, restore_overrides, restores
from tablewright.engine.features.backups.change_journal import number_after
from tablewright.engine.features.backups.recovery_window import format_time, window
from tablewright.errors import InvalidRestoreTime, TableNotFound, ValidationError

TARGET = Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+", required=True)
_RESTORE_TABLE_FROM_BACKUP = Shape(TargetTableName=TARGET, BackupArn=ARN, **restore_overrides.SHAPES)


@dataclass(frozen=True, slots=True)
class RestoreTableFromBackup:
    """Parsed RestoreTableFromBackup request."""

    target: str
    backup: str
    raw: dict[str, Any]


def _parse_restore_table_from_backup(request: dict[str, Any]) -> RestoreTableFromBackup:
    """Parse the request."""
    return RestoreTableFromBackup(request["TargetTableName"], request["BackupArn"], request)


def _run_restore_table_from_backup(tx: Writing, request: RestoreTableFromBackup) -> Reply:
    """Announce the table, and plan the job that fills it."""
    name, backup = backups.find(tx, request.backup)
    state, now = tx.state, round(tx.now(), 3)
    description = restore_overrides.describe(
        request.raw, backup["Description"], state.region, now, "RestoreTableFromBackup"
    )
    restores.require_free(tx, request.target)
    backups.require_idle(backup, "another table")
    summary = {
        "SourceBackupArn": backup["Details"]["BackupArn"],
        "SourceTableArn": backup["Source"]["TableArn"],
        "RestoreDateTime": backup["Details"]["BackupCreationDateTime"],
    }
    target = restores.announce(tx, description, summary)
    job_records.save(tx.rows, "backup", name.key, backup | {"Restoring": request.target})
    restores.from_backup(tx, target, name.key, backup["Space"])
    return {"TableDescription": restores.show(target)}


_RESTORE_TABLE_TO_POINT_IN_TIME = Shape(
    SourceTableArn=Text(shortest=1, longest=1024),
    SourceTableName=Text(shortest=3, longest=255, pattern="[a-zA-Z0-9_.-]+"),
    TargetTableName=TARGET,
    UseLatestRestorableTime=Boolean(),
    RestoreDateTime=Number(java="Date"),
    **restore_overrides.SHAPES,
)


@dataclass(frozen=True, slots=True)
class RestoreTableToPointInTime:
    """Parsed RestoreTableToPointInTime request; `time` is None for the latest restorable time."""

    source: str
    target: str
    time: float | None
    raw: dict[str, Any]


def _parse_restore_table_to_point_in_time(request: dict[str, Any]) -> RestoreTableToPointInTime:
    """Parse the request, in AWS's order of checks."""
    time, latest = request.get("RestoreDateTime"), request.get("UseLatestRestorableTime")
    if time is not None and latest:
        raise ValidationError(
            "Invalid Request: Both RestoreDateTime and UseLatestRestorableTime cannot be set for point-in-time "
            "restore request. Please specify either RestoreDateTime time or UseLatestRestorableTime"
        )
    if time is None and not latest:
        raise ValidationError(
            "Invalid Request: Either one of RestoreDateTime or UseLatestRestorableTime must be specified, but "
            "not both"
        )
    return RestoreTableToPointInTime(_source(request), request["TargetTableName"], time, request)


def _source(request: dict[str, Any]) -> str:
    name, arn = request.get("SourceTableName"), request.get("SourceTableArn")
    if name and arn:
        raise ValidationError(f"{INVALID}Must provide exactly one of: sourceTableArn, sourceTableName")
    if not name and not arn:
        raise ValidationError("The parameter 'TableName' is required but was not present in the request")
    if arn:
        parts = parse_arn(arn)
        if parts is None or parts.service != "dynamodb" or not parts.resource.startswith("table/"):
            raise ValidationError(f"{INVALID}sourceTableArn is not a valid ARN")
        if parts.account != ACCOUNT:
            raise ValidationError(
                "This action is only supported by accounts that match the resource owner\u2019s account."
            )
    return str(name or arn)


def _run_restore_table_to_point_in_time(tx: Writing, request: RestoreTableToPointInTime) -> Reply:
    """Announce the table, and plan the job that fills it."""
    source = tx.durable_table(request.source)
    if source is None:
        raise TableNotFound(f"Table not found: {request.source}")
    now = tx.now()
    time = _restore_time(source, request.time, now)
    description = restore_overrides.describe(
        request.raw, source.description, tx.state.region, round(now, 3), "RestoreTableToPointInTime"
    )
    restores.require_free(tx, request.target)
    summary = {"SourceTableArn": source.description["TableArn"], "RestoreDateTime": time}
    target = restores.announce(tx, description, summary)
    restores.to_point_in_time(tx, target, source, number_after(time))
    return {"TableDescription": restores.show(target)}


def _restore_time(source: Table, requested: float | None, now: float) -> float:
    first, last = window(source, now)
    if requested is None:
        return last
    if not first <= requested <= now:
        raise InvalidRestoreTime(
            f"RestoreDateTime '{format_time(requested)}' must be within EarliestRestorableDateTime "
            f"'{format_time(first)}' and LatestRestorableDateTime '{format_time(last)}'"
        )
    return requested


OPERATIONS = (
    Operation(
        "RestoreTableFromBackup",
        _RESTORE_TABLE_FROM_BACKUP,
        "write",
        _parse_restore_table_from_backup,
        _run_restore_table_from_backup,
        plans_job=True,
    ),
    Operation(
        "RestoreTableToPointInTime",
        _RESTORE_TABLE_TO_POINT_IN_TIME,
        "write",
        _parse_restore_table_to_point_in_time,
        _run_restore_table_to_point_in_time,
        plans_job=True,
    ),
)
