"""Changes: every write of an item, whoever makes it, is one `Change` applied with all its effects.

Put, update, delete, batches, transactions, PartiQL, expiry, import and restore all come through `apply`. There is no
other way to write a row, so no index, stream record or expiry can be forgotten.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

from tablewright.engine.change_journal import journal_change
from tablewright.engine.consumed_capacity import Bill
from tablewright.engine.index_rows import moves
from tablewright.engine.state.catalog import Table
from tablewright.engine.streams.stream_records import append_record
from tablewright.engine.ttl import schedule_expiry
from tablewright.values.stored_items import StoredItem

if TYPE_CHECKING:
    from tablewright.engine.sessions import Writing


class Change(NamedTuple):
    """One item before and after; `expired` when time removed it and not a caller."""

    table: Table
    key: bytes
    old: StoredItem | None
    new: StoredItem | None
    expired: bool = False


Effect = Callable[["Writing", Change, Bill | None], None]


def write_row(tx: "Writing", change: Change, bill: Bill | None) -> None:
    """The item itself."""
    if change.new is not None:
        tx.rows.put(change.table.space, change.key, change.new)
    elif change.old is not None:
        tx.rows.delete(change.table.space, change.key)
    tx.database.tallies.note(change.table.space, change.old, change.new)
    if bill is not None:
        bill.write(change.old, change.new)


def maintain_indexes(tx: "Writing", change: Change, bill: Bill | None) -> None:
    """Every index row that comes, goes, moves or changes."""
    if not change.table.indexes:
        return
    for index, before, after in moves(change.table, change.key, change.old, change.new):
        if before is not None and (after is None or before[0] != after[0]):
            tx.rows.delete(index.space, before[0])
        if after is not None:
            tx.rows.put(index.space, *after)
        tx.database.tallies.note(index.space, before and before[1], after and after[1])
        if bill is not None:
            bill.write_index(index, before, after)


EFFECTS: tuple[Effect, ...] = (write_row, maintain_indexes, schedule_expiry, append_record, journal_change)


def apply(tx: "Writing", change: Change, bill: Bill | None = None) -> None:
    """Write a change with all its effects."""
    for effect in EFFECTS:
        effect(tx, change, bill)
