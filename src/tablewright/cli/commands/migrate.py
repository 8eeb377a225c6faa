"""Apply the migrations of a design to stored items: each migration once, in order.

Applied migrations are recorded next to the tables. After an interruption, run the command again: it continues. Runs
that overlap, on one machine or several, share the work. Concurrent writes by applications are not lost. Items that
cannot be converted stay unchanged and are listed as rejects; the migration is then incomplete, and the next one does
not start. The exit code is 1 if there are rejects.
"""

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import (
    design_argument,
    json_argument,
    keys_argument,
    location_argument,
    positive_number,
    rate_argument,
    table_name_arguments,
)
from tablewright.cli.data_locations import open_deployed
from tablewright.cli.output import (
    LISTED,
    Cell,
    Column,
    bold,
    count,
    green,
    grouped_lines,
    print_json,
    print_line,
    print_table,
    red,
    yellow,
)
from tablewright.cli.progress import ItemProgress
from tablewright.errors import MigrationIncomplete, UsageError

if TYPE_CHECKING:
    from tablewright.access.repository import Repository
    from tablewright.design.entities.migrations import Migration
    from tablewright.lifecycle.migrate import MigrationProgress, MigrationStatus, Result
    from tablewright.lifecycle.migrate.migration_run import OnProgress
    from tablewright.lifecycle.traversal.checkpoint_records import Reject

NAME = "migrate"
SUMMARY = "apply the migrations of a design to stored items"
EPILOG = """\
examples:
  tablewright migrate shop.design:design --status                 show which migrations are applied
  tablewright migrate shop.design:design --dry-run                show what would change, and what would be rejected
  tablewright migrate shop.design:design --on aws:eu-north-1 --env main --rate 50
  tablewright migrate shop.design:design --on aws:eu-north-1 --env main --segments 64     start it on several machines
  tablewright migrate shop.design:design --processes 8            convert the items of a data file in 8 processes
  tablewright migrate shop.design:design --down                   revert the last migration
  tablewright migrate shop.design:design --rejects                list the items that were rejected, and why
"""

_STYLES = {"applied": "green", "pending": "dim"}
_STATUS_COLUMNS = (
    Column("MIGRATION"),
    Column("STATUS"),
    Column("CHANGED", "right"),
    Column("REJECTED", "right"),
    Column("TIME"),
)


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `migrate`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument(
        "--to",
        metavar="NAME",
        help="last migration to apply; with --down, last migration to keep (default: the newest)",
    )
    parser.add_argument(
        "--down", action="store_true", help="revert the last migration, or all migrations after --to"
    )
    parser.add_argument(
        "--dry-run", action="store_true", help="show changes and rejects without writing anything"
    )
    parser.add_argument(
        "--allow-incomplete",
        action="store_true",
        help="start a migration although another one has rejects",
    )
    rate_argument(parser)
    parser.add_argument(
        "--segments",
        metavar="N",
        type=positive_number,
        help="parts of the table that runs share; the first run decides (default: 4)",
    )
    parser.add_argument(
        "--workers",
        metavar="N",
        type=positive_number,
        help="segments that this run works on at the same time (default: 4)",
    )
    parser.add_argument(
        "--processes",
        metavar="N",
        type=positive_number,
        help="processes that convert the items of a data file (default: the idle cores, up to 4, from 20,000 items on)",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument("--status", action="store_true", help="show which migrations are applied")
    mode.add_argument("--rejects", action="store_true", help="list rejected items and the reasons")
    mode.add_argument("--retry", action="store_true", help="convert rejected items again")
    json_argument(parser, "the results, the status or the rejects")


def run(options: argparse.Namespace) -> int:
    """Migrate, or show the status or the rejects."""
    with open_deployed(options) as db:
        if not db.design.migrations:
            raise UsageError(
                f"design {db.design.name} has no migrations; add them with Design(..., migrations=[...])"
            )
        if options.status:
            return _status(db, options)
        if options.rejects or options.retry:
            return _rejects(db, options)
        return _migrate(db, options)


def _migrate(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import migrate
    from tablewright.lifecycle.migrate.planning_choice import Processes
    from tablewright.lifecycle.traversal.table_pass import SEGMENTS, WORKERS

    not_started = ""
    with ItemProgress(db.connection, as_json=options.json) as progress:
        try:
            results = migrate(
                db,
                to=options.to,
                down=options.down,
                dry_run=options.dry_run,
                allow_incomplete=options.allow_incomplete,
                rate=options.rate,
                segments=options.segments or SEGMENTS,
                workers=options.workers or WORKERS,
                processes=Processes(
                    options.processes, options.design, is_required=False, on_choice=_say_processes(options)
                ),
                on_progress=_reporter(db, progress),
            )
        except MigrationIncomplete as error:
            results, not_started = error.results, str(error)
    if options.json:
        print_json([_result_data(result) for result in results])
    elif not results and not not_started:
        print_line(green("No migrations to run."))
    else:
        for result in results:
            _show(result, dry_run=options.dry_run)
    left = [not_started] if not_started else [] if results else _incomplete(db)
    for line in left:
        print(line, file=sys.stderr)
    return 1 if left or any(result.rejects for result in results) else 0


def _incomplete(db: "Repository") -> list[str]:
    """Describe the migrations of earlier runs that still have rejects."""
    from tablewright.lifecycle.migrate.migration_run import status

    return [
        f"{migration.name} is {migration.status}, with {count(migration.state.tally.rejected, 'reject')}; "
        "correct the items and run migrate --retry"
        for migration in status(db)
        if migration.state is not None and migration.state.is_incomplete
    ]


def _say_processes(options: argparse.Namespace) -> "Callable[[Migration, int, str], None]":
    """Return the function that says how many processes convert the items of a migration, if it is worth a line."""

    def say(migration: "Migration", count: int, reason: str) -> None:
        if options.json:
            event = {"event": "processes", "migration": migration.name, "processes": count, "reason": reason}
            print(json.dumps(event), file=sys.stderr)
        elif reason:
            print(f"{migration.name} is converted in one process: {reason}", file=sys.stderr)
        elif count > 1:
            print(f"{migration.name} is converted in {count} processes", file=sys.stderr)

    return say


def _reporter(db: "Repository", progress: ItemProgress) -> "OnProgress":
    """Return the function that shows the progress of migrations."""

    def report(done: "MigrationProgress") -> None:
        tally, name = done.tally, done.migration.name
        detail = (
            f"{name}, pass {done.pass_number}: {tally.changed:,} changed, {tally.rejected:,} rejected, "
            f"{done.units:,.0f} capacity units"
        )
        facts = {
            "migration": name,
            "direction": done.direction,
            "pass": done.pass_number,
            "changed": tally.changed,
            "rejected": tally.rejected,
            "capacity_units": round(done.units, 1),
        }
        progress.show(db.context.table_name(done.migration.table), tally.seen, detail, facts)

    return report


def _show(result: "Result", *, dry_run: bool) -> None:
    name, tally = bold(result.migration.name), result.tally
    if not result.ran_here:
        print_line(f"{name}: another run has completed it")
        return
    done = {"up": "applied", "down": "reverted"}[result.direction]
    would = "would be " if dry_run else ""
    print_line(f"{name} {would}{done}: {tally.changed:,} of {count(tally.seen, 'item')} {would}changed")
    _list(result.rejects, dry_run=dry_run)


def _list(rejects: "tuple[Reject, ...] | list[Reject]", *, dry_run: bool = False) -> None:
    if rejects:
        would = "would be " if dry_run else ""
        print_line(yellow(f"  {count(len(rejects), 'item')} {would}rejected and left unchanged:"))
    lines = grouped_lines(
        rejects,
        lambda reject: reject.reason,
        _key,
        lambda reject: f"{_key(reject)}  {red(reject.reason)}",
    )
    for line in lines:
        print_line(f"  {line}")
    if len(rejects) > LISTED and not dry_run:
        print_line("  --rejects --json lists all of them")


def _status(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import status

    migrations = status(db)
    if options.json:
        print_json([_status_data(migration) for migration in migrations])
    else:
        print_table(_STATUS_COLUMNS, (_status_row(migration) for migration in migrations))
    return 0


def _status_row(status: "MigrationStatus") -> tuple[Cell | str, ...]:
    shown = Cell(status.status, _STYLES.get(status.status, "yellow"))
    unknown = "" if status.is_known else "not in the design"
    state = status.state
    if state is None:
        return status.name, shown, "", "", unknown
    time = state.ended or f"since {state.began}, pass {state.pass_number}, by {state.runner}"
    detail = ", ".join(filter(None, (str(time), unknown)))
    return status.name, shown, f"{state.tally.changed:,}", f"{state.tally.rejected:,}", Cell(detail, "dim")


def _rejects(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import rejects, retry

    if options.retry:
        with ItemProgress(db.connection, as_json=options.json) as progress:
            rejected = retry(db, options.to, rate=options.rate, on_progress=_reporter(db, progress))
    else:
        rejected = rejects(db, options.to)
    if options.json:
        print_json({name: [_reject_data(reject) for reject in listed] for name, listed in rejected.items()})
    elif not rejected:
        print_line(green("No rejects."))
    else:
        for name, listed in rejected.items():
            print_line(bold(name))
            _list(listed)
    return 1 if rejected else 0


def _key(reject: "Reject") -> str:
    from tablewright.access.items.item_values import describe_key

    return f"{reject.table}: {describe_key(reject.key)}"


def _result_data(result: "Result") -> dict[str, Any]:
    return {
        "migration": result.migration.name,
        "direction": result.direction,
        "seen": result.tally.seen,
        "changed": result.tally.changed,
        "rejects": [_reject_data(reject) for reject in result.rejects],
    }


def _status_data(status: "MigrationStatus") -> dict[str, Any]:
    state = status.state
    data: dict[str, Any] = {"migration": status.name, "status": status.status, "known": status.is_known}
    if state is not None:
        data |= {"began": state.began, "ended": state.ended, "changed": state.tally.changed}
        data |= {"rejected": state.tally.rejected, "pass": state.pass_number, "runner": state.runner}
    return data


def _reject_data(reject: "Reject") -> dict[str, Any]:
    from tablewright.dynamodb.values.attributes import normalise

    key = {name: normalise(value) for name, value in reject.key.items()}
    return {"table": reject.table, "key": key, "reason": reject.reason}
