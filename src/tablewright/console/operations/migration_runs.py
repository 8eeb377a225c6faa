"""Migration runs: the status and the rejects of the migrations of a design, and runs of them as tasks."""

from typing import Any

from tablewright.access.items.item_values import describe_key
from tablewright.console.command_lines import command_line
from tablewright.console.open_designs import OpenDesign
from tablewright.console.shown_items import secret_attributes
from tablewright.console.tasks import Task, TaskReport
from tablewright.errors import MigrationIncomplete, UsageError
from tablewright.lifecycle.migrate.migration_run import (
    MigrationProgress,
    MigrationStatus,
    OnProgress,
    Result,
    migrate,
    rejects,
    retry,
    status,
)
from tablewright.lifecycle.traversal.checkpoint_records import Reject

MAX_REJECTS = 200
"""The most rejects of a migration in one reply."""
HOW_TO = 'Add them with Design(..., migrations=[...]), or migrations="module" for a module that defines them.'
_SECRET_REASON = "The reason is not shown: the table has secret fields. See it with:"


def describe_migrations(opened: OpenDesign) -> dict[str, Any]:
    """Return the status of each migration, in order, and the number of its rejects."""
    if not opened.design.migrations:
        return {"migrations": [], "why": _no_migrations(opened)}
    tables = {
        migration.name: opened.db.context.table_name(migration.table)
        for migration in opened.design.migrations
    }
    migrations = [_status(entry) | {"table": tables.get(entry.name)} for entry in status(opened.db)]
    return {"migrations": migrations, "why": None}


def _status(entry: MigrationStatus) -> dict[str, Any]:
    state = entry.state
    data: dict[str, Any] = {"name": entry.name, "status": entry.status, "is_known": entry.is_known}
    if state is None:
        return data | {"began": None, "ended": None, "seen": 0, "changed": 0, "rejected": 0, "pass": 0}
    tally = state.tally
    return data | {
        "began": state.began,
        "ended": state.ended,
        "seen": tally.seen,
        "changed": tally.changed,
        "rejected": tally.rejected,
        "pass": state.pass_number,
    }


def list_rejects(opened: OpenDesign, name: str) -> dict[str, Any]:
    """Return the rejects of a migration, with the reasons."""
    _require_known(opened, name)
    rejected = rejects(opened.db, name).get(name, [])
    return {
        "total": len(rejected),
        "rejects": [reject_data(opened, reject) for reject in rejected[:MAX_REJECTS]],
    }


def reject_data(opened: OpenDesign, reject: Reject) -> dict[str, Any]:
    """Describe a reject; the reason may quote a value, so it is hidden for tables with secret fields."""
    table = opened.tables.get(reject.table)
    is_secret = table is None or bool(secret_attributes(opened, table))
    hidden = f"{_SECRET_REASON} {command_line(opened, 'migrate', '--rejects')}"
    reason = hidden if is_secret and not opened.reveal else reject.reason
    return {"table": reject.table, "key": reject.key, "title": describe_key(reject.key), "reason": reason}


def start_run(opened: OpenDesign, to: str | None, *, down: bool, dry_run: bool, confirm: str | None) -> Task:
    """Start a task that applies the pending migrations up to `to`, or with `down` reverts the last one."""
    _require_migrations(opened)
    if to is not None:
        _require_known(opened, to)
    if down and not dry_run:
        _require_confirmed(opened, confirm)

    def run(report: TaskReport) -> dict[str, Any]:
        on_progress = _reporter(report)
        try:
            results = migrate(opened.db, to=to, down=down, dry_run=dry_run, on_progress=on_progress)
            stopped = None
        except MigrationIncomplete as error:
            results, stopped = error.results, str(error)
        return {
            "dry_run": dry_run,
            "stopped": stopped,
            "results": [_result(opened, result) for result in results],
        }

    verb = "Revert a migration" if down else "Migrate" + (f" to {to}" if to else "")
    title = f"Dry run: {verb.lower()}" if dry_run else verb
    return opened.tasks.start("migrate", title, run, table=_lock_name(opened), exclusive=not dry_run)


def start_retry(opened: OpenDesign, name: str) -> Task:
    """Start a task that migrates the rejected items of a migration again."""
    _require_known(opened, name)

    def run(report: TaskReport) -> dict[str, Any]:
        left = retry(opened.db, name, on_progress=_reporter(report)).get(name, [])
        return {"left": len(left), "rejects": [reject_data(opened, reject) for reject in left[:MAX_REJECTS]]}

    title = f"Retry the rejects of {name}"
    return opened.tasks.start("migrate", title, run, table=_lock_name(opened), exclusive=True)


def _lock_name(opened: OpenDesign) -> str:
    """The table whose other exclusive tasks exclude a run: that of the last migration."""
    return opened.db.context.table_name(opened.design.migrations[-1].table)


def _reporter(report: TaskReport) -> OnProgress:
    def show(progress: MigrationProgress) -> None:
        tally = progress.tally
        report(
            tally.seen,
            None,
            f"{progress.migration.name}, pass {progress.pass_number}: {tally.changed:,} changed, "
            f"{tally.rejected:,} rejected, {progress.units:,.0f} capacity units",
        )

    return show


def _result(opened: OpenDesign, result: Result) -> dict[str, Any]:
    return {
        "name": result.migration.name,
        "direction": result.direction,
        "seen": result.tally.seen,
        "changed": result.tally.changed,
        "rejected": len(result.rejects),
        "rejects": [reject_data(opened, reject) for reject in result.rejects[:MAX_REJECTS]],
        "ran_here": result.ran_here,
    }


def _no_migrations(opened: OpenDesign) -> str:
    return f"The design {opened.name} has no migrations. {HOW_TO}"


def _require_migrations(opened: OpenDesign) -> None:
    if not opened.design.migrations:
        raise UsageError(_no_migrations(opened))


def _require_known(opened: OpenDesign, name: str) -> None:
    known = [migration.name for migration in opened.design.migrations]
    if name not in known:
        raise UsageError(f"{opened.name} has no migration {name}; it has: {', '.join(known) or 'none'}")


def _require_confirmed(opened: OpenDesign, confirm: str | None) -> None:
    applied = [
        entry.name for entry in status(opened.db) if entry.state is not None and entry.state.direction == "up"
    ]
    if not applied:
        raise UsageError("no migration is applied, so there is nothing to revert")
    if confirm != applied[-1]:
        raise UsageError(f"to revert the last migration, type its name {applied[-1]}; nothing was changed")
