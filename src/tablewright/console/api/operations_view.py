"""Operations: backups, exports and imports, migrations, expiry, recovery, and the switches of the embedded engine."""

from typing import Annotated, Any, Literal

from pydantic import Field

from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.open_designs import OpenDesign
from tablewright.console.operations import (
    bucket_transfers,
    engine_switches,
    expiry_samples,
    migration_runs,
    table_backups,
)
from tablewright.errors import ServiceError

Name = Annotated[str, Field(min_length=3, max_length=255, pattern=r"^[a-zA-Z0-9_.-]+$")]


def describe_tables(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the tables: their state, recovery and expiry; and what exports can use."""
    opened = request.design
    return {
        "tables": [_table(opened, name) for name in opened.tables],
        "transfers": bucket_transfers.bucket_state(opened),
        "engine": engine_switches.describe_engine(opened),
    }


def _table(opened: OpenDesign, name: str) -> dict[str, Any]:
    try:
        table = opened.db.connection.call("DescribeTable", {"TableName": name})["Table"]
    except ServiceError as error:
        return {
            "name": name,
            "status": error.code,
            "items": None,
            "bytes": None,
            "ttl": None,
            "recovery": None,
        }
    return {
        "name": name,
        "status": table["TableStatus"],
        "items": table.get("ItemCount"),
        "bytes": table.get("TableSizeBytes"),
        "ttl": opened.table(name).ttl,
        "recovery": table_backups.recovery_state(opened, name),
    }


class NewBackup(Body):
    """A backup to create."""

    table: str
    name: Name | None = None


class RestoredBackup(Body):
    """A backup to restore to a new table."""

    arn: str
    into: Name


class DeletedBackup(Body):
    """A backup to delete; `confirm` is its name."""

    arn: str
    confirm: str = ""


class RecoverySwitch(Body):
    """Point-in-time recovery of a table; to turn it off, `confirm` is the name of the table."""

    table: str
    enabled: bool
    confirm: str | None = None


def list_backups(request: ConsoleRequest) -> dict[str, Any]:
    """List the backups of the tables of the design."""
    return {"backups": table_backups.list_backups(request.design)}


def create_backup(request: ConsoleRequest) -> dict[str, Any]:
    """Back up a table, as a task."""
    body = request.parse(NewBackup)
    return table_backups.create_backup(request.design, body.table, body.name).as_data()


def restore_backup(request: ConsoleRequest) -> dict[str, Any]:
    """Restore a backup to a new table, as a task."""
    body = request.parse(RestoredBackup)
    return table_backups.restore_backup(request.design, body.arn, body.into).as_data()


def delete_backup(request: ConsoleRequest) -> dict[str, Any]:
    """Delete a backup."""
    body = request.parse(DeletedBackup)
    table_backups.delete_backup(request.design, body.arn, body.confirm)
    return list_backups(request)


def set_recovery(request: ConsoleRequest) -> dict[str, Any]:
    """Turn point-in-time recovery of a table on or off."""
    body = request.parse(RecoverySwitch)
    return table_backups.set_recovery(request.design, body.table, enabled=body.enabled, confirm=body.confirm)


class Export(Body):
    """A table to export to a bucket."""

    table: str
    bucket: str
    prefix: str | None = None
    format: Literal["json", "ion"] = "json"
    enable_recovery: bool = False


class Import(Body):
    """Objects of a bucket to import to a new table with the keys of `like`."""

    bucket: str
    prefix: str | None = None
    format: Literal["json", "ion", "csv"] = "json"
    compression: Literal["none", "gzip", "zstd"] = "none"
    into: Name
    like: str


def list_exports(request: ConsoleRequest) -> dict[str, Any]:
    """List the exports of the tables of the design, and the buckets."""
    opened = request.design
    return {**bucket_transfers.bucket_state(opened), "exports": bucket_transfers.list_exports(opened)}


def start_export(request: ConsoleRequest) -> dict[str, Any]:
    """Export a table, as a task."""
    body = request.parse(Export)
    task = bucket_transfers.start_export(
        request.design,
        body.table,
        body.bucket,
        body.prefix,
        body.format,
        enable_recovery=body.enable_recovery,
    )
    return task.as_data()


def start_import(request: ConsoleRequest) -> dict[str, Any]:
    """Import a bucket to a new table, as a task."""
    body = request.parse(Import)
    task = bucket_transfers.start_import(
        request.design, body.bucket, body.prefix, body.format, body.compression, body.into, body.like
    )
    return task.as_data()


class MigrationChoice(Body):
    """Migrations to run; to revert the last one, `confirm` is its name."""

    to: str | None = None
    down: bool = False
    confirm: str | None = None


class Retry(Body):
    """A migration whose rejects are migrated again."""

    name: str


def describe_migrations(request: ConsoleRequest) -> dict[str, Any]:
    """Return the status of each migration."""
    return migration_runs.describe_migrations(request.design)


def list_rejects(request: ConsoleRequest) -> dict[str, Any]:
    """Return the rejects of a migration, with the reasons."""
    return migration_runs.list_rejects(request.design, request.text("name"))


def dry_run(request: ConsoleRequest) -> dict[str, Any]:
    """Run the pending migrations without writing, as a task."""
    body = request.parse(MigrationChoice)
    return migration_runs.start_run(
        request.design, body.to, down=body.down, dry_run=True, confirm=None
    ).as_data()


def run_migrations(request: ConsoleRequest) -> dict[str, Any]:
    """Apply the pending migrations, or revert the last one, as a task."""
    body = request.parse(MigrationChoice)
    return migration_runs.start_run(
        request.design, body.to, down=body.down, dry_run=False, confirm=body.confirm
    ).as_data()


def retry_rejects(request: ConsoleRequest) -> dict[str, Any]:
    """Migrate the rejected items of a migration again, as a task."""
    return migration_runs.start_retry(request.design, request.parse(Retry).name).as_data()


def sample_expiry(request: ConsoleRequest) -> dict[str, Any]:
    """Count the expired items of a table that are still stored, in a bounded sample."""
    return expiry_samples.sample_expiry(request.design, request.text("table"))


def sweep(request: ConsoleRequest) -> dict[str, Any]:
    """Delete expired items now."""
    return {"deleted": expiry_samples.sweep(request.design)}


def describe_engine(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the faults and the clock."""
    return engine_switches.describe_engine(request.design)


def set_faults(request: ConsoleRequest) -> dict[str, Any]:
    """Switch the faults."""
    engine_switches.set_faults(request.design, request.parse(engine_switches.FaultSettings))
    return describe_engine(request)


def move_clock(request: ConsoleRequest) -> dict[str, Any]:
    """Move the clock forward, freeze it, or let it run."""
    engine_switches.move_clock(request.design, request.parse(engine_switches.ClockMove))
    return describe_engine(request)


ROUTES = [
    get("/operations", describe_tables),
    get("/backups", list_backups),
    post("/backups/create", create_backup, writes=True),
    post("/backups/restore", restore_backup, writes=True),
    post("/backups/delete", delete_backup, writes=True),
    post("/recovery", set_recovery, writes=True),
    get("/exports", list_exports),
    post("/exports/start", start_export, writes=True),
    post("/imports/start", start_import, writes=True),
    get("/migrations", describe_migrations),
    get("/migrations/rejects", list_rejects),
    post("/migrations/dry-run", dry_run, writes=False),
    post("/migrations/run", run_migrations, writes=True),
    post("/migrations/retry", retry_rejects, writes=True),
    get("/expiry", sample_expiry),
    post("/expiry/sweep", sweep, writes=True),
    get("/engine", describe_engine),
    post("/engine/faults", set_faults, writes=True),
    post("/engine/clock", move_clock, writes=True),
]
