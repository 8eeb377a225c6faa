"""Say what a design will suffer from, by reading it. Nothing is run.

It exits with code 1 when there are errors, with 0 otherwise, and with 2 when the design cannot be read.
"""

import argparse
import json
import os
import shutil
import sys
import textwrap
from collections import Counter
from inspect import getsourcefile, getsourcelines
from typing import TYPE_CHECKING, Any

from tablewright.cli.arguments import load_design
from tablewright.cli.output import bold, faint, red, say, yellow
from tablewright.errors import UsageError

if TYPE_CHECKING:
    from tablewright.checks.findings import Finding
    from tablewright.checks.runner import Report

NAME = "check"
SUMMARY = "say what a design will suffer from"
EPILOG = """\
examples:
  tablewright check shop.design:design               what is wrong, and what to do about it
  tablewright check shop.design                      all that a module defines
  tablewright check shop.design --level info         also what is only good to know
  tablewright check shop.design --format github      marks on the lines of a pull request
  tablewright check --explain TW107                  what a code means
"""

_COLOURS = {"error": red, "warning": yellow, "info": faint}
_INDENT = " " * 9
_GITHUB = {"error": "error", "warning": "warning", "info": "notice"}


def arguments(parser: argparse.ArgumentParser) -> None:
    """What `check` understands."""
    parser.add_argument(
        "design", metavar="MODULE:DESIGN", nargs="?", help="where it is, as Python imports it"
    )
    parser.add_argument("--format", choices=("text", "json", "github"), default="text", help="how to say it")
    parser.add_argument(
        "--level",
        choices=("error", "warning", "info"),
        default="warning",
        help="the least to show (warning)",
    )
    parser.add_argument("--explain", metavar="CODE", help="print the manual page of a check")


def run(options: argparse.Namespace) -> int:
    """Check, and print what was found."""
    if options.explain:
        return _explain(options.explain)
    if options.design is None:
        raise UsageError("name a design: tablewright check MODULE:DESIGN")
    from tablewright.checks.findings import SEVERITIES
    from tablewright.checks.runner import check

    design = load_design(options.design)
    report = check(design)
    least = SEVERITIES.index(options.level)
    shown = [finding for finding in report if SEVERITIES.index(finding.severity) <= least]
    if options.format == "json":
        say(json.dumps(_json(design.name, shown, report), indent=2))
    elif options.format == "github":
        for finding in shown:
            say(_github(finding))
    else:
        for finding in shown:
            say(_text(finding))
        say(_summary(design.name, shown, report))
    return 1 if report.has_errors else 0


def _explain(code: str) -> int:
    from tablewright.checks.runner import rules

    rule = next((rule for rule in rules() if rule.code == code.upper()), None)
    if rule is None:
        raise UsageError(f"there is no check {code}; the codes are: {', '.join(one.code for one in rules())}")
    say(f"{bold(f'{rule.code}  {rule.title}')}\n\n{rule.manual}")
    return 0


def _text(finding: "Finding") -> str:
    severity = _COLOURS[finding.severity](f"{finding.severity:<7}")
    told = "\n".join(map(_wrapped, (finding.why, f"fix: {finding.fix}")))
    return f"{severity}  {finding.code}  {bold(finding.where)}\n{told}\n"


def _wrapped(text: str) -> str:
    """Indented; on a terminal also broken at its width, while a program gets one line."""
    if not sys.stdout.isatty():
        return _INDENT + text
    columns = shutil.get_terminal_size().columns
    return textwrap.fill(text, columns, initial_indent=_INDENT, subsequent_indent=_INDENT)


def _summary(name: str, shown: list["Finding"], report: "Report") -> str:
    counts: Counter[str] = Counter(finding.severity for finding in report)
    words = {"error": "errors", "warning": "warnings", "info": "notes"}
    said = [f"{counts[severity]} {_counted(word, counts[severity])}" for severity, word in words.items()]
    hidden = len(report.findings) - len(shown)
    more = f" ({hidden} not shown: --level info)" if hidden else ""
    silenced = f", {len(report.suppressed)} suppressed" if report.suppressed else ""
    return f"{bold(name)}: {', '.join(said)}{silenced}{more}"


def _counted(word: str, count: int) -> str:
    return word.removesuffix("s") if count == 1 else word


def _json(name: str, shown: list["Finding"], report: "Report") -> dict[str, Any]:
    suppressed = [_entry(finding) | {"reason": silence.reason} for finding, silence in report.suppressed]
    return {"design": name, "findings": [_entry(finding) for finding in shown], "suppressed": suppressed}


def _entry(finding: "Finding") -> dict[str, Any]:
    file, line = _source(finding)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "why": finding.why,
        "fix": finding.fix,
        "file": file,
        "line": line,
    }


def _github(finding: "Finding") -> str:
    file, line = _source(finding)
    place = f"file={_property(file)},line={line}," if file else ""
    title = _property(f"{finding.code} {finding.where}")
    message = f"{finding.why}\nfix: {finding.fix}".replace("%", "%25").replace("\n", "%0A")
    return f"::{_GITHUB[finding.severity]} {place}title={title}::{message}"


def _property(text: str) -> str:
    """GitHub's spelling of a property: it ends at a comma or a colon."""
    return text.replace("%", "%25").replace(":", "%3A").replace(",", "%2C")


def _source(finding: "Finding") -> tuple[str | None, int | None]:
    """The file, from here, and the line of the class it is about."""
    try:
        if finding.subject is None or (file := getsourcefile(finding.subject)) is None:
            return None, None
        return os.path.relpath(file), getsourcelines(finding.subject)[1]
    except (OSError, TypeError):  # a class without a source, such as one made in a shell
        return None, None
