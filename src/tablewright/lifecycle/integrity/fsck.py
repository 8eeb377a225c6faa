"""fsck: check that stored items are what the design would have stored, and repair them.

A check only reads. A repair has the condition that all items are still as they were when the problem was found. It
deletes nothing that it cannot explain: an item that no entity of the design could have written is reported and stays.
A preview runs the repair in a dry run: on copies of the items in memory, with the same conditions.
"""

import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from tablewright.access.items.item_values import key_of
from tablewright.access.items.vault import NoVault
from tablewright.access.layout_records import record_complete
from tablewright.access.procedures import Procedure, run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.access.repository import Repository
from tablewright.access.writes import execute
from tablewright.access.writes.execute import ConditionsFailed, OutcomeInDoubt
from tablewright.connections import Connection
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport
from tablewright.lifecycle.integrity.item_check import MOST_READS, ItemCheck
from tablewright.lifecycle.integrity.reference_check import ReferenceCheck
from tablewright.lifecycle.migrate.dry_run_connection import DryRunConnection
from tablewright.lifecycle.traversal.checkpoint_records import Tally
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import SEGMENTS, Outcome, Pass, in_threads


@dataclass(frozen=True, slots=True)
class RepairedItem:
    """An item before and after a repair; None where it does not exist."""

    table: Table
    key: Item
    before: Item | None
    after: Item | None


def repair(finding: IntegrityFinding) -> Procedure[bool]:
    """Execute the actions of a repair; return False when an item has changed since the check."""
    try:
        outcome = yield from execute.send(finding.actions)
    except OutcomeInDoubt:
        return False
    return not isinstance(outcome, ConditionsFailed)


def preview_repairs(
    connection: Connection, findings: Iterable[IntegrityFinding]
) -> Iterator[tuple[RepairedItem, ...] | None]:
    """Return for each finding the items that its repair would change; None when an item has changed since the check.

    The repairs are previewed in order, each after the ones before it. Nothing is written.
    """
    with DryRunConnection(connection) as dry_run:
        for finding in findings:
            yield run_sync(_preview(finding), dry_run.call)


def _preview(finding: IntegrityFinding) -> Procedure[tuple[RepairedItem, ...] | None]:
    written = [action for action in finding.actions if action.kind != "ConditionCheck"]
    before = []
    for action in written:
        before.append((yield from item_at(action.context, action.table, action.key)))
    if not (yield from repair(finding)):
        return None
    changes = []
    for action, item in zip(written, before, strict=True):
        after = yield from item_at(action.context, action.table, action.key)
        changes.append(RepairedItem(action.table, action.key, item, after))
    return tuple(changes)


MOST_PASSES = 4
"""A repair can lead to the next: when an incomplete item is deleted, its copies and locks become orphans."""


def check(
    db: Repository,
    *,
    repair: bool = False,
    rate: float | None = None,
    segments: int = SEGMENTS,
    most_findings: int | None = None,
    on_progress: Callable[[Table, Tally], None] = lambda table, tally: None,
    pause: Callable[[float], None] = time.sleep,
) -> IntegrityReport:
    """Check every item of every table that has entities; `repair` also repairs what it can.

    `rate` limits the consumed capacity units per second. `on_progress` is called with each table and its counts.
    `most_findings` limits the findings that are kept in memory; more are counted only, in `IntegrityReport.left_out`.
    """
    meter = Meter(rate, db.context.now)
    repaired: list[IntegrityFinding] = []
    report = IntegrityReport()
    for _ in range(MOST_PASSES if repair else 1):
        report = IntegrityReport(most=most_findings)
        references = ReferenceCheck(db.design, db.context)
        for table in db.design.tables:
            if not db.design.entities_of(table):
                continue

            def report_progress(tally: Tally, table: Table = table) -> None:
                on_progress(table, tally)

            work = _Work(ItemCheck(db.design, db.context, table, report, references), repair)
            one = Pass(db.context, table, work, meter, report_progress)
            concurrency = in_threads(db.connection.call, pause)
            report.seen += run_sync(one.run(concurrency, segments), db.connection.call, pause).seen
        repaired += report.repaired
        if not report.repaired:
            break
    report.repaired = repaired
    for table in db.design.tables if repair else ():
        _record(db, table)
    return report


def _record(db: Repository, table: Table) -> None:
    """Record that all items have their index keys, copies and locks; without keys, secrets were not checked."""
    entities = db.design.entities_of(table)
    is_checked = not (
        isinstance(db.context.vault, NoVault) and any(entity.layout.secrets for entity in entities)
    )
    if entities and is_checked:
        name = db.context.table_name(table)
        run_sync(record_complete(db.design, table, name), db.connection.call)
        for entity in entities:
            db.context.incomplete.pop(entity, None)


@dataclass(frozen=True, slots=True)
class _Work:
    """Checks each item, and repairs it if requested."""

    item_check: ItemCheck
    repairs: bool

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Check an item and add its findings to the report. After a repair the item is checked again."""
        report, table = self.item_check.report, self.item_check.table
        current: Item | None = item
        for _ in range(MOST_READS):
            if current is None:
                return "same"
            findings = yield from self.item_check.findings(current)
            repairable = next((finding for finding in findings if finding.actions), None)
            if not self.repairs or repairable is None:
                report.add(findings)
                return "same"
            if (yield from repair(repairable)):
                report.repaired.append(repairable)
            current = yield from item_at(self.item_check.context, table, key_of(table, item))
        return "same"
