"""Unreliable sessions: an operation runs in them as in any other, but reads may be old and capacity may run out.

They stand in for `Reading` and `Writing` when faults are on; no operation knows the difference.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from tablewright.engine.changes import Change
from tablewright.engine.consumed_capacity import Bill
from tablewright.engine.faults.injector import Faults, Injector
from tablewright.engine.faults.stale_reads import Hindsight
from tablewright.engine.faults.throttling import Throttle
from tablewright.engine.index_rows import moves
from tablewright.engine.sessions import Reading, Writing
from tablewright.engine.state.catalog import Index, Table
from tablewright.storage import Transaction, View
from tablewright.values.capacity import read_units, write_units
from tablewright.values.key_bytes import after, partition_of
from tablewright.values.stored_items import StoredItem

if TYPE_CHECKING:
    from tablewright.engine.database import Database


class Unreliability:
    """What the sessions of one database share: luck, memory of the past, buckets."""

    def __init__(self, faults: Faults, database: "Database") -> None:
        self.faults = faults
        self.injector = Injector(faults)
        self.database = database
        self.hindsight = Hindsight(max(faults.index_lag, faults.staleness if faults.stale_reads else 0.0))
        self.throttle = Throttle(
            database.clock.now, provisioned=faults.provisioned, partitions=faults.partitions
        )

    def reading(self, rows: View, ask: Any) -> "UnreliableReading":
        """A session for a read."""
        stale = not getattr(ask, "consistent", True) and self.injector.luck.strikes(self.faults.stale_reads)
        return UnreliableReading(self, rows, stale=stale)

    def writing(self, rows: Transaction) -> "UnreliableWriting":
        """A session for a write."""
        return UnreliableWriting(self, rows)


class UnreliableReading(Reading):
    """Reads that may be stale, and are refused when capacity runs out."""

    __slots__ = ("_shared", "_stale")

    def __init__(self, shared: Unreliability, rows: View, *, stale: bool) -> None:
        super().__init__(shared.database, rows)
        self._shared = shared
        self._stale = stale

    def get(self, table: Table, key: bytes) -> StoredItem | None:
        """The item, perhaps as it was a moment ago."""
        throttle, spot = self._shared.throttle, (table, None, partition_of(key))
        throttle.admit("Read", *spot)
        item = super().get(table, key)
        if self._stale:
            item = self._shared.hindsight.get(table.space, key, self._moment(None), item)
        throttle.charge("Read", read_units(item.size if item else 0, consistent=not self._stale), *spot)
        return item

    def range(
        self, space: Table | Index, low: bytes, high: bytes | None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows, perhaps as they were a moment ago."""
        rows = super().range(space, low, high, backward=backward)
        index = space if isinstance(space, Index) else None
        if self._stale or (index is not None and index.kind == "global"):
            rows = self._shared.hindsight.range(
                space.space, low, high, self._moment(index), rows, backward=backward
            )
        return self._metered(rows, space, low, high)

    def _moment(self, index: Index | None) -> float:
        """The time this session sees."""
        faults = self._shared.faults
        lag = faults.index_lag if index is not None and index.kind == "global" else 0.0
        return self.now() - max(lag, faults.staleness if self._stale else 0.0)

    def _metered(
        self, rows: Iterator[tuple[bytes, StoredItem]], space: Table | Index, low: bytes, high: bytes | None
    ) -> Iterator[tuple[bytes, StoredItem]]:
        table, index = self._owner(space)
        spot = (table, index, _shared_partition(low, high))
        self._shared.throttle.admit("Read", *spot)
        size = 0
        try:
            for key, item in rows:
                size += item.size
                yield key, item
        finally:
            self._shared.throttle.charge("Read", read_units(size, consistent=not self._stale), *spot)

    def _owner(self, space: Table | Index) -> tuple[Table, Index | None]:
        if isinstance(space, Table):
            return space, None
        tables = self.database.catalog.all()
        return next(table for table in tables if space in table.indexes), space


class UnreliableWriting(Writing):
    """Writes that are refused when capacity runs out, and leave their past behind."""

    __slots__ = ("_shared",)

    def __init__(self, shared: Unreliability, rows: Transaction) -> None:
        super().__init__(shared.database, rows)
        self._shared = shared

    def get(self, table: Table, key: bytes) -> StoredItem | None:
        """The item a write is about; every write looks before its first change, so here it can still be refused."""
        throttle = self._shared.throttle
        throttle.admit("Write", table, None, partition_of(key))
        for index in table.indexes:
            throttle.admit("Write", table, index, None)
        return super().get(table, key)

    def apply(self, change: Change, bill: Bill | None = None) -> None:
        """Write a change, remember what was there, charge its partitions; what time removes is free of charge."""
        now, table, key = self.now(), change.table, change.key
        hindsight = self._shared.hindsight
        hindsight.remember(table.space, key, change.old, now)
        size = max(item.size if item else 0 for item in (change.old, change.new))
        charges: list[tuple[int, Index | None, bytes]] = [(size, None, key)]
        for index, before, now_there in moves(table, key, change.old, change.new):
            for place, row in filter(None, (before, now_there)):
                stood = before[1] if before is not None and before[0] == place else None
                hindsight.remember(index.space, place, stood, now)
                charges.append((row.size, index, place))
        if not change.expired:
            for size, charged, place in charges:
                self._shared.throttle.charge("Write", write_units(size), table, charged, partition_of(place))
        super().apply(change, bill)


def _shared_partition(low: bytes, high: bytes | None) -> bytes | None:
    """The partition that a range stays in: a query's does, a scan's does not."""
    head = partition_of(low)
    end = after(head)
    return head if len(low) >= len(head) > 6 and high is not None and (end is None or high <= end) else None
