"""Layout completion: write the index keys, copies and locks that stored items lack; remove those that nothing declares.

It does what an integrity check repairs of them, in passes that can be resumed. Nothing else of an item changes, and
items that are wrong in another way stay as they are.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tablewright.access.context import Context
from tablewright.access.items.item_values import key_of
from tablewright.access.procedures import Procedure
from tablewright.access.reads.item_reads import item_at
from tablewright.design.designs import Design
from tablewright.design.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.integrity.fsck import repair
from tablewright.lifecycle.integrity.integrity_findings import IntegrityFinding, IntegrityReport, Kind
from tablewright.lifecycle.integrity.item_check import MOST_READS, ItemCheck
from tablewright.lifecycle.traversal.checkpoint_records import Reject
from tablewright.lifecycle.traversal.checkpoints import CheckpointStore
from tablewright.lifecycle.traversal.item_entities import require_keys
from tablewright.lifecycle.traversal.repeated_passes import TraversalOptions, run_passes
from tablewright.lifecycle.traversal.table_pass import Outcome, Rejected

PASSES = 2
"""Programs that do not know the new layout yet may still write items without it; the work does not wait for them."""

_COMPLETED = frozenset(
    (
        Kind.STALE_INDEX_KEYS,
        Kind.MISSING_LOCK,
        Kind.OUTDATED_LOCK,
        Kind.ORPHAN_LOCK,
        Kind.MISSING_COPY,
        Kind.OUTDATED_COPY,
        Kind.ORPHAN_COPY,
    )
)
_REFUSED = frozenset((Kind.DUPLICATE, Kind.BLOCKED_COPY, Kind.UNKNOWN, Kind.UNREADABLE_SECRET))


def complete_layout(
    design: Design,
    context: Context,
    table: Table,
    options: TraversalOptions,
    on_rejects: Callable[[Sequence[Reject]], None],
) -> Procedure[None]:
    """Complete all items of a table; resume it if it was interrupted.

    An item that cannot be decoded, or whose unique value or copy another item has, is passed to `on_rejects`. It does
    not stop the work.
    """
    for entity in design.entities_of(table):
        require_keys(context, entity.layout)
    checkpoints = CheckpointStore(design, context)
    yield from checkpoints.create()
    name = f"layout/{context.table_name(table)}"
    work = ItemCompletion(ItemCheck(design, context, table, IntegrityReport()))
    done = yield from run_passes(checkpoints, context, table, name, work, options, again=True, passes=PASSES)
    if done is not None and done.state.tally.rejected:
        on_rejects((yield from checkpoints.rejects(name)))


@dataclass(frozen=True, slots=True)
class ItemCompletion:
    """The work on each item."""

    item_check: ItemCheck

    def __call__(self, item: Item) -> Procedure[Outcome]:
        """Repair an item until nothing of its layout is wrong."""
        table, outcome = self.item_check.table, "same"
        current: Item | None = item
        for _ in range(MOST_READS):
            if current is None:
                break
            findings = yield from self.item_check.findings(current)
            finding = next((finding for finding in findings if finding.kind in _COMPLETED), None)
            if finding is None:
                refused = next(filter(_is_refused, findings), None)
                return Rejected(refused.problem) if refused else _outcome(outcome)
            if (yield from repair(finding)):
                outcome = "changed"
            current = yield from item_at(self.item_check.context, table, key_of(table, item))
        return _outcome(outcome)


def _is_refused(finding: IntegrityFinding) -> bool:
    """Whether an item of a class of the design cannot be completed; rows of other programs are left alone."""
    return finding.kind in _REFUSED and bool(finding.entity)


def _outcome(outcome: str) -> Outcome:
    return "changed" if outcome == "changed" else "same"
