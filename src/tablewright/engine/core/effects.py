"""The effects of a change: everything that writing one item does to the store, in order, in one transaction.

Every change has the effects of this module. Then come those of the features that its table uses, compiled into
`Table.effects` in the order of the list of features: a table without them pays nothing.
"""

from tablewright.engine.core.changes import Change
from tablewright.engine.core.collection_sizes import record_growth
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.index_rows import index_changes
from tablewright.engine.core.sessions import Effect, Writing


def write_row(tx: Writing, change: Change, meter: CapacityMeter | None) -> None:
    """Write or delete the item itself."""
    if change.new is not None:
        tx.rows.put(change.table.space, change.key, change.new)
    elif change.old is not None:
        tx.rows.delete(change.table.space, change.key)
    tx.state.tallies.note(change.table.space, change.old, change.new)
    if meter is not None:
        meter.write(change.old, change.new)


def maintain_indexes(tx: Writing, change: Change, meter: CapacityMeter | None) -> None:
    """Write, move or delete the item's row in every index that the change affects; update its collection's size."""
    if not change.table.has_index_rows:
        return
    growth = 0
    for index, before, after in index_changes(change.table, change.key, change.old, change.new):
        if before is not None and index.is_building:
            # The backfill may not have written this row yet; only a stored row counts.
            row = tx.rows.get(index.space, before[0])
            before = None if row is None else (before[0], row)
        if before is not None and (after is None or before[0] != after[0]):
            tx.rows.delete(index.space, before[0])
        if after is not None:
            tx.rows.put(index.space, *after)
        tx.state.tallies.note(index.space, before and before[1], after and after[1])
        if index.kind == "local":
            growth += (after[1].size if after else 0) - (before[1].size if before else 0)
        if meter is not None:
            meter.write_index(index, before, after)
    if change.table.has_local_indexes:
        growth += (change.new.size if change.new else 0) - (change.old.size if change.old else 0)
        record_growth(tx, change, growth)


EFFECTS: tuple[Effect, ...] = (
    write_row,
    maintain_indexes,
)
