"""Partition simulation: the partitions of a table or an index, second by second under a steady load.

- A partition supports 1,000 write units and 3,000 read units a second, and 10 GB. A table starts with as many
  partitions as its size and its capacity need; on demand, with at least 4.
- A partition that exceeds its limit for some time is split where its load halves. That isolates hot keys. The items of
  one key value are split by their sort keys too, if the table has no local index and their load is spread over the sort
  keys: many voters of one poll, but not messages by time. Otherwise a key value stays in one partition.
- Provisioned capacity is shared by all partitions as they need it (adaptive capacity), and capacity that was not used
  in the last 300 seconds may be used at once (burst); the limit of each partition still holds.

Time is simulated. All randomness (the position of a key, the variation of the load) comes from one seed.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from math import ceil, inf
from random import Random

from tablewright.design.billing import Autoscaled, Provisioned
from tablewright.design.indexes import Index
from tablewright.design.tables import Table
from tablewright.dynamodb.values.capacity import (
    ON_DEMAND_PARTITIONS,
    PARTITION_READS,
    PARTITION_WRITES,
    partitions_for,
)
from tablewright.planning.capacity_demand import Units

PARTITION_LIMIT = Units(PARTITION_READS, PARTITION_WRITES)
"""The units that a partition supports in a second."""
PARTITION_BYTES = 10 * 2**30
BURST = 300
"""The seconds whose unused capacity may be used at once."""
SPLIT_AFTER = 30
"""The seconds over its limit after which a partition is split. AWS does not publish the number."""
DURATION = 1200
"""The simulated seconds; throttling in the last `BURST` seconds counts as permanent."""
VARIATION = 0.1
"""The standard deviation of the load of a second, as a share of the average."""
RANGES, MOST_RANGES = 4, 4_096
"""The ranges of sort keys of a divisible key for each partition that it needs, and in total."""
_SLIVER = 1e-9
_NEGLIGIBLE = 1e-6
"""The share of a load that does not justify a partition."""


Step = Callable[[], None]
"""A function that is called often during a simulation, several times a second. An error that it raises ends the run."""


def _no_step() -> None:
    """Do nothing."""


@dataclass
class Key:
    """A partition key value, its load, and the result for it."""

    name: str
    rank: int
    units: Units
    is_divisible: bool = False
    """Whether its items can be split by their sort keys."""
    position: float = 0.0
    """Its hash, between 0 and 1."""
    throttled: float = 0.0
    """The share of its load that is rejected at the end."""

    @property
    def heat(self) -> float:
        """Its load, as a multiple of the limit of a partition."""
        return heat(self.units)


@dataclass(eq=False)
class Partition:
    """A range of hashes, with its keys."""

    start: float
    end: float
    keys: list[Key]
    spread: Units
    """The load of all keys that are not simulated one by one, for the whole table."""
    over: int = 0
    """The seconds it has been over its limit."""
    rejected: float = 0.0
    """The load it rejected in the last seconds, in partitions."""

    @cached_property
    def units(self) -> Units:
        """The load of an average second."""
        return sum((key.units for key in self.keys), self.spread * (self.end - self.start))

    def split(self, on_step: Step = _no_step) -> tuple["Partition", "Partition"] | None:
        """Two partitions with loads as equal as possible; None if it contains only one key.

        `on_step` is called before each possible split.
        """
        cuts = [self.start + (self.end - self.start) / 2]
        cuts += [cut for key in self.keys for cut in (key.position, key.position + _SLIVER)]
        inside = [cut for cut in cuts if self.start < cut < self.end]
        best, least = None, inf
        for cut in inside:
            on_step()
            halves = self._cut(cut)
            hottest = max(heat(half.units) for half in halves)
            if hottest < least:
                best, least = halves, hottest
        if best is None or min(heat(half.units) for half in best) < heat(self.units) * _NEGLIGIBLE:
            return None
        return best

    def _cut(self, cut: float) -> tuple["Partition", "Partition"]:
        position = bisect_right(self.keys, cut, key=lambda key: key.position + _SLIVER / 2)
        return (
            Partition(self.start, cut, self.keys[:position], self.spread),
            Partition(cut, self.end, self.keys[position:], self.spread),
        )


def heat(units: Units) -> float:
    """A load as a multiple of the limit of a partition.

    >>> heat(Units(read=1500, write=500))
    1.0
    """
    return units.read / PARTITION_LIMIT.read + units.write / PARTITION_LIMIT.write


def initial_partitions(provisioned: Units | None, bytes_: float) -> int:
    """The number of partitions of a table or an index before there is any load.

    >>> initial_partitions(None, 0), initial_partitions(Units(read=5, write=5), 0)
    (4, 1)
    >>> initial_partitions(None, 100 * PARTITION_BYTES)
    100
    """
    by_size = ceil(bytes_ / PARTITION_BYTES)
    if provisioned is None:
        return max(ON_DEMAND_PARTITIONS, by_size)
    return max(partitions_for(ceil(provisioned.read), ceil(provisioned.write)), by_size)


def provisioned_units(table: Table, index: Index | None = None) -> Units | None:
    """The provisioned units of a table, or of a global index; None is on demand. Autoscaled capacity is its maximum."""
    billing = table.billing if index is None or index.local else table.billing_of(index)
    if isinstance(billing, Autoscaled):
        return Units(billing.max_read, billing.max_write)
    return Units(billing.read, billing.write) if isinstance(billing, Provisioned) else None


@dataclass
class SimulationRun:
    """The result for a table or an index."""

    partitions: int
    splits: int
    throttled_at_first: float
    """The share of all units that was rejected, from the beginning to the end."""
    throttled: float
    """The share that is still rejected at the end."""
    keys: list[Key] = field(default_factory=list)


def simulate(
    keys: Sequence[Key],
    spread: Units,
    *,
    bytes_: float = 0.0,
    provisioned: Units | None = None,
    seed: int = 1,
    on_step: Step = _no_step,
) -> SimulationRun:
    """Simulate twenty minutes of a load.

    `on_step` is called before each simulated second, for each initial partition, and before each possible split of a
    partition. It may raise an error to end the simulation.
    """
    random = Random(seed)
    for key in keys:
        key.position = random.random()
    parts = [part for key in keys for part in _divided(key)]
    ordered = sorted(parts, key=lambda key: key.position)
    run = _Simulation(ordered, spread, bytes_, provisioned, random, on_step).run()
    run.keys = sorted(_joined(keys, run.keys), key=_hottest)
    return run


def _divided(key: Key) -> list[Key]:
    """A key that is hotter than a partition and can be divided, as ranges of its sort keys next to each other."""
    if not key.is_divisible or key.heat <= 1:
        return [key]
    count = min(MOST_RANGES, ceil(key.heat * RANGES))
    width = 2 * _SLIVER
    return [
        replace(key, units=key.units * (1 / count), position=key.position + number * width)
        for number in range(count)
    ]


def _joined(keys: Sequence[Key], parts: Sequence[Key]) -> Iterable[Key]:
    """The keys, each with the average of its parts."""
    rejected: dict[tuple[str, int], list[float]] = {}
    for part in parts:
        rejected.setdefault((part.name, part.rank), []).append(part.throttled)
    for key in keys:
        shares = rejected[key.name, key.rank]
        yield replace(key, throttled=sum(shares) / len(shares))


class _Simulation:
    """Simulates one table or index."""

    def __init__(
        self,
        keys: list[Key],
        spread: Units,
        bytes_: float,
        provisioned: Units | None,
        random: Random,
        on_step: Step,
    ) -> None:
        self.on_step = on_step
        self.keys = keys
        self.random = random
        self.provisioned = provisioned
        self.burst = (provisioned or Units()) * BURST
        count = initial_partitions(provisioned, bytes_)
        self.partitions: list[Partition] = []
        for number in range(count):
            on_step()
            self.partitions.append(_range(number / count, (number + 1) / count, keys, spread))
        self.whole = sum((partition.units for partition in self.partitions), Units())
        self.splits = 0
        self.requested = self.requested_late = self.rejected = self.rejected_late = self.lacking_late = 0.0
        """In partitions: the load requested and rejected, in total and in the last seconds (`late`); `lacking` is the
        load rejected because the table as a whole has too little provisioned capacity."""
        self._heated: list[Partition] | None = None

    def run(self) -> SimulationRun:
        """Simulate every second."""
        for second in range(DURATION):
            self.on_step()
            self._second(is_late=second >= DURATION - BURST)
        seconds = self.requested_late / heat(self.whole) if heat(self.whole) else 0.0
        lacking = _share(self.lacking_late, self.requested_late)
        for partition in self.partitions:
            share = lacking + _share(partition.rejected, heat(partition.units) * seconds)
            for key in partition.keys:
                key.throttled = min(1.0, share)
        return SimulationRun(
            len(self.partitions),
            self.splits,
            _share(self.rejected, self.requested),
            _share(self.rejected_late, self.requested_late),
            sorted(self.keys, key=_hottest),
        )

    def _second(self, *, is_late: bool) -> None:
        """Simulate one second, with a random deviation from the average load."""
        variation = max(0.0, self.random.gauss(1.0, VARIATION))
        whole, lost, splitting = self.whole * variation, Units(), []
        for partition in self._warm:
            units = partition.units * variation
            over = Units(
                max(0.0, units.read - PARTITION_LIMIT.read), max(0.0, units.write - PARTITION_LIMIT.write)
            )
            if over.read or over.write:
                lost += over
                partition.over += 1
                partition.rejected += heat(over) if is_late else 0.0
                if partition.over >= SPLIT_AFTER:
                    splitting.append(partition)
        lacking = self._beyond_provisioned(whole + lost * -1)
        self.requested += heat(whole)
        self.rejected += heat(lost + lacking)
        if is_late:
            self.requested_late += heat(whole)
            self.rejected_late += heat(lost + lacking)
            self.lacking_late += heat(lacking)
        for partition in splitting:
            self._split(partition)

    @property
    def _warm(self) -> Iterable[Partition]:
        """The partitions that may reach their limit; most never do."""
        if self._heated is None:
            self._heated = [
                partition for partition in self.partitions if _may_exceed(partition.units * _MAX_VARIATION)
            ]
        return self._heated

    def _split(self, partition: Partition) -> None:
        partition.over = 0
        halves = partition.split(self.on_step)
        if halves is not None:
            position = self.partitions.index(partition)
            self.partitions[position : position + 1] = halves
            self.splits += 1
            self._heated = None

    def _beyond_provisioned(self, units: Units) -> Units:
        """The load that exceeds the provisioned capacity of the whole table and its burst capacity."""
        if self.provisioned is None:
            return Units()
        had = self.burst + self.provisioned
        lacking = Units(max(0.0, units.read - had.read), max(0.0, units.write - had.write))
        left = had + (units + lacking * -1) * -1
        most = self.provisioned * BURST
        self.burst = Units(min(most.read, left.read), min(most.write, left.write))
        return lacking


_MAX_VARIATION = 1 + 5 * VARIATION
"""More than the variation of the load in practice."""


def _range(start: float, end: float, keys: list[Key], spread: Units) -> Partition:
    return Partition(start, end, [key for key in keys if start <= key.position < end], spread)


def _may_exceed(units: Units) -> bool:
    return units.read > PARTITION_LIMIT.read or units.write > PARTITION_LIMIT.write


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _hottest(key: Key) -> tuple[float, str, int]:
    return -key.heat, key.name, key.rank
