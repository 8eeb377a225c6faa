"""Partitions: a table, or an index, second by second under a steady load.

- A partition takes 1,000 write units and 3,000 read units a second, and 10 GB; a table begins with as many as its size
  and its capacity need, and on demand with 4.
- A partition that was over its limit for a while splits where its load halves. That isolates hot keys, but a key value
  stays in one partition and never gets more than a partition has.
- Provisioned capacity is shared by all partitions as they need it (adaptive capacity), and what was not used in the
  last 300 seconds may be used at once (burst); a partition's own limit still holds.

Time is counted, not waited for. All chance (where a key lies, how the load sways) comes from one seed.
"""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import ceil
from random import Random

from tablewright.design.tables.billing import Provisioned
from tablewright.design.tables.tables import Table
from tablewright.planning.capacity_demand import Units
from tablewright.values.capacity import (
    ON_DEMAND_PARTITIONS,
    PARTITION_READS,
    PARTITION_WRITES,
    partitions_for,
)

MOST = Units(PARTITION_READS, PARTITION_WRITES)
"""What a partition takes in a second."""
MOST_BYTES = 10 * 2**30
BURST = 300
"""Seconds whose unused capacity may be used at once."""
PATIENCE = 30
"""Seconds over its limit, in a row or not, after which a partition splits. AWS does not say how many."""
LENGTH = 1200
"""Seconds that are looked at; what still throttles in the last `BURST` of them does not go away."""
SWAY = 0.1
"""How far the load of a second is from the average one, as a standard deviation."""
_SLIVER = 1e-9
_NOTHING = 1e-6
"""The share of a load that is not worth a partition."""


@dataclass
class Key:
    """A partition key value, its load, and what became of it."""

    name: str
    rank: int
    units: Units
    position: float = 0.0
    """Where it lies between 0 and 1, by its hash."""
    throttled: float = 0.0
    """The share of its load that is refused, in the end."""

    @property
    def heat(self) -> float:
        """Its load, in partitions."""
        return heat(self.units)


@dataclass(eq=False)
class Partition:
    """A range of hashes, with the keys that lie in it."""

    start: float
    end: float
    keys: list[Key]
    spread: Units
    """The load of all keys that are not looked at one by one, over the whole table."""
    over: int = 0
    """How many seconds it has been over its limit."""
    refused: float = 0.0
    """What it refused in the last seconds, in partitions."""

    @cached_property
    def units(self) -> Units:
        """The load of an average second."""
        return sum((key.units for key in self.keys), self.spread * (self.end - self.start))

    def split(self) -> tuple["Partition", "Partition"] | None:
        """Two partitions, as even as can be; None when it holds nothing but one key."""
        cuts = [self.start + (self.end - self.start) / 2]
        cuts += [cut for key in self.keys for cut in (key.position, key.position + _SLIVER)]
        inside = [cut for cut in cuts if self.start < cut < self.end]
        halves = [self._cut(cut) for cut in inside]
        best = min(halves, key=lambda two: max(heat(two[0].units), heat(two[1].units)), default=None)
        if best is None or min(heat(half.units) for half in best) < heat(self.units) * _NOTHING:
            return None
        return best

    def _cut(self, cut: float) -> tuple["Partition", "Partition"]:
        place = bisect_right(self.keys, cut, key=lambda key: key.position + _SLIVER / 2)
        return (
            Partition(self.start, cut, self.keys[:place], self.spread),
            Partition(cut, self.end, self.keys[place:], self.spread),
        )


def heat(units: Units) -> float:
    """A load in partitions: 1 is all that one takes.

    >>> heat(Units(read=1500, write=500))
    1.0
    """
    return units.read / MOST.read + units.write / MOST.write


def born(provisioned: Units | None, bytes_: float) -> int:
    """How many partitions a table or an index has before there is a load.

    >>> born(None, 0), born(Units(read=5, write=5), 0), born(None, 100 * MOST_BYTES)
    (4, 1, 100)
    """
    by_size = ceil(bytes_ / MOST_BYTES)
    if provisioned is None:
        return max(ON_DEMAND_PARTITIONS, by_size)
    return max(partitions_for(ceil(provisioned.read), ceil(provisioned.write)), by_size)


def provisioned_units(table: Table) -> Units | None:
    """What a table, and each of its indexes, is given by the second; None is on demand."""
    billing = table.billing
    return Units(billing.read, billing.write) if isinstance(billing, Provisioned) else None


@dataclass
class Run:
    """What became of a table or an index."""

    partitions: int
    splits: int
    throttled_at_first: float
    """The share of all units that was refused, from the beginning to the end."""
    throttled: float
    """The share that is still refused at the end."""
    keys: list[Key] = field(default_factory=list)


def simulate(
    keys: Sequence[Key],
    spread: Units,
    *,
    bytes_: float = 0.0,
    provisioned: Units | None = None,
    seed: int = 1,
) -> Run:
    """Twenty minutes of a load."""
    chance = Random(seed)
    for key in keys:
        key.position = chance.random()
    ordered = sorted(keys, key=lambda key: key.position)
    return _Simulation(ordered, spread, bytes_, provisioned, chance).run()


class _Simulation:
    """A table or an index under load."""

    def __init__(
        self, keys: list[Key], spread: Units, bytes_: float, provisioned: Units | None, chance: Random
    ) -> None:
        self.keys = keys
        self.chance = chance
        self.provisioned = provisioned
        self.saved = (provisioned or Units()) * BURST
        count = born(provisioned, bytes_)
        self.partitions = [_range(n / count, (n + 1) / count, keys, spread) for n in range(count)]
        self.whole = sum((partition.units for partition in self.partitions), Units())
        self.splits = 0
        self.asked = self.asked_late = self.refused = self.refused_late = self.lacking_late = 0.0
        """In partitions: what was asked for and refused, at all and in the last seconds, there also by the whole."""
        self._heated: list[Partition] | None = None

    def run(self) -> Run:
        """Second by second, to the end."""
        for second in range(LENGTH):
            self._second(is_late=second >= LENGTH - BURST)
        seconds = self.asked_late / heat(self.whole) if heat(self.whole) else 0.0
        lacking = _share(self.lacking_late, self.asked_late)
        for partition in self.partitions:
            share = lacking + _share(partition.refused, heat(partition.units) * seconds)
            for key in partition.keys:
                key.throttled = min(1.0, share)
        return Run(
            len(self.partitions),
            self.splits,
            _share(self.refused, self.asked),
            _share(self.refused_late, self.asked_late),
            sorted(self.keys, key=_hottest),
        )

    def _second(self, *, is_late: bool) -> None:
        """One second, which is busier or quieter than the average."""
        sway = max(0.0, self.chance.gauss(1.0, SWAY))
        whole, lost, splitting = self.whole * sway, Units(), []
        for partition in self._warm:
            units = partition.units * sway
            over = Units(max(0.0, units.read - MOST.read), max(0.0, units.write - MOST.write))
            if over.read or over.write:
                lost += over
                partition.over += 1
                partition.refused += heat(over) if is_late else 0.0
                if partition.over >= PATIENCE:
                    splitting.append(partition)
        lacking = self._beyond_provisioned(whole + lost * -1)
        self.asked += heat(whole)
        self.refused += heat(lost + lacking)
        if is_late:
            self.asked_late += heat(whole)
            self.refused_late += heat(lost + lacking)
            self.lacking_late += heat(lacking)
        for partition in splitting:
            self._split(partition)

    @property
    def _warm(self) -> Iterable[Partition]:
        """The partitions that may come to their limit; most never do."""
        if self._heated is None:
            self._heated = [
                partition
                for partition in self.partitions
                if partition.units.read * _SWAYS > MOST.read or partition.units.write * _SWAYS > MOST.write
            ]
        return self._heated

    def _split(self, partition: Partition) -> None:
        partition.over = 0
        halves = partition.split()
        if halves is not None:
            place = self.partitions.index(partition)
            self.partitions[place : place + 1] = halves
            self.splits += 1
            self._heated = None

    def _beyond_provisioned(self, units: Units) -> Units:
        """What the table as a whole has no capacity for, once what it saved is used up."""
        if self.provisioned is None:
            return Units()
        had = self.saved + self.provisioned
        lacking = Units(max(0.0, units.read - had.read), max(0.0, units.write - had.write))
        left = had + (units + lacking * -1) * -1
        most = self.provisioned * BURST
        self.saved = Units(min(most.read, left.read), min(most.write, left.write))
        return lacking


_SWAYS = 1 + 5 * SWAY
"""More than the load ever sways."""


def _range(start: float, end: float, keys: list[Key], spread: Units) -> Partition:
    return Partition(start, end, [key for key in keys if start <= key.position < end], spread)


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _hottest(key: Key) -> tuple[float, str, int]:
    return -key.heat, key.name, key.rank
