"""Check every item of a design's tables, or every page and row of a data file.

With a design, list the items that differ from what the design would store.

The command finds incomplete items, index keys that do not match the fields, missing, orphaned or stale locks and
copies, items that are not entities, and secrets that cannot be decrypted. Only --repair changes data. A repair is
conditional: it does nothing if the item has changed since it was read. It never deletes data of unknown origin. The
tables may be in use. The exit code is 1 if problems remain.

With --storage and without a design, verify the checksums of all pages and rows of a data file, and compare every
index with its table. The file must not be in use, and is not changed. --salvage NEW_FILE copies what is intact into a
new data file and lists what is lost, by table and key.
"""

import argparse
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import (
    json_argument,
    keys_argument,
    location_argument,
    location_kind,
    rate_argument,
    table_name_arguments,
)
from tablewright.cli.data_locations import open_deployed
from tablewright.cli.output import (
    bold,
    count,
    faint,
    green,
    grouped_lines,
    print_json,
    print_line,
    red,
    yellow,
)
from tablewright.cli.progress import ItemProgress, Progress
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.engine.salvage import SalvageReport
    from tablewright.engine.storage_check import StorageProblem
    from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport

NAME = "fsck"
SUMMARY = "find and repair wrong items of a design, or check a data file"
EPILOG = """\
examples:
  tablewright fsck shop.design:design                             find problems
  tablewright fsck shop.design:design --repair                    repair them
  tablewright fsck shop.design:design --on aws:eu-north-1 --env main --rate 50 --json
  tablewright fsck --storage --on app.db                          verify all checksums of a data file
  tablewright fsck --storage --on app.db --salvage saved.db       copy what is intact
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `fsck`."""
    parser.add_argument("design", metavar="MODULE:DESIGN", nargs="?", help="import name of the design")
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument("--repair", action="store_true", help="repair what can be repaired")
    rate_argument(parser)
    parser.add_argument(
        "--storage", action="store_true", help="verify the checksums of a data file, without a design"
    )
    parser.add_argument(
        "--salvage", metavar="NEW_FILE", help="with --storage: copy what is intact to a new data file"
    )
    json_argument(parser, "the findings")


def run(options: argparse.Namespace) -> int:
    """Check, repair if requested, and print the findings."""
    if options.storage or options.salvage:
        return _run_storage(options)
    if options.design is None:
        raise UsageError("fsck needs a design: MODULE:DESIGN, or --storage to check a data file")
    from tablewright.lifecycle.integrity.fsck import check

    with open_deployed(options) as db, ItemProgress(db.connection) as progress:
        report = check(
            db,
            repair=options.repair,
            rate=options.rate,
            on_progress=lambda table, tally: progress.show(db.context.table_name(table), tally.seen),
        )
    if options.json:
        print_json(_data(report))
    else:
        _show(report)
    return 1 if report.findings else 0


def _run_storage(options: argparse.Namespace) -> int:
    """Check a data file, or salvage it."""
    from tablewright.engine.salvage import salvage
    from tablewright.engine.storage_check import check_storage

    file = _data_file(options)
    if options.salvage is None:
        with Progress(0, "pages") as progress:
            checked = check_storage(file, partial(_show_progress, progress))
        return _show_storage(options, checked.rows, checked.problems)
    with Progress(0, "rows") as progress:
        target = Path(options.salvage).expanduser().absolute()
        saved = salvage(file, target, partial(_show_progress, progress))
    return _show_storage(options, sum(saved.copied.values()), saved.lost, saved)


def _show_progress(progress: Progress, part: str, done: int, total: int) -> None:
    if progress.unit != part:
        progress.begin(total, part)
    progress.reach(done)


def _data_file(options: argparse.Namespace) -> Path:
    if not options.storage:
        raise UsageError("--salvage copies a data file; give --storage with it")
    if options.design is not None or options.repair:
        raise UsageError("--storage checks a data file; give it without a design and without --repair")
    file = Path(options.on).expanduser()
    if location_kind(options.on) != "file" or not file.is_file():
        raise UsageError(f"{options.on} is not a data file; give an existing FILE with --on")
    return file.resolve()


def _show_storage(
    options: argparse.Namespace,
    rows: int,
    problems: "list[StorageProblem]",
    saved: "SalvageReport | None" = None,
) -> int:
    if options.json:
        data: dict[str, Any] = {"rows": rows, "problems": [_problem_data(problem) for problem in problems]}
        if saved is not None:
            data |= {"copied": saved.copied, "recovered": saved.recovered, "notes": saved.notes}
        print_json(data)
        return 1 if problems else 0
    for problem in problems:
        print_line(f"{red('lost' if saved else 'damaged')}: {problem}")
    if saved is not None:
        _show_copied(saved)
    if problems:
        print_line(bold(f"{count(len(problems), 'problem')} in {count(rows, 'row')}"))
    else:
        print_line(green(f"No problems in {count(rows, 'row')}."))
    return 1 if problems else 0


def _show_copied(saved: "SalvageReport") -> None:
    for note in saved.notes:
        print_line(yellow(f"note: {note}"))
    for name, number in saved.copied.items():
        if number:
            print_line(f"copied {count(number, 'row')} of {name}")
    if saved.recovered:
        print_line(f"{count(saved.recovered, 'damaged item')} recovered from indexes")


def _problem_data(problem: "StorageProblem") -> dict[str, Any]:
    return {"place": problem.place, "problem": problem.problem, "table": problem.table, "key": problem.key}


def _show(report: "IntegrityReport") -> None:
    for line in _lines(report.repaired, lambda finding: f"{finding.kind}: {finding}", lambda finding: ""):
        print_line(f"{green('repaired')}  {line}")
    for line in _lines(report.findings, _line, lambda finding: f"; {_repair(finding)}"):
        print_line(line)
    for note, times in sorted(report.notes.items()):
        print_line(yellow(f"note: {times} x {note}"))
    if report.findings:
        counted = ", ".join(f"{times} x {kind}" for kind, times in sorted(report.counts.items()))
        print_line(
            f"{bold(count(len(report.findings), 'finding'))} in {count(report.seen, 'item')}: {counted}"
        )
    else:
        print_line(green(f"No problems in {count(report.seen, 'item')}."))


def _lines(
    findings: "list[IntegrityFinding]",
    line: "Callable[[IntegrityFinding], str]",
    ending: "Callable[[IntegrityFinding], str]",
) -> Iterator[str]:
    from tablewright.access.items.item_values import describe_key

    return grouped_lines(
        findings,
        lambda finding: f"{finding.kind}: {finding.table}: {finding.problem}{ending(finding)}",
        lambda finding: describe_key(finding.key),
        line,
    )


def _line(finding: "IntegrityFinding") -> str:
    return f"{red(str(finding.kind))}: {finding}; {faint(_repair(finding))}"


def _repair(finding: "IntegrityFinding") -> str:
    return f"--repair would {finding.repair}" if finding.repair else "cannot be repaired automatically"


def _data(report: "IntegrityReport") -> dict[str, Any]:
    return {
        "seen": report.seen,
        "counts": report.counts,
        "findings": [_finding_data(finding) for finding in report.findings],
        "repaired": [_finding_data(finding) for finding in report.repaired],
        "notes": dict(report.notes),
    }


def _finding_data(finding: "IntegrityFinding") -> dict[str, Any]:
    from tablewright.dynamodb.values.attributes import normalise

    return {
        "kind": str(finding.kind),
        "table": finding.table,
        "key": {name: normalise(value) for name, value in finding.key.items()},
        "entity": finding.entity,
        "problem": finding.problem,
        "repair": finding.repair,
    }
