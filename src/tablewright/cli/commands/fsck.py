"""Look at every item of a design's tables, and say what is not as the design would have stored it.

It finds what is left of deleted entities, keys of indexes that are not made of the fields, locks and copies that are
missing, orphaned or out of date, items that are no entity, and secrets that cannot be decrypted. Nothing is touched
without --repair; and a repair writes only where everything is still as it was found, and deletes nothing that it cannot
explain. The tables may be in use meanwhile. It exits with code 1 when something is wrong, and still is.
"""

import argparse
import json
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import design_argument, keys_argument, open_deployed, store_arguments
from tablewright.cli.output import bold, faint, green, red, say, yellow
from tablewright.cli.progress import Bar, rate_argument

if TYPE_CHECKING:
    from tablewright.lifecycle.integrity.integrity_findings import Finding, Report

NAME = "fsck"
SUMMARY = "find and repair what a design would not have stored"
EPILOG = """\
examples:
  tablewright fsck shop.design:design                             only look
  tablewright fsck shop.design:design --repair                    set right what can be set right
  tablewright fsck shop.design:design --on aws:eu-north-1 --env main --rate 50 --json
"""


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `fsck` understands."""
    design_argument(parser)
    store_arguments(parser)
    keys_argument(parser)
    parser.add_argument("--repair", action="store_true", help="set right what can be set right")
    rate_argument(parser)
    parser.add_argument("--json", action="store_true", help="print the findings as JSON")


def run(options: argparse.Namespace) -> int:
    """Look, repair if asked to, and tell."""
    from tablewright.lifecycle.integrity.integrity_check import check

    with open_deployed(options) as db, Bar(db.connection) as bar:
        report = check(
            db,
            repair=options.repair,
            rate=options.rate,
            on_progress=lambda table, tally: bar.show(db.context.table_name(table), tally.seen),
        )
    if options.json:
        say(json.dumps(_data(report), indent=2))
    else:
        _show(report)
    return 1 if report.findings else 0


def _show(report: "Report") -> None:
    for finding in report.repaired:
        say(f"{green('repaired')}  {finding.kind}: {finding}")
    for finding in report.findings:
        repair = f"a repair would {finding.repair}" if finding.repair else "a person has to see to it"
        say(f"{red(str(finding.kind))}: {finding}; {faint(repair)}")
    for note, times in sorted(report.notes.items()):
        say(yellow(f"note: {times} x {note}"))
    if report.findings:
        counted = ", ".join(f"{count} x {kind}" for kind, count in sorted(report.counts.items()))
        say(f"{bold(f'{len(report.findings)} findings')} in {report.seen} items: {counted}")
    else:
        say(green(f"All of {report.seen} items are as the design would have stored them."))


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
