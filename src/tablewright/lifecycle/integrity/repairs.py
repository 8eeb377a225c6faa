"""Repairs: what a repair would change, item by item, and the repair itself.

A preview runs the repair in a dry run: on copies of the items in memory, with the same conditions.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tablewright.access.calls.procedures import Procedure, run_sync
from tablewright.access.reads.item_reads import item_at
from tablewright.access.writes import execute
from tablewright.access.writes.execute import ConditionsFailed, OutcomeInDoubt
from tablewright.connections import Connection
from tablewright.design.tables.tables import Table
from tablewright.dynamodb.values.attributes import Item
from tablewright.lifecycle.integrity.integrity_findings import Finding
from tablewright.lifecycle.migrate.dry_run_connection import DryRunConnection


@dataclass(frozen=True, slots=True)
class ItemChange:
    """An item before and after a repair; None where it does not exist."""

    table: Table
    key: Item
    before: Item | None
    after: Item | None


def repair(finding: Finding) -> Procedure[bool]:
    """Execute the actions of a repair; return False when an item has changed since the check."""
    try:
        outcome = yield from execute.send(finding.actions)
    except OutcomeInDoubt:
        return False
    return not isinstance(outcome, ConditionsFailed)


def preview_repairs(
    connection: Connection, findings: Iterable[Finding]
) -> Iterator[tuple[ItemChange, ...] | None]:
    """Return for each finding the items that its repair would change; None when an item has changed since the check.

    The repairs are previewed in order, each after the ones before it. Nothing is written.
    """
    with DryRunConnection(connection) as dry_run:
        for finding in findings:
            yield run_sync(_preview(finding), dry_run.call)


def _preview(finding: Finding) -> Procedure[tuple[ItemChange, ...] | None]:
    written = [action for action in finding.actions if action.kind != "ConditionCheck"]
    before = []
    for action in written:
        before.append((yield from item_at(action.context, action.table, action.key)))
    if not (yield from repair(finding)):
        return None
    changes = []
    for action, item in zip(written, before, strict=True):
        after = yield from item_at(action.context, action.table, action.key)
        changes.append(ItemChange(action.table, action.key, item, after))
    return tuple(changes)
