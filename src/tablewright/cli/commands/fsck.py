"""Check every item of a design's tables, and list the items that differ from what the design would store.

The command finds incomplete items, index keys that do not match the fields, missing, orphaned or stale locks and
copies, items that are not entities, and secrets that cannot be decrypted. Only --repair changes data. A repair is
conditional: it does nothing if the item has changed since it was read. It never deletes data of unknown origin. The
tables may be in use. The exit code is 1 if problems remain.
"""

import argparse
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import (
    design_argument,
    json_argument,
    keys_argument,
    location_argument,
    rate_argument,
    table_name_arguments,
)
from tablewright.cli.data_locations import open_deployed
from tablewright.cli.output import bold, count, faint, green, print_json, print_line, red, yellow
from tablewright.cli.progress import ItemProgress

if TYPE_CHECKING:
    from tablewright.lifecycle.integrity.integrity_findings import Finding, Report

NAME = "fsck"
SUMMARY = "find and repair items that do not match their design"
EPILOG = """\
examples:
  tablewright fsck shop.design:design                             find problems
  tablewright fsck shop.design:design --repair                    repair them
  tablewright fsck shop.design:design --on aws:eu-north-1 --env main --rate 50 --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `fsck`."""
    design_argument(parser)
    location_argument(parser)
    table_name_arguments(parser)
    keys_argument(parser)
    parser.add_argument("--repair", action="store_true", help="repair what can be repaired")
    rate_argument(parser)
    json_argument(parser, "the findings")


def run(options: argparse.Namespace) -> int:
    """Check, repair if requested, and print the findings."""
    from tablewright.lifecycle.integrity.integrity_check import check

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


def _show(report: "Report") -> None:
    for finding in report.repaired:
        print_line(f"{green('repaired')}  {finding.kind}: {finding}")
    for finding in report.findings:
        repair = f"--repair would {finding.repair}" if finding.repair else "cannot be repaired automatically"
        print_line(f"{red(str(finding.kind))}: {finding}; {faint(repair)}")
    for note, times in sorted(report.notes.items()):
        print_line(yellow(f"note: {times} x {note}"))
    if report.findings:
        counted = ", ".join(f"{times} x {kind}" for kind, times in sorted(report.counts.items()))
        print_line(
            f"{bold(count(len(report.findings), 'finding'))} in {count(report.seen, 'item')}: {counted}"
        )
    else:
        print_line(green(f"No problems in {count(report.seen, 'item')}."))


def _data(report: "Report") -> dict[str, Any]:
    return {
        "seen": report.seen,
        "counts": report.counts,
        "findings": [_finding_data(finding) for finding in report.findings],
        "repaired": [_finding_data(finding) for finding in report.repaired],
        "notes": dict(report.notes),
    }


def _finding_data(finding: "Finding") -> dict[str, Any]:
    from tablewright.values.attributes import normalise

    return {
        "kind": str(finding.kind),
        "table": finding.table,
        "key": {name: normalise(value) for name, value in finding.key.items()},
        "entity": finding.entity,
        "problem": finding.problem,
        "repair": finding.repair,
    }
