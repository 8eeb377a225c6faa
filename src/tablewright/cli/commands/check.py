"""Check a design for problems, without running it.

The exit code is 1 if there are errors, 2 if the design cannot be read, and 0 otherwise.
"""

import argparse
import os
import sys
from collections import Counter
from typing import TYPE_CHECKING, Any

from tablewright.cli.data_locations import load_design
from tablewright.cli.output import bold, count, faint, print_json, print_line, red, yellow
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.checks.findings import Finding
    from tablewright.checks.runner import CheckReport
    from tablewright.design.designs import Design

NAME = "check"
SUMMARY = "check a design for problems"
EPILOG = """\
examples:
  tablewright check shop.design:design               show errors and warnings, with a fix for each
  tablewright check shop.design                      check everything that a module defines
  tablewright check shop.design --level info         show notes too
  tablewright check shop.design --format github      annotate the lines of a pull request
  tablewright check --explain TW107                  explain a code
"""

_COLOURS = {"error": red, "warning": yellow, "info": faint}
_INDENT = " " * 9
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of `check`."""
    parser.add_argument(
        "design",
        metavar="MODULE:DESIGN",
        nargs="?",
        help="import name of the design; without :DESIGN, all that the module defines",
    )
    parser.add_argument(
        "--format", choices=("text", "json", "github"), default="text", help="output format (default: text)"
    )
    parser.add_argument(
        "--level",
        choices=("error", "warning", "info"),
        default="warning",
        help="lowest severity to show (default: warning)",
    )
    parser.add_argument("--explain", metavar="CODE", help="print the manual page of a check and exit")


def run(options: argparse.Namespace) -> int:
    """Check the design, and print the findings."""
    if options.explain:
        return _explain(options.explain)
    if options.design is None:
        raise UsageError("no design given; run: tablewright check MODULE:DESIGN")
    from tablewright.checks.findings import SEVERITIES
    from tablewright.checks.runner import check

    design = load_design(options.design)
    report = check(design)
    least = SEVERITIES.index(options.level)
    shown = [finding for finding in report if SEVERITIES.index(finding.severity) <= least]
    if options.format == "json":
        print_json(_json(design, shown, report))
    elif options.format == "github":
        for finding in shown:
            print_line(_github(design, finding))
    else:
        for finding in shown:
            print_line(_text(finding))
        print_line(_summary(design.name, shown, report))
    return 1 if report.has_errors else 0


def _explain(code: str) -> int:
    from tablewright.checks.runner import rules

    rule = next((rule for rule in rules() if rule.code == code.upper()), None)
    if rule is None:
        raise UsageError(f"unknown check {code!r}; the codes are: {', '.join(one.code for one in rules())}")
    print_line(f"{bold(f'{rule.code}  {rule.title}')}\n\n{rule.manual}")
    return 0


def _text(finding: "Finding") -> str:
    severity = _COLOURS[finding.severity](f"{finding.severity:<7}")
    detail = "\n".join(map(_wrapped, (finding.why, f"fix: {finding.fix}")))
    return f"{severity}  {finding.code}  {bold(finding.where)}\n{detail}\n"


def _wrapped(text: str) -> str:
    """Indent a text, and wrap it on a terminal; in a pipe it stays one line."""
    if not sys.stdout.isatty():
        return _INDENT + text
    import shutil
    import textwrap

    columns = shutil.get_terminal_size().columns
    return textwrap.fill(text, columns, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _summary(name: str, shown: list["Finding"], report: "CheckReport") -> str:
    counts: Counter[str] = Counter(finding.severity for finding in report)
    nouns = {"error": "error", "warning": "warning", "info": "note"}
    shown_counts = [count(counts[severity], noun) for severity, noun in nouns.items()]
    hidden = len(report.findings) - len(shown)
    more = f" ({hidden} not shown: --level info)" if hidden else ""
    silenced = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    return f"{bold(name)}: {', '.join(shown_counts)}{silenced}{more}"


def _json(design: "Design", shown: list["Finding"], report: "CheckReport") -> dict[str, Any]:
    suppressed = [
        _entry(design, finding) | {"reason": silence.reason} for finding, silence in report.suppressed
    ]
    return {
        "design": design.name,
        "findings": [_entry(design, finding) for finding in shown],
        "suppressed": suppressed,
    }


def _entry(design: "Design", finding: "Finding") -> dict[str, Any]:
    file, line = _source(design, finding)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "why": finding.why,
        "fix": finding.fix,
        "file": file,
        "line": line,
    }


def _github(design: "Design", finding: "Finding") -> str:
    file, line = _source(design, finding)
    source = f"file={_property(file)},line={line}," if file else ""
    title = _property(f"{finding.code} {finding.where}")
    message = f"{finding.why}\nfix: {finding.fix}".replace("%", "%25").replace("\n", "%0A")
    return f"::{_GITHUB[finding.severity]} {source}title={title}::{message}"


def _property(text: str) -> str:
    """Escape a property of a GitHub annotation, which ends at a comma or a colon."""
    return text.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def _source(design: "Design", finding: "Finding") -> tuple[str | None, int | None]:
    """Return the file, relative to the current directory, and the line of what a finding is about."""
    from tablewright.checks.source_lines import source_lines

    place = source_lines(design, finding)
    return (None, None) if place is None else (os.path.relpath(place.file), place.line)
