"""Integrity: whether what is stored is what the design would have stored, item by item, and setting it right.

A check only reads. A repair writes under the condition that everything is still as it was when it was found wrong, and
deletes nothing that it cannot explain: what no entity of the design could have written is on_progress, and left alone.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.items.key_values import key_of
from tablewright.access.reads.item_reads import item_at
from tablewright.access.repository import Repository
from tablewright.access.writes import execute
from tablewright.access.writes.execute import Refused, Unsettled
from tablewright.design.tables.tables import Table
from tablewright.lifecycle.integrity.integrity_findings import Finding, Report
from tablewright.lifecycle.integrity.item_check import LOOKS, ItemCheck
from tablewright.lifecycle.traversal.checkpoints import Tally
from tablewright.lifecycle.traversal.rate_limit import Meter
from tablewright.lifecycle.traversal.table_pass import SEGMENTS, Outcome, Pass, in_threads
from tablewright.values.attributes import Item

MOST_PASSES = 4
"""One repair can lay bare the next: what belonged to a ghost is orphaned when the ghost is gone."""


def check(
    db: Repository,
    *,
    repair: bool = False,
    rate: float | None = None,
    segments: int = SEGMENTS,
    on_progress: Callable[[Table, Tally], None] = lambda table, tally: None,
    pause: Callable[[float], None] = time.sleep,
) -> Report:
    """Look at every item of every table that has entities; `repair` sets right what can be set right."""
    meter = Meter(rate, db.context.now)
    repaired: list[Finding] = []
    report = Report()
    for _ in range(MOST_PASSES if repair else 1):
        report = Report()
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
    """What is done to each item: it is looked at, and set right if asked to."""

    examination: ItemCheck
    repair: bool

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Look at an item, and note what is wrong."""
        report = self.examination.report
        found: Item | None = item
        for _ in range(LOOKS):
            if found is None:
                return "same"
            findings = yield from self.examination.findings(found)
            first = next((finding for finding in findings if finding.steps), None)
            if not self.repair or first is None:
                report.findings += findings
                return "same"
            if (yield from _repaired(first)):
                report.repaired.append(first)
            table = self.examination.table
            found = yield from item_at(self.examination.context, table, key_of(table, item))
        return "same"


def _repaired(finding: Finding) -> Procedure[bool]:
    """Take the steps of a repair; False when something has changed since."""
    try:
        answer = yield from execute.send(finding.steps)
    except Unsettled:
        return False
    return not isinstance(answer, Refused)
