"""Restores: a new table with the items of a backup, or of a table as of a point in time.

It has the keys, indexes, billing and encryption of its source, unless the request overrides them, and no TTL, stream,
tags, protection or recovery, as on AWS. It is announced, then filled by a job, and becomes visible when complete.

RestoreTableFromBackup and RestoreTableToPointInTime.
"""

from typing import TYPE_CHECKING, Any

from tablewright.engine.core.jobs import index_fills, job_records
from tablewright.engine.core.jobs.job_runner import new_key, schedule
from tablewright.engine.core.sessions import Reading, Writing
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.tables.table_definitions import new_definition
from tablewright.engine.core.tables.table_descriptions import show_announced
from tablewright.engine.features.backups import row_copies
from tablewright.errors import LimitExceeded, TableAlreadyExists, TableInUse

if TYPE_CHECKING:
    from tablewright.engine.core.jobs.job_runner import Job


from dataclasses import dataclass

from tablewright.engine.core.jobs.backup_arns import ARN
from tablewright.engine.core.operations import Operation, Reply
from tablewright.engine.core.requests.arns import ACCOUNT, parse_arn
from tablewright.engine.core.requests.shapes import Boolean, Number, Shape, Text
from tablewright.engine.core.tables.table_rules import INVALID
from tablewright.engine.features.backups import backups, restore_overrides
from tablewright.engine.features.backups.change_journal import number_after
from tablewright.engine.features.backups.point_in_time_recovery import format_time, window
from tablewright.errors import InvalidRestoreTime, TableNotFound, ValidationError

MAX_RESTORES = 50


def require_free(tx: Writing, name: str) -> None:
    """Reject a restore into a table that exists or is being restored, and more than `MAX_RESTORES` restores."""
    catalog = tx.state.catalog
    if catalog.find(name):
        raise TableAlreadyExists(f"Table already exists: {name}")
    coming = catalog.announced(tx.rows, name)
    if coming is not None:
        origin = coming.definition["Restore"].get("SourceBackupArn")
        source = f" from backup: {origin}" if origin else ""
        raise TableInUse(f"Table: {name} is already being restored{source}")
    if sum(job["Kind"] == "restore" for _, job in job_records.documents(tx.rows, "job")) >= MAX_RESTORES:
        raise LimitExceeded(
            f"Subscriber limit exceeded: Only {MAX_RESTORES} restore operations are allowed simultaneously"
        )


def announce(tx: Writing, description: dict[str, Any], summary: dict[str, Any]) -> StoredTable:
    """Announce the new table, with empty spaces; `summary` is its RestoreSummary."""
    definition = new_definition(tx, description) | {"Restore": summary | {"RestoreInProgress": True}}
    return tx.state.catalog.announce(tx.rows, definition)


def from_backup(tx: Writing, target: StoredTable, backup: str, space: int) -> None:
    """Schedule a restore from a backup, given by the key of its record."""
    schedule(tx, new_key(tx), "restore", {"Target": target.name, "Source": space, "Backup": backup})


def to_point_in_time(tx: Writing, target: StoredTable, source: StoredTable, number: int) -> None:
    """Schedule a restore from a table as it was before the change of that number."""
    key = new_key(tx)
    row_copies.hold(tx, source, key)
    parameters = {"Target": target.name, "Source": source.space, "Table": source.id, "From": str(number)}
    schedule(tx, key, "restore", parameters)


def run(job: "Job") -> None:
    """Run the job: copy the items, build the indexes, then make the table visible."""
    parameters = job.document

    def announced(tx: Reading) -> StoredTable:
        table = tx.state.catalog.announced(tx.rows, parameters["Target"])
        assert table is not None
        return table

    def finish(tx: Writing) -> None:
        definition = {
            name: value for name, value in target.definition.items() if name not in ("Status", "Restore")
        }
        tx.state.catalog.save(tx.rows, definition)
        if "Backup" in parameters:
            backup = job_records.find(tx.rows, "backup", parameters["Backup"])
            assert backup is not None
            job_records.save(tx.rows, "backup", parameters["Backup"], backup | {"Restoring": None})
        else:
            row_copies.release(tx, parameters["Table"], job.key)
        job.end(tx)

    target = job.read(announced)
    index_fills.clear(job, *target.definition["Spaces"].values())
    index_fills.clear_collection_sizes(job, target)
    if "Backup" in parameters:
        row_copies.copy(job, parameters["Source"], target.space)
    else:
        row_copies.copy_as_of(
            job, parameters["Source"], target.space, parameters["Table"], int(parameters["From"])
        )
    index_fills.fill_indexes(job, target)
    job.write(finish)


def show(table: StoredTable) -> dict[str, Any]:
    """The description of an announced table in replies."""
    return show_announced(table)


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
    require_free(tx, request.target)
    backups.require_idle(backup, "another table")
    summary = {
        "SourceBackupArn": backup["Details"]["BackupArn"],
        "SourceTableArn": backup["Source"]["TableArn"],
        "RestoreDateTime": backup["Details"]["BackupCreationDateTime"],
    }
    target = announce(tx, description, summary)
    job_records.save(tx.rows, "backup", name.key, backup | {"Restoring": request.target})
    from_backup(tx, target, name.key, backup["Space"])
    return {"TableDescription": show(target)}


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
    require_free(tx, request.target)
    summary = {"SourceTableArn": source.description["TableArn"], "RestoreDateTime": time}
    target = announce(tx, description, summary)
    to_point_in_time(tx, target, source, number_after(time))
    return {"TableDescription": show(target)}


def _restore_time(source: StoredTable, requested: float | None, now: float) -> float:
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
