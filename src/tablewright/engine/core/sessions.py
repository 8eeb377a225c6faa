"""Sessions: what an operation works with while it runs: the state of the database, and the rows of one transaction.

`Writing.apply` writes a change with its effects: everything that writing one item does to the store, in order, in one
transaction. Every change has those in `EFFECTS`. Then come those of the features that its table uses, compiled into
`StoredTable.effects` in the order of the list of features: a table without them pays nothing.

Quick reads: a read that turns out to be long is given up, so that a server can repeat it in a thread. A page may have
1 MB of tiny items, 150,000 of them, and a filter with 300 operators; a batch may return 16 MB. On the event loop of a
server, such a read would delay all other clients, for seconds.

    with QUICK_READS:
        reply = database.call_json(...)      # raises LongRead after some rows or bytes

A read has no effects, so nothing is undone. Sessions that count accesses or inject faults do have effects: their reads
are never given up.
"""

import threading
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import Any, Protocol, TypeVar

from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.collection_sizes import record_growth
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.damage import located
from tablewright.engine.core.index_rows import index_changes
from tablewright.engine.core.plugs import Plug
from tablewright.engine.core.state.catalog import OtherIndex, StoredIndex, StoredTable
from tablewright.engine.core.state.engine_state import SPACE_DROPS, AccessObserver, EngineState
from tablewright.engine.storage import ReadView, Transaction
from tablewright.errors import ResourceNotFound

T = TypeVar("T")


class Reading:
    """A session that only reads."""

    __slots__ = ("rows", "state")

    rows: ReadView

    def __init__(self, state: EngineState, rows: ReadView) -> None:
        self.state = state
        self.rows = rows

    def now(self) -> float:
        """The time, in seconds since 1970."""
        return self.state.clock.now()

    def table(self, name: str) -> StoredTable:
        """The table of that name, or ResourceNotFoundException."""
        return self.state.catalog.table(name)

    def durable_table(self, name: str) -> StoredTable | None:
        """The table of that name or ARN, as it is in the store: a reader sees nothing that is not durable."""
        return self.state.catalog.committed(self.rows, name)

    def described(self, name: str) -> StoredTable:
        """The table of that name or ARN, or ResourceNotFoundException with the message of the control plane."""
        table = self.durable_table(name)
        if table is None:
            self.state.catalog.require_region(name)
            raise ResourceNotFound(f"Requested resource not found: Table: {name} not found")
        return table

    def get(self, table: StoredTable, key: bytes) -> StoredItem | None:
        """The item at `key`."""
        if self.state.accesses is not None:
            self.state.accesses.accessed(table.space, key)
        return self.rows.get(table.space, key)

    def range(
        self, space: StoredTable | StoredIndex, low: bytes, high: bytes | None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows of a table or an index with `low <= key < high`."""
        rows = self.rows.range(space.space, low, high, backward=backward)
        return rows if self.state.accesses is None else _counted(rows, space.space, self.state.accesses)

    def totals(self, space: StoredTable | StoredIndex | OtherIndex) -> tuple[int, int]:
        """The number of rows of a table or an index, and the sum of their sizes."""
        store, tallies, number = self.state.store, self.state.tallies, space.space
        if store.path is None:
            return tallies.of(self.rows, number)
        # While another session writes, the rows are counted for this call only: a tally is correct only if it was
        # counted in a snapshot that was taken between two writes.
        return tallies.known(number) or self.count(number, wait=False) or self.rows.totals(number)

    def count(self, space: int, *, wait: bool) -> tuple[int, int] | None:
        """Count the rows of a space concurrently with writers, for its tally; without `wait`, None if one runs."""
        store, tallies = self.state.store, self.state.tallies
        watched: list[bool] = []
        try:
            counted = store.snapshot_at(
                lambda: watched.append(tallies.watch(space)), lambda rows: rows.totals(space), wait=wait
            )
        except BaseException:
            if any(watched):
                tallies.forget(space)
            raise
        if counted is not None and any(watched):
            store.write(lambda rows: tallies.settle(space, counted))
        return counted


def _counted(
    rows: Iterator[tuple[bytes, StoredItem]], space: int, accesses: AccessObserver
) -> Iterator[tuple[bytes, StoredItem]]:
    for row in rows:
        accesses.accessed(space, row[0])
        yield row


class Writing(Reading):
    """A session that reads and writes, inside one transaction."""

    __slots__ = ()

    rows: Transaction

    def durable_table(self, name: str) -> StoredTable | None:
        """The table of that name or ARN: the reply of a writer is sent only after its commit."""
        return self.state.catalog.find(name)

    def get(self, table: StoredTable, key: bytes) -> StoredItem | None:
        """The item at `key`, before it is written: `apply` counts the access."""
        return self.rows.get(table.space, key)

    def apply(self, change: ItemChange, meter: CapacityMeter | None = None) -> None:
        """Write a change with all its effects; charge it to `meter`."""
        if self.state.accesses is not None and not change.expired:
            self.state.accesses.accessed(change.table.space, change.key)
        for effect in self.state.effects:
            effect(self, change, meter)
        for effect in change.table.effects:
            effect(self, change, meter)

    def apply_uncharged(self, change: ItemChange, meter: CapacityMeter | None = None) -> None:
        """As `apply`, for the write of a job: it uses no capacity of the table, so it is never throttled."""
        self.apply(change, meter)

    def new_space(self) -> int:
        """Create an empty space and return its number."""
        space = self.state.catalog.next_number(self.rows)
        self.rows.create_space(space)
        self.state.tallies.begin(space)
        return space

    def drop_space(self, space: int) -> None:
        """Remove a space with all its rows; for more than a few rows, see `jobs.row_removals`."""
        self.rows.drop_space(space)
        self.state.tallies.forget(space)
        for forget in SPACE_DROPS:
            forget(self.state, space)

    def totals(self, space: StoredTable | StoredIndex | OtherIndex) -> tuple[int, int]:
        """The number of rows of a table or an index, and the sum of their sizes."""
        return self.state.tallies.of(self.rows, space.space)


Effect = Callable[[Writing, ItemChange, CapacityMeter | None], None]


def write_row(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
    """Write or delete the item itself."""
    if change.new is not None:
        tx.rows.put(change.table.space, change.key, change.new)
    elif change.old is not None:
        tx.rows.delete(change.table.space, change.key)
    tx.state.tallies.note(change.table.space, change.old, change.new)
    if meter is not None:
        meter.write(change.old, change.new)


def maintain_indexes(tx: Writing, change: ItemChange, meter: CapacityMeter | None) -> None:
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
        record_growth(tx.rows, change, growth)


EFFECTS: tuple[Effect, ...] = (
    write_row,
    maintain_indexes,
)
"""What every change does, in order."""

MOST_ROWS = 1000
MOST_BYTES = 1 << 20
DECODING = 8
"""An item that is decoded, for a filter or a projection, counts as so many of its size."""


class LongRead(Exception):
    """The read takes too long for a thread that serves other clients as well."""


class _Thread(threading.local):
    is_quick = False


_thread = _Thread()


class QuickReads:
    """Inside of it, long reads of this thread raise LongRead."""

    def __enter__(self) -> None:
        _thread.is_quick = True

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        _thread.is_quick = False


QUICK_READS = QuickReads()


def must_be_quick(tx: Reading) -> bool:
    """Whether a long read of this session is given up."""
    return _thread.is_quick and type(tx) is Reading and tx.state.accesses is None


def page_budget(limit: int | None, page_size: int, *, decoded: bool) -> tuple[int, int]:
    """The rows and bytes after which a page of that limit and size is given up, if it is not complete."""
    rows = MOST_ROWS if limit is None or limit > MOST_ROWS else limit
    return rows, min(page_size, MOST_BYTES // DECODING) if decoded else page_size


class ByteBudget:
    """Gives up a read of single items after `MOST_BYTES`."""

    __slots__ = ("_left",)

    def __init__(self, tx: Reading) -> None:
        self._left = MOST_BYTES if must_be_quick(tx) else None

    def spend(self, size: int, *, decoded: bool) -> None:
        """Count the bytes of an item; raises LongRead if there are too many. To decode one takes far longer."""
        if self._left is not None:
            self._left -= size * DECODING if decoded else size
            if self._left < 0:
                raise LongRead


class Sessions:
    """Opens the sessions of one database."""

    def __init__(self, state: EngineState) -> None:
        self.state = state

    def reading(self, rows: ReadView, request: Any) -> Reading:
        """A session for a parsed request that reads."""
        return Reading(self.state, rows)

    def writing(self, rows: Transaction) -> Writing:
        """A session that writes."""
        return Writing(self.state, rows)

    def read(self, work: Callable[[Reading], T]) -> T:
        """Run `work` in a reading session that belongs to no request: for the sweeper and jobs."""
        with located(self.state):
            return self.state.store.read(lambda rows: work(Reading(self.state, rows)))

    def snapshot(self, work: Callable[[Reading], T]) -> T:
        """As `read`; all statements see the same commit."""
        with located(self.state):
            return self.state.store.snapshot(lambda rows: work(Reading(self.state, rows)))

    def write(self, work: Callable[[Writing], T]) -> T:
        """Run `work` in a writing session that belongs to no request; its changes are durable on return."""
        with located(self.state):
            return self.state.store.write(lambda rows: work(self.writing(rows)))


class Authorizer(Protocol):
    """Decides whether a caller may run a request."""

    def authorized(
        self,
        state: EngineState,
        operation: str,
        request: dict[str, Any],
        run: Callable[..., dict[str, Any]],
    ) -> Callable[..., dict[str, Any]]:
        """The function that runs the request only if the caller may; called before its session begins."""


class Interception(Protocol):
    """What a feature puts between requests and the engine."""

    @property
    def setting(self) -> Any:
        """The value that it was made of."""

    @property
    def sessions(self) -> Sessions:
        """The sessions to use instead."""

    def reply(
        self, operation: str, request: dict[str, Any], run: Callable[[dict[str, Any]], dict[str, Any]]
    ) -> dict[str, Any]:
        """Run a request, or fail."""


INTERCEPTIONS: Plug[Callable[[Sessions, Any], Interception]] = Plug()
"""From the sessions of a database and a setting to an interception; one feature has it."""
QUESTIONS: Plug[tuple[str, Callable[..., Any]]] = Plug()
"""A question about the data that is no operation of DynamoDB, and the function of a session that replies to it."""
