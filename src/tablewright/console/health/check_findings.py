"""Check findings: what `tablewright check` reports, by rule, with the lines of the design and how to accept each."""

import os
from collections import Counter
from functools import lru_cache
from typing import Any

from tablewright.checks.findings import SEVERITIES, Finding
from tablewright.checks.runner import Report, check, rules
from tablewright.checks.source_lines import source_lines
from tablewright.console.open_designs import OpenDesign
from tablewright.design.designs import Design


@lru_cache(maxsize=32)
def report_of(design: Design) -> Report:
    """Check a design; a design does not change while the console runs."""
    return check(design)


def severity_counts(opened: OpenDesign) -> dict[str, int]:
    """Count the findings by severity, and the suppressed ones."""
    report = report_of(opened.design)
    counted: Counter[str] = Counter(finding.severity for finding in report)
    return {severity: counted[severity] for severity in SEVERITIES} | {"suppressed": len(report.suppressed)}


def check_findings(opened: OpenDesign) -> dict[str, Any]:
    """Describe the findings by rule, the most severe first, and those that are suppressed."""
    report = report_of(opened.design)
    known = {rule.code: rule for rule in rules()}
    groups: dict[str, list[Finding]] = {}
    for finding in report:
        groups.setdefault(finding.code, []).append(finding)
    return {
        "counts": severity_counts(opened),
        "rules": [
            {
                "code": code,
                "title": known[code].title,
                "manual": known[code].manual,
                "severity": findings[0].severity,
                "findings": [_finding(opened.design, each) for each in findings],
            }
            for code, findings in groups.items()
        ],
        "suppressed": [
            _finding(opened.design, finding) | {"title": known[finding.code].title, "reason": found.reason}
            for finding, found in report.suppressed
        ],
    }


def _finding(design: Design, finding: Finding) -> dict[str, Any]:
    source = source_lines(design, finding)
    return {
        "code": finding.code,
        "severity": finding.severity,
        "where": finding.where,
        "why": finding.why,
        "fix": finding.fix,
        "source": source
        and {
            "file": _shown_path(source.file.as_posix()),
            "line": source.line,
            "first": source.first,
            "excerpt": source.excerpt,
        },
        "suppress": suppression(finding),
    }


def suppression(finding: Finding) -> dict[str, str]:
    """Return the line that accepts a finding, and where to write it.

    >>> suppression(Finding("TW306", "warning", "shop.GSI1", "...", "..."))["line"]
    'suppress={"TW306:shop.GSI1": "the reason"}'
    """
    subject, part = finding.subject, finding.where.partition(".")[2]
    if subject is None or finding.where.partition(".")[0] != subject.__name__:
        line = f'suppress={{"{finding.code}:{finding.where}": "the reason"}}'
        return {"line": line, "place": "in the call of Design(...)"}
    key = f"{finding.code}:{part}" if part else finding.code
    line = f'suppress: ClassVar = {{"{key}": "the reason"}}'
    return {"line": line, "place": f"in the class {subject.__name__}"}


def _shown_path(file: str) -> str:
    """A path relative to the current directory, if the file is below it."""
    relative = os.path.relpath(file)
    return file if relative.startswith("..") else relative
