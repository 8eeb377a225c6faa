"""Throttling: token buckets of capacity, which fill with time and are used up by reads and writes.

AWS admits a request while the bucket is above zero and charges it afterwards, so a level may become negative; the next
request must wait for it to fill. A table saves up to five minutes of unused capacity; a partition saves none.
"""

import threading
from collections.abc import Callable, Iterator
from typing import Literal

from tablewright.dynamodb.values.capacity import PARTITION_READS, PARTITION_WRITES
from tablewright.engine.core.state.catalog import StoredIndex, StoredTable
from tablewright.engine.features.faults.injector import THROTTLED
from tablewright.errors import ProvisionedThroughputExceeded

Access = Literal["Read", "Write"]

PARTITION_RATES: dict[Access, float] = {"Read": PARTITION_READS, "Write": PARTITION_WRITES}
BURST_SECONDS = 300
PARTITION_SECONDS = 1


class TokenBucket:
    """Capacity that fills at `rate` units a second, up to `rate * seconds`."""

    __slots__ = ("_at", "_level", "_most", "rate")

    def __init__(self, rate: float, seconds: float, now: float) -> None:
        self.rate = rate
        self._most = rate * seconds
        self._level = self._most
        self._at = now

    def level(self, now: float) -> float:
        """The available units now; negative after a large request."""
        self._level = min(self._most, self._level + (now - self._at) * self.rate)
        self._at = now
        return self._level

    def take(self, units: float, now: float) -> None:
        """Charge used units."""
        self._level = self.level(now) - units


class Throttle:
    """The buckets of all tables, indexes and partitions."""

    def __init__(
        self,
        now: Callable[[], float],
        *,
        provisioned: bool,
        partitions: bool,
        on_throttled: Callable[[int, bytes | None], None] = lambda space, partition: None,
    ) -> None:
        self._on_throttled = on_throttled
        self._now = now
        self._provisioned = provisioned
        self._partitions = partitions
        self._buckets: dict[tuple[object, ...], TokenBucket] = {}
        self._lock = threading.Lock()

    def admit(
        self, access: Access, table: StoredTable, index: StoredIndex | None, partition: bytes | None
    ) -> None:
        """Throttle a request when one of its buckets is empty."""
        now = self._now()
        with self._lock:
            for bucket in self._drawn_on(access, table, index, partition, now):
                if bucket.level(now) <= 0:
                    self._on_throttled((index or table).space, partition)
                    raise ProvisionedThroughputExceeded(THROTTLED)

    def charge(
        self,
        access: Access,
        units: float,
        table: StoredTable,
        index: StoredIndex | None,
        partition: bytes | None,
    ) -> None:
        """Charge the units that a request used."""
        now = self._now()
        with self._lock:
            for bucket in self._drawn_on(access, table, index, partition, now):
                bucket.take(units, now)

    def _drawn_on(
        self,
        access: Access,
        table: StoredTable,
        index: StoredIndex | None,
        partition: bytes | None,
        now: float,
    ) -> Iterator[TokenBucket]:
        space = index.space if index and index.kind == "global" else table.space
        rate = _provisioned_rate(access, table, index) if self._provisioned else 0
        if rate:
            yield self._bucket((space, access), rate, BURST_SECONDS, now)
        if self._partitions and partition is not None:
            yield self._bucket((space, access, partition), PARTITION_RATES[access], PARTITION_SECONDS, now)

    def _bucket(self, name: tuple[object, ...], rate: float, seconds: float, now: float) -> TokenBucket:
        bucket = self._buckets.get(name)
        if bucket is None or bucket.rate != rate:
            bucket = self._buckets[name] = TokenBucket(rate, seconds, now)
        return bucket


def _provisioned_rate(access: Access, table: StoredTable, index: StoredIndex | None) -> float:
    """The provisioned units a second of a table or global index; 0 when it is billed by request."""
    entry = table.description
    if index is not None and index.kind == "global":
        entry = next(e for e in entry["GlobalSecondaryIndexes"] if e["IndexName"] == index.name)
    return float(entry.get("ProvisionedThroughput", {}).get(f"{access}CapacityUnits", 0))
