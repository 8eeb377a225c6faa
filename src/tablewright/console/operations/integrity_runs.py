"""Integrity runs: `fsck` as a background task, its findings, and their repairs after a preview.

The latest run of each open design is kept. A repair needs the digest of its preview, so that nothing is written which
was not shown before. A repair that deletes items also needs the name of their table, typed by the user.
"""

import hashlib
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal
from weakref import WeakKeyDictionary

from tablewright.access.items.item_values import describe_key
from tablewright.access.procedures import run_sync
from tablewright.access.repository import Repository
from tablewright.console.endpoints import Conflict
from tablewright.console.open_designs import OpenDesign
from tablewright.console.replies import json_bytes
from tablewright.console.shown_items import visible
from tablewright.console.tasks import Task, TaskReport
from tablewright.design.tables import Table
from tablewright.errors import UsageError
from tablewright.lifecycle.integrity.fsck import RepairedItem, check, preview_repairs, repair
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport
from tablewright.lifecycle.traversal.checkpoint_records import Tally

KIND = "fsck"
MOST_FINDINGS = 10_000
"""The findings of a run that are kept; more are counted only."""
MOST_REPAIRS = 100
"""The findings of one preview or repair."""

Changes = tuple[RepairedItem, ...] | None


@dataclass
class IntegrityRun:
    """A run of the integrity check; `report` is None until it is complete."""

    task: str
    last_seen: Task | None = None
    """The task as it was last seen; it is forgotten when many others have ended since."""
    report: IntegrityReport | None = None
    repaired: set[int] = field(default_factory=set)
    """The numbers of the findings that were repaired since."""

    def finding(self, number: int) -> IntegrityFinding:
        """Return a finding by its number in the report."""
        if self.report is None or not 0 <= number < len(self.report.findings):
            raise UsageError(f"the run has no finding {number}")
        return self.report.findings[number]


_RUNS: WeakKeyDictionary[Repository, IntegrityRun] = WeakKeyDictionary()
_LOCK = threading.Lock()


def start_run(opened: OpenDesign, rate: float | None = None) -> IntegrityRun:
    """Start an integrity check of all tables; `UsageError` while one is running."""
    with _LOCK:
        known = _RUNS.get(opened.db)
        if known is not None and _task_of(opened, known).state == "running":
            raise UsageError("an integrity check is running; wait for its end, or cancel it")
        run = IntegrityRun("")

        def work(report: TaskReport) -> dict[str, Any]:
            run.report = _checked(opened, report, rate)
            return {"seen": run.report.seen, "findings": len(run.report.findings)}

        run.last_seen = opened.tasks.start(KIND, "Check the integrity of all items", work)
        run.task = run.last_seen.id
        _RUNS[opened.db] = run
    return run


def _task_of(opened: OpenDesign, run: IntegrityRun) -> Task:
    """Return the task of a run, also after the console has forgotten it: then it has ended."""
    try:
        run.last_seen = opened.tasks.get(run.task)
    except UsageError:
        if run.last_seen is None:
            raise
        if run.last_seen.state == "running":
            state: Literal["done", "cancelled"] = "cancelled" if run.report is None else "done"
            run.last_seen = replace(run.last_seen, state=state, ended_at=run.last_seen.started_at)
    return run.last_seen


def _checked(opened: OpenDesign, report: TaskReport, rate: float | None) -> IntegrityReport:
    total = _item_count(opened)
    seen: dict[Table, int] = {}

    def on_progress(table: Table, tally: Tally) -> None:
        seen[table] = tally.seen
        done = sum(seen.values())
        report(done, max(total, done), f"items of {opened.db.context.table_name(table)}")

    report(0, total, "starting")
    return check(
        opened.db, rate=rate, most_findings=MOST_FINDINGS, on_progress=on_progress, pause=report.wait
    )


def _item_count(opened: OpenDesign) -> int:
    names = [name for name, table in opened.tables.items() if opened.design.entities_of(table)]
    tables = (opened.db.connection.call("DescribeTable", {"TableName": name})["Table"] for name in names)
    return sum(table.get("ItemCount", 0) for table in tables)


def latest_run(opened: OpenDesign) -> IntegrityRun | None:
    """Return the latest run, or None."""
    with _LOCK:
        return _RUNS.get(opened.db)


def required_run(opened: OpenDesign, task: str) -> IntegrityRun:
    """Return the run of a task, which must be the latest and complete."""
    run = latest_run(opened)
    if run is None or run.task != task or run.report is None:
        raise Conflict("These findings are not those of the latest integrity check. Load the findings again.")
    return run


def describe_run(opened: OpenDesign, start: int, limit: int) -> dict[str, Any]:
    """Describe the latest run: the state of its task, its counts, and a page of its findings."""
    run = latest_run(opened)
    if run is None:
        return {"state": "never", "task": None}
    task = _task_of(opened, run)
    shown: dict[str, Any] = {"state": task.state, "task": task.as_data(), "run": run.task}
    if run.report is None:
        return shown
    report = run.report
    page = list(enumerate(report.findings))[start : start + limit]
    return shown | {
        "seen": report.seen,
        "counts": report.counts,
        "total": len(report.findings),
        "repairable": sum(bool(finding.actions) for finding in report.findings) - len(run.repaired),
        "left_out": report.left_out,
        "notes": dict(report.notes),
        "findings": [_finding(run, number, finding) for number, finding in page],
    }


def _finding(run: IntegrityRun, number: int, finding: IntegrityFinding) -> dict[str, Any]:
    return {
        "number": number,
        "kind": str(finding.kind),
        "table": finding.table,
        "key": finding.key,
        "title": describe_key(finding.key),
        "entity": finding.entity,
        "problem": finding.problem,
        "repair": finding.repair,
        "deletes": any(action.kind == "Delete" for action in finding.actions),
        "is_repaired": number in run.repaired,
    }


def preview(opened: OpenDesign, run: IntegrityRun, numbers: Sequence[int]) -> dict[str, Any]:
    """Show what the repairs of some findings would change; nothing is written.

    `digest` stands for what is shown: `repair_findings` requires it. `deletes` counts the items that would be deleted,
    by table.
    """
    changes = _changes(opened, run, numbers)
    shown = [
        {"number": number, "changed_since": repaired is None, "items": _shown(opened, repaired or ())}
        for number, repaired in zip(numbers, changes, strict=True)
    ]
    return {"previews": shown, "digest": _digest(numbers, changes), "deletes": _deletes(opened, changes)}


def repair_findings(
    opened: OpenDesign, run: IntegrityRun, numbers: Sequence[int], digest: str, confirm: str | None = None
) -> dict[str, Any]:
    """Repair findings whose preview has this digest; those whose items have changed since are left as they are.

    If items are deleted, `confirm` must be the name of their table.
    """
    changes = _changes(opened, run, numbers)
    if digest != _digest(numbers, changes):
        raise Conflict(
            "The items have changed since the preview. Nothing was written; look at the preview again."
        )
    _require_confirmed(_deletes(opened, changes), confirm)
    repaired = []
    for number in numbers:
        if run_sync(repair(run.finding(number)), opened.db.connection.call):
            run.repaired.add(number)
            repaired.append(number)
    return {"repaired": repaired, "unchanged": [number for number in numbers if number not in repaired]}


def _deletes(opened: OpenDesign, changes: Sequence[Changes]) -> dict[str, int]:
    """Count the items that repairs delete, by the names of their tables in the store."""
    deleted = [
        repaired
        for change in changes
        for repaired in change or ()
        if repaired.before is not None and repaired.after is None
    ]
    return dict(Counter(opened.db.context.table_name(repaired.table) for repaired in deleted))


def _require_confirmed(deletes: dict[str, int], confirm: str | None) -> None:
    if len(deletes) > 1:
        raise UsageError(
            f"the repairs delete items of {' and '.join(sorted(deletes))}; repair one table at a time"
        )
    for name, count in deletes.items():
        if confirm != name:
            raise UsageError(f"type the name of the table, {name}, to delete {count} of its items")


def _changes(opened: OpenDesign, run: IntegrityRun, numbers: Sequence[int]) -> list[Changes]:
    findings = [run.finding(number) for number in numbers]
    for number, finding in zip(numbers, findings, strict=True):
        if not finding.actions:
            raise UsageError(f"finding {number} cannot be repaired automatically: {finding.problem}")
    return list(preview_repairs(opened.db.connection, findings))


def _shown(opened: OpenDesign, changes: Sequence[RepairedItem]) -> list[dict[str, Any]]:
    return [
        {
            "table": opened.db.context.table_name(change.table),
            "key": change.key,
            "title": describe_key(change.key),
            "before": change.before and visible(opened, change.table, change.before),
            "after": change.after and visible(opened, change.table, change.after),
        }
        for change in changes
    ]


def _digest(numbers: Sequence[int], changes: Sequence[Changes]) -> str:
    content = [
        change
        and [(repaired.table.name, repaired.key, repaired.before, repaired.after) for repaired in change]
        for change in changes
    ]
    return hashlib.sha256(json_bytes([list(numbers), content])).hexdigest()
