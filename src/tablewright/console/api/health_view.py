"""Health: findings of checks, drift, and integrity checks with repairs.

GET  /health/check           findings of `tablewright check` by rule, with the lines of the design
GET  /health/drift           tables as declared beside tables as found
GET  /health/fsck            the latest integrity check: its progress, then its findings: `start`, `limit`
POST /health/fsck/start      check all items in the background: `rate`, in capacity units a second
POST /health/fsck/cancel     stop the check
POST /health/fsck/preview    show what repairs would change: `run`, `findings`
POST /health/fsck/repair     repair after a preview: `run`, `findings`, `digest`; `confirm` if items are deleted
"""

import os
from collections import Counter
from functools import lru_cache
from typing import Any

from pydantic import Field

from tablewright.access.procedures import run_sync
from tablewright.checks.findings import SEVERITIES, Finding
from tablewright.checks.runner import CheckReport, check, rules
from tablewright.checks.source_lines import source_lines
from tablewright.console.command_lines import command_line
from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.open_designs import OpenDesign
from tablewright.console.operations import integrity_runs
from tablewright.design.designs import Design
from tablewright.errors import UsageError
from tablewright.lifecycle.deploy.deployment import TableComparison, compare_tables
from tablewright.lifecycle.deploy.drift import compare_settings


@lru_cache(maxsize=32)
def report_of(design: Design) -> CheckReport:
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
                "findings": [_finding(opened.design, entry) for entry in findings],
            }
            for code, findings in groups.items()
        ],
        "suppressed": [
            _finding(opened.design, finding)
            | {"title": known[finding.code].title, "reason": suppressed.reason}
            for finding, suppressed in report.suppressed
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


def drift(opened: OpenDesign) -> dict[str, Any]:
    """Compare the tables with their design; `state` is `same`, `different`, or `missing` if no table exists."""
    db = opened.db
    compared = run_sync(compare_tables(db.design, db.context), db.connection.call)
    tables = [_table(comparison) for comparison in compared]
    different = sum(table["state"] != "same" for table in tables)
    state = "different" if different else "same"
    if tables and all(table["state"] == "missing" for table in tables):
        state = "missing"
    return {
        "state": state,
        "different": different,
        "tables": tables,
        "commands": {"plan": command_line(opened, "plan"), "deploy": command_line(opened, "deploy")},
    }


def _table(compared: TableComparison) -> dict[str, Any]:
    plan = compared.plan
    state = "different" if plan.steps or plan.obstacles else "same"
    if compared.current is None:
        state = "missing"
    settings = compare_settings(compared.desired, compared.current, plan.steps)
    return {
        "table": compared.desired.name,
        "state": state,
        "settings": [
            {
                "setting": setting.setting,
                "declared": setting.declared,
                "found": setting.found,
                "state": setting.state,
                "step": setting.step,
            }
            for setting in settings
        ],
        **plan.as_data(),
    }


class StartCheck(Body):
    """How to run an integrity check."""

    rate: float | None = Field(default=None, gt=0)
    """The capacity units a second that it may consume; None for no limit."""


class SelectFindings(Body):
    """Findings of a run, by their numbers."""

    run: str
    findings: list[int] = Field(min_length=1, max_length=integrity_runs.MOST_REPAIRS)


class RepairFindings(SelectFindings):
    """Findings of a run, with the digest of their preview.

    If the repairs delete items, `confirm` is the name of their table, as the user typed it.
    """

    digest: str
    confirm: str | None = None


def show_findings(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the findings of the design."""
    return check_findings(request.design)


def show_drift(request: ConsoleRequest) -> dict[str, Any]:
    """Compare the tables with the design."""
    return drift(request.design)


def show_run(request: ConsoleRequest) -> dict[str, Any]:
    """Describe the latest integrity check."""
    start = request.query.get("start", "0")
    if not (start.isascii() and start.isdigit()):
        raise UsageError(f"start is a whole number from 0, got {start!r}")
    return integrity_runs.describe_run(request.design, int(start[:9]), request.number("limit", 200))


def start_run(request: ConsoleRequest) -> dict[str, Any]:
    """Start an integrity check, and describe it."""
    integrity_runs.start_run(request.design, request.parse(StartCheck).rate)
    return integrity_runs.describe_run(request.design, 0, 1)


def cancel_run(request: ConsoleRequest) -> dict[str, Any]:
    """Cancel the running integrity check."""
    run = integrity_runs.latest_run(request.design)
    if run is None:
        raise UsageError("no integrity check was started")
    request.design.tasks.cancel(run.task)
    return integrity_runs.describe_run(request.design, 0, 1)


def preview_repairs(request: ConsoleRequest) -> dict[str, Any]:
    """Show what repairs would change."""
    body = request.parse(SelectFindings)
    run = integrity_runs.required_run(request.design, body.run)
    return integrity_runs.preview(request.design, run, body.findings)


def repair(request: ConsoleRequest) -> dict[str, Any]:
    """Repair findings after their preview; the name of the table must be typed if items are deleted."""
    body = request.parse(RepairFindings)
    run = integrity_runs.required_run(request.design, body.run)
    return integrity_runs.repair_findings(request.design, run, body.findings, body.digest, body.confirm)


ROUTES = [
    get("/health/check", show_findings),
    get("/health/drift", show_drift),
    get("/health/fsck", show_run),
    post("/health/fsck/start", start_run, writes=False),
    post("/health/fsck/cancel", cancel_run, writes=False),
    post("/health/fsck/preview", preview_repairs, writes=False),
    post("/health/fsck/repair", repair, writes=True),
]
