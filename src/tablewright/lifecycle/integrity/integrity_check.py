"""Check that stored items are what the design would have stored, and repair them.

A check only reads. A repair has the condition that all items are still as they were when the problem was found. It
deletes nothing that it cannot explain: an item that no entity of the design could have written is reported and stays.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.items.key_values import key_of
from tablewright.access.reads.item_reads import item_at
from tablewright.access.repository import Repository
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.integrity.integrity_findings import Finding, Report
from tablewright.lifecycle.integrity.item_check import MOST_READS, ItemCheck
from tablewright.lifecycle.integrity.repairs import repair
from tablewright.lifecycle.traversal.checkpoint_records import Tally
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import SEGMENTS, Outcome, Pass, in_threads

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
) -> Report:
    """Check every item of every table that has entities; `repair` also repairs what it can.

    `rate` limits the consumed capacity units per second. `on_progress` is called with each table and its counts.
    `most_findings` limits the findings that are kept in memory; more are counted only, in `Report.left_out`.
    """
    meter = Meter(rate, db.context.now)
    repaired: list[Finding] = []
    report = Report()
    for _ in range(MOST_PASSES if repair else 1):
        report = Report(most=most_findings)
        for table in db.design.tables:
            if not db.design.entities_of(table):
                continue

            def report_progress(tally: Tally, table: Table = table) -> None:
                on_progress(table, tally)

            work = _Work(ItemCheck(db.design, db.context, table, report), repair)
            one = Pass(db.context, table, work, meter, report_progress)
            concurrency = in_threads(db.connection.call, pause)
            report.seen += run_sync(one.run(concurrency, segments), db.connection.call, pause).seen
        repaired += report.repaired
        if not report.repaired:
            break
    report.repaired = repaired
    return report


@dataclass(frozen=True, slots=True)
class _Work:
    """Checks each item, and repairs it if requested."""

    item_check: ItemCheck
    repairs: bool

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Check an item and add its findings to the report. After a repair the item is checked again."""
        report, table = self.item_check.report, self.item_check.table
        found: Item | None = item
        for _ in range(MOST_READS):
            if found is None:
                return "same"
            findings = yield from self.item_check.findings(found)
            repairable = next((finding for finding in findings if finding.actions), None)
            if not self.repairs or repairable is None:
                report.add(findings)
                return "same"
            if (yield from repair(repairable)):
                report.repaired.append(repairable)
            found = yield from item_at(self.item_check.context, table, key_of(table, item))
        return "same"
