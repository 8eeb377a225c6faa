"""Fault sessions: sessions in which reads may be stale and capacity may run out.

They replace `Reading` and `Writing` when faults are on; no operation knows the difference.

Stale reads: earlier versions of rows, for index lag and for eventually consistent reads.

The store always holds the current rows. Beside it, in memory, each change of a row records the row that it replaced,
for as long as a read may need it.
"""

import heapq
import threading
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from tablewright.dynamodb.values.capacity import read_units, write_units
from tablewright.dynamodb.values.key_bytes import after, partition_of
from tablewright.dynamodb.values.stored_items import StoredItem
from tablewright.engine.core.changes import ItemChange
from tablewright.engine.core.consumed_capacity import CapacityMeter
from tablewright.engine.core.index_rows import index_changes
from tablewright.engine.core.sessions import Reading, Sessions, Writing
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.engine.features.faults.injector import Faults, Injector, Reply, Request, Run
from tablewright.engine.features.faults.throttling import Throttle
from tablewright.engine.storage import ReadView, Transaction


class ReplacedRow(NamedTuple):
    """A row as it was until `until`; `item` is None when there was no row."""

    until: float
    item: StoredItem | None


class RowHistory:
    """The replaced rows of every space, up to `horizon` seconds back."""

    def __init__(self, horizon: float) -> None:
        self.horizon = horizon
        self._versions: dict[int, dict[bytes, list[ReplacedRow]]] = {}
        self._lock = threading.Lock()

    def record(self, space: int, key: bytes, item: StoredItem | None, now: float) -> None:
        """Record the row that a change is about to replace."""
        with self._lock:
            versions = self._versions.setdefault(space, {}).setdefault(key, [])
            versions[:] = [version for version in versions if version.until > now - self.horizon]
            versions.append(ReplacedRow(now, item))

    def differences(self, space: int, at: float) -> dict[bytes, StoredItem | None]:
        """The rows of a space that were different at a time, as they were."""
        with self._lock:
            differences = {}
            for key, versions in self._versions.get(space, {}).items():
                for until, item in versions:
                    if until > at:
                        differences[key] = item
                        break
            return differences

    def get(self, space: int, key: bytes, at: float, current: StoredItem | None) -> StoredItem | None:
        """The row at `key` as it was at a time."""
        return self.differences(space, at).get(key, current)

    def range(
        self,
        space: int,
        low: bytes,
        high: bytes | None,
        at: float,
        current: Iterable[tuple[bytes, StoredItem]],
        *,
        backward: bool,
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """The rows of a range as they were at a time, given the current rows."""
        earlier = self.differences(space, at)
        unchanged = (row for row in current if row[0] not in earlier)
        restored = (
            (key, item)
            for key, item in sorted(earlier.items(), key=_key, reverse=backward)
            if item is not None and key >= low and (high is None or key < high)
        )
        return heapq.merge(unchanged, restored, key=_key, reverse=backward)


def _key(row: tuple[bytes, object]) -> bytes:
    return row[0]


class FaultSessions(Sessions):
    """Opens fault sessions, and keeps what they share: the random source, the row history, the throttle."""

    def __init__(self, without_faults: Sessions, injector: Injector) -> None:
        super().__init__(without_faults.state)
        state, faults = without_faults.state, injector.faults
        self.faults = faults
        self.history = RowHistory(max(faults.index_lag, faults.staleness if faults.stale_reads else 0.0))
        self.throttle = Throttle(
            state.clock.now,
            provisioned=faults.provisioned,
            partitions=faults.partitions,
            on_throttled=self._count_throttled,
        )
        self._random = injector.random

    def _count_throttled(self, space: int, partition: bytes | None) -> None:
        if self.state.accesses is not None:
            self.state.accesses.throttled(space, partition)

    def reading(self, rows: ReadView, request: Any) -> "FaultReading":
        """A session for a parsed request that reads; an eventually consistent one may be stale."""
        stale = not getattr(request, "consistent", True) and self._random.occurs(self.faults.stale_reads)
        return FaultReading(self, rows, stale=stale)

    def writing(self, rows: Transaction) -> "FaultWriting":
        """A session that writes."""
        return FaultWriting(self, rows)


class FaultReading(Reading):
    """Reads that may be stale, and are throttled when capacity runs out."""

    __slots__ = ("_shared", "_stale")

    def __init__(self, shared: FaultSessions, rows: ReadView, *, stale: bool) -> None:
        super().__init__(shared.state, rows)
        self._shared = shared
        self._stale = stale

    def get(self, table: StoredTable, key: bytes) -> StoredItem | None:
        """The item, possibly in an earlier version."""
        throttle, capacity = self._shared.throttle, (table, None, partition_of(key))
        throttle.admit("Read", *capacity)
        item = super().get(table, key)
        if self._stale:
            item = self._shared.history.get(table.space, key, self._visible_time(None), item)
        throttle.charge("Read", read_units(item.size if item else 0, consistent=not self._stale), *capacity)
        return item

    def range(
        self, space: StoredTable | StoredIndex, low: bytes, high: bytes | None, *, backward: bool = False
    ) -> Iterator[tuple[bytes, StoredItem]]:
        """Rows, possibly in earlier versions."""
        rows = super().range(space, low, high, backward=backward)
        index = space if isinstance(space, StoredIndex) else None
        if self._stale or (index is not None and index.kind == "global"):
            rows = self._shared.history.range(
                space.space, low, high, self._visible_time(index), rows, backward=backward
            )
        return self._metered(rows, space, low, high)

    def _visible_time(self, index: StoredIndex | None) -> float:
        """The time whose rows this session sees."""
        faults = self._shared.faults
        lag = faults.index_lag if index is not None and index.kind == "global" else 0.0
        return self.now() - max(lag, faults.staleness if self._stale else 0.0)

    def _metered(
        self,
        rows: Iterator[tuple[bytes, StoredItem]],
        space: StoredTable | StoredIndex,
        low: bytes,
        high: bytes | None,
    ) -> Iterator[tuple[bytes, StoredItem]]:
        table, index = self._owner(space)
        capacity = (table, index, _shared_partition(low, high))
        self._shared.throttle.admit("Read", *capacity)
        size = 0
        try:
            for key, item in rows:
                size += item.size
                yield key, item
        finally:
            self._shared.throttle.charge("Read", read_units(size, consistent=not self._stale), *capacity)

    def _owner(self, space: StoredTable | StoredIndex) -> tuple[StoredTable, StoredIndex | None]:
        if isinstance(space, StoredTable):
            return space, None
        tables = self.state.catalog.all()
        return next(table for table in tables if space in table.indexes), space


class FaultWriting(Writing):
    """Writes that are throttled when capacity runs out, and that record the rows they replace."""

    __slots__ = ("_shared",)

    def __init__(self, shared: FaultSessions, rows: Transaction) -> None:
        super().__init__(shared.state, rows)
        self._shared = shared

    def get(self, table: StoredTable, key: bytes) -> StoredItem | None:
        """The item to write; every write reads before its first change, so here it can still be rejected."""
        throttle = self._shared.throttle
        throttle.admit("Write", table, None, partition_of(key))
        for index in table.indexes:
            throttle.admit("Write", table, index, None)
        return super().get(table, key)

    def apply(self, change: ItemChange, meter: CapacityMeter | None = None) -> None:
        """Write a change, record the replaced rows, charge the partitions; an expired item is free of charge."""
        charges = self._record(change)
        if not change.expired:
            for size, charged, row_key in charges:
                self._shared.throttle.charge(
                    "Write", write_units(size), change.table, charged, partition_of(row_key)
                )
        super().apply(change, meter)

    def apply_uncharged(self, change: ItemChange, meter: CapacityMeter | None = None) -> None:
        """Write a change and record the replaced rows, without charge."""
        self._record(change)
        super().apply(change, meter)

    def _record(self, change: ItemChange) -> list[tuple[int, StoredIndex | None, bytes]]:
        """Record the rows that a change replaces; return the sizes and keys of the rows to charge for."""
        now, table, key = self.now(), change.table, change.key
        history = self._shared.history
        history.record(table.space, key, change.old, now)
        size = max(item.size if item else 0 for item in (change.old, change.new))
        charges: list[tuple[int, StoredIndex | None, bytes]] = [(size, None, key)]
        for index, before, current in index_changes(table, key, change.old, change.new):
            for row_key, row in filter(None, (before, current)):
                replaced = before[1] if before is not None and before[0] == row_key else None
                history.record(index.space, row_key, replaced, now)
                charges.append((row.size, index, row_key))
        return charges


def _shared_partition(low: bytes, high: bytes | None) -> bytes | None:
    """The partition that contains a range: that of a query; None for a scan, which spans partitions."""
    head = partition_of(low)
    end = after(head)
    return head if len(low) >= len(head) > 6 and high is not None and (end is None or high <= end) else None


class FaultInjection:
    """Faults between requests and the engine: errors of the injector, and sessions that are stale and throttled."""

    def __init__(self, sessions: Sessions, faults: Faults) -> None:
        self._injector = Injector(faults)
        self.setting = faults
        self.sessions: Sessions = FaultSessions(sessions, self._injector)

    def reply(self, operation: str, request: Request, run: Run) -> Reply:
        """Run a request with faults."""
        return self._injector.reply(operation, request, run)
