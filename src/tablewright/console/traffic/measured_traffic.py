"""Measured traffic: how often patterns run and entities are written on an embedded engine, by units and by key.

Measuring is off until it is started. It sees all requests of this process, those of the console included.
"""

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tablewright.connections import Embedded
from tablewright.console.traffic.request_uses import RequestUse, RequestUses
from tablewright.design.designs import Design
from tablewright.design.tables.tables import Table

if TYPE_CHECKING:
    from tablewright.connections.embedded import ObservedRequest

MAX_KEYS = 4_000
"""The most partition keys that are counted; beyond, the half with the fewest units is forgotten."""
THROTTLED = ("ProvisionedThroughputExceededException", "ThrottlingException", "RequestLimitExceeded")


@dataclass
class Measured:
    """The counts of a pattern, of an entity's writes, or of a partition key."""

    requests: int = 0
    read: float = 0.0
    write: float = 0.0
    throttled: int = 0

    def add(self, use: RequestUse, *, is_throttled: bool) -> None:
        """Add one use."""
        self.requests += use.is_main
        self.throttled += is_throttled
        if use.kind == "read":
            self.read += use.units
        else:
            self.write += use.units

    def as_data(self) -> dict[str, Any]:
        """Return the counts for the page."""
        return {
            "requests": self.requests,
            "read": self.read,
            "write": self.write,
            "throttled": self.throttled,
        }


Key = tuple[str, str | None, tuple[str, ...]]
"""A table, an index or None, and the values of the partition key."""


@dataclass
class Counts:
    """All counts since the start of a measurement."""

    since: float = 0.0
    requests: int = 0
    errors: dict[str, int] = field(default_factory=dict)
    reads: dict[tuple[str, ...], Measured] = field(default_factory=dict)
    """By the patterns that a request may be of; () is those of no pattern."""
    writes: dict[tuple[str, ...], Measured] = field(default_factory=dict)
    keys: dict[Key, Measured] = field(default_factory=dict)


class MeasuredTraffic:
    """Measures the requests to the tables of one design."""

    def __init__(
        self, design: Design, tables: Mapping[str, Table], now: Callable[[], float] = time.time
    ) -> None:
        self._uses = RequestUses(design, tables)
        self._now = now
        self._lock = threading.Lock()
        self._end: Callable[[], None] | None = None
        self._ended_at: float | None = None
        self.counts = Counts()

    @property
    def is_measuring(self) -> bool:
        """Whether requests are counted at present."""
        return self._end is not None

    @property
    def seconds(self) -> float:
        """The length of the measurement."""
        if not self.counts.since:
            return 0.0
        return max(0.0, (self._ended_at or self._now()) - self.counts.since)

    def start(self, connection: Embedded) -> None:
        """Start a new measurement; the counts of the last one are dropped."""
        self.stop()
        with self._lock:
            self.counts = Counts(since=self._now())
            self._ended_at = None
            self._end = connection.observe(self.observe)

    def stop(self) -> None:
        """End the measurement; the counts are kept."""
        with self._lock:
            if self._end is not None:
                self._end()
                self._end, self._ended_at = None, self._now()

    def observe(self, observed: "ObservedRequest") -> None:
        """Count one request."""
        if observed.error is not None and observed.error not in THROTTLED:
            with self._lock:
                self.counts.errors[observed.error] = self.counts.errors.get(observed.error, 0) + 1
            return
        uses = self._uses.of(observed)
        if not uses:
            return
        is_throttled = observed.error is not None
        with self._lock:
            self.counts.requests += 1
            for use in uses:
                self._count(use, is_throttled=is_throttled)

    def _count(self, use: RequestUse, *, is_throttled: bool) -> None:
        counts = self.counts
        named = counts.reads if use.kind == "read" else counts.writes
        named.setdefault(use.names, Measured()).add(use, is_throttled=is_throttled)
        if use.partition is not None:
            key = (use.table, use.index, use.partition)
            counts.keys.setdefault(key, Measured()).add(use, is_throttled=is_throttled)
            if len(counts.keys) > MAX_KEYS:
                kept = sorted(counts.keys, key=lambda each: -_units(counts.keys[each]))[: MAX_KEYS // 2]
                counts.keys = {each: counts.keys[each] for each in kept}

    def hottest(self, count: int) -> list[tuple[Key, Measured]]:
        """Return the partition keys with the most units."""
        with self._lock:
            return sorted(self.counts.keys.items(), key=lambda pair: -_units(pair[1]))[:count]

    def copied(self) -> Counts:
        """Return the counts of this time."""
        with self._lock:
            now = self.counts
            return Counts(
                now.since, now.requests, dict(now.errors), dict(now.reads), dict(now.writes), dict(now.keys)
            )


def _units(measured: Measured) -> float:
    return measured.read / 3 + measured.write
