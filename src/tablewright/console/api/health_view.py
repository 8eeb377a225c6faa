"""Health: findings of checks, drift, and integrity checks with repairs.

GET  /health/check           findings of `tablewright check` by rule, with the lines of the design
GET  /health/drift           tables as declared beside tables as found
GET  /health/fsck            the latest integrity check: its progress, then its findings: `start`, `limit`
POST /health/fsck/start      check all items in the background: `rate`, in capacity units a second
POST /health/fsck/cancel     stop the check
POST /health/fsck/preview    show what repairs would change: `run`, `findings`
POST /health/fsck/repair     repair after a preview: `run`, `findings`, `digest`; `confirm` if items are deleted
"""

from typing import Any

from pydantic import Field

from tablewright.console.endpoints import Body, ConsoleRequest, get, post
from tablewright.console.health import integrity_runs
from tablewright.console.health.check_findings import check_findings
from tablewright.console.health.drift import drift
from tablewright.errors import UsageError


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
    given = request.parse(SelectFindings)
    run = integrity_runs.required_run(request.design, given.run)
    return integrity_runs.preview(request.design, run, given.findings)


def repair(request: ConsoleRequest) -> dict[str, Any]:
    """Repair findings after their preview; the name of the table must be typed if items are deleted."""
    given = request.parse(RepairFindings)
    run = integrity_runs.required_run(request.design, given.run)
    return integrity_runs.repair_findings(request.design, run, given.findings, given.digest, given.confirm)


ROUTES = [
    get("/health/check", show_findings),
    get("/health/drift", show_drift),
    get("/health/fsck", show_run),
    post("/health/fsck/start", start_run, writes=False),
    post("/health/fsck/cancel", cancel_run, writes=False),
    post("/health/fsck/preview", preview_repairs, writes=False),
    post("/health/fsck/repair", repair, writes=True),
]
