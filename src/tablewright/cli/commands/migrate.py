"""Change what is stored, as the migrations of a design say: each once, in their order.

What is applied is recorded beside the tables. A run that was interrupted is begun again and goes on; of two at a time,
one waits for the other. No edit that is made meanwhile is lost. Items that do not convert are left as they are, and
listed. It exits with code 1 when some were.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import design_argument, keys_argument, open_deployed, store_arguments
from tablewright.cli.output import bold, faint, green, red, say, yellow
from tablewright.cli.progress import Bar, rate_argument
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.access.repository import Repository
    from tablewright.lifecycle.migrate import Migration, MigrationStatus, Result
    from tablewright.lifecycle.traversal.checkpoints import Reject, Tally

NAME = "migrate"
SUMMARY = "change what is stored, as the migrations of a design say"
EPILOG = """\
examples:
  tablewright migrate shop.design:design --status                 what is applied, and what is not
  tablewright migrate shop.design:design --dry-run                what would be changed, and what would not convert
  tablewright migrate shop.design:design --on aws:eu-north-1 --env main --rate 50
  tablewright migrate shop.design:design --down                   the last one, back
  tablewright migrate shop.design:design --rejects                what did not convert, and why
"""

_COLOURS = {"applied": green, "pending": faint}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `migrate` understands."""
    design_argument(parser)
    store_arguments(parser)
    keys_argument(parser)
    parser.add_argument("--to", metavar="NAME", help="the last to apply; with --down, the first to stay")
    parser.add_argument(
        "--down", action="store_true", help="revert the last one, or all that came after --to"
    )
    parser.add_argument("--dry-run", action="store_true", help="only say what would be changed")
    rate_argument(parser)
    asked = parser.add_mutually_exclusive_group()
    asked.add_argument("--status", action="store_true", help="only say which are applied")
    asked.add_argument("--rejects", action="store_true", help="only list what did not convert")
    asked.add_argument("--retry", action="store_true", help="try again what did not convert")
    parser.add_argument("--json", action="store_true", help="print what came of it as JSON")


def run(options: argparse.Namespace) -> int:
    """Do what was asked."""
    with open_deployed(options) as db:
        if not db.design.migrations:
            raise UsageError(f"{db.design.name} has no migrations; name them: Design(..., migrations=[...])")
        if options.status:
            return _status(db, options)
        if options.rejects or options.retry:
            return _rejects(db, options)
        return _migrate(db, options)


def _migrate(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import migrate

    with Bar(db.connection) as bar:

        def on_progress(migration: "Migration", tally: "Tally") -> None:
            done = f"{migration.name}: {tally.changed} changed, {tally.rejected} rejected"
            bar.show(db.context.table_name(migration.table), tally.seen, done)

        results = migrate(
            db,
            to=options.to,
            down=options.down,
            dry_run=options.dry_run,
            rate=options.rate,
            on_progress=on_progress,
        )
    if options.json:
        say(json.dumps([_result_data(result) for result in results], indent=2))
    elif not results:
        say(green("Nothing to do."))
    else:
        for result in results:
            _show(result, dry_run=options.dry_run)
    return 1 if any(result.rejects for result in results) else 0


def _show(result: "Result", *, dry_run: bool) -> None:
    name, tally = bold(result.migration.name), result.tally
    if not result.ran_here:
        say(f"{name}: another run has done it")
        return
    done = {"up": "applied", "down": "reverted"}[result.direction]
    would = "would be " if dry_run else ""
    say(
        f"{name} {'would be ' if dry_run else ''}{done}: {tally.changed} of {tally.seen} items {would}changed"
    )
    _list(result.rejects, dry_run=dry_run)


def _list(rejects: "tuple[Reject, ...] | list[Reject]", *, dry_run: bool = False) -> None:
    if rejects:
        say(yellow(f"  {len(rejects)} {'would be' if dry_run else 'are'} left as they are:"))
    for reject in rejects:
        say(f"  {_key(reject)}  {red(reject.reason)}")


def _status(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import status

    standings = status(db)
    if options.json:
        say(json.dumps([_standing_data(standing) for standing in standings], indent=2))
        return 0
    width = max(len(standing.name) for standing in standings)
    for standing in standings:
        colour = _COLOURS.get(standing.shown, yellow)
        unknown = "" if standing.is_known else yellow("  not in the design")
        say(f"{standing.name:{width}}  {colour(standing.shown)}{_told(standing)}{unknown}")
    return 0


def _told(standing: "MigrationStatus") -> str:
    state = standing.state
    if state is None:
        return ""
    since = state.ended or f"since {state.began}, pass {state.round}, by {state.runner}"
    rejected = f", {state.tally.rejected} rejected" if state.tally.rejected else ""
    return faint(f"  {since}  {state.tally.changed} changed{rejected}")


def _rejects(db: "Repository", options: argparse.Namespace) -> int:
    from tablewright.lifecycle.migrate.migration_run import rejects, retry

    found = retry(db, options.to) if options.retry else rejects(db, options.to)
    if options.json:
        say(
            json.dumps(
                {name: [_reject_data(each) for each in listed] for name, listed in found.items()}, indent=2
            )
        )
    elif not found:
        say(green("Nothing is rejected."))
    else:
        for name, listed in found.items():
            say(bold(name))
            _list(listed)
    return 1 if found else 0


def _key(reject: "Reject") -> str:
    from tablewright.access.items.key_values import describe_key

    return f"{reject.table}: {describe_key(reject.key)}"


def _result_data(result: "Result") -> dict[str, Any]:
    return {
        "migration": result.migration.name,
        "direction": result.direction,
        "seen": result.tally.seen,
        "changed": result.tally.changed,
        "rejects": [_reject_data(reject) for reject in result.rejects],
    }


def _standing_data(standing: "MigrationStatus") -> dict[str, Any]:
    state = standing.state
    told: dict[str, Any] = {"migration": standing.name, "status": standing.shown, "known": standing.is_known}
    if state is not None:
        told |= {"began": state.began, "ended": state.ended, "changed": state.tally.changed}
        told |= {"rejected": state.tally.rejected, "pass": state.round, "runner": state.runner}
    return told


def _reject_data(reject: "Reject") -> dict[str, Any]:
    from tablewright.values.attributes import normalise

    key = {name: normalise(value) for name, value in reject.key.items()}
    return {"table": reject.table, "key": key, "reason": reject.reason}
