"""Heat: which keys of which table or index throttle, with so many users, and with more of them."""

from dataclasses import dataclass
from typing import Literal

from tablewright.design.designs import Design
from tablewright.planning.capacity_demand import Place, Units
from tablewright.planning.partition_simulation import Key, Run, provisioned_units, simulate
from tablewright.planning.read_demand import stored_rows
from tablewright.planning.stored_sizes import OVERHEAD
from tablewright.planning.traffic import Crowd, crowds
from tablewright.planning.workloads import Workload

QUOTA = 40_000
"""Read units, and write units, that AWS lets a table take in a second before one asks for more."""
_FEW = 0.001
"""The share of refusals that is as good as none."""

Verdict = Literal["cool", "settles", "throttles"]


@dataclass(frozen=True)
class Heat:
    """A table or an index with so many times the users."""

    place: Place
    factor: float
    units: Units
    """The load of its busiest second."""
    run: Run

    @property
    def verdict(self) -> Verdict:
        """Whether it throttles for good, until it has split, or hardly ever."""
        if self.run.throttled > _FEW:
            return "throttles"
        return "settles" if self.run.throttled_at_first > _FEW else "cool"

    @property
    def over_quota(self) -> bool:
        """Whether AWS must be asked for more than a table gets by default."""
        return max(self.units.read, self.units.write) > QUOTA

    @property
    def hot(self) -> tuple[Key, ...]:
        """The keys that throttle for good, the hottest first."""
        return tuple(key for key in self.run.keys if key.throttled > _FEW)


def heat_of(design: Design, workload: Workload, factor: float = 1.0, seed: int = 1) -> list[Heat]:
    """Every table and index that has a load, with so many times the users."""
    found = crowds(design, workload, factor)
    return [_heat(design, workload, place, found[place], factor, seed) for place in found]


def _heat(
    design: Design, workload: Workload, place: Place, asking: list[Crowd], factor: float, seed: int
) -> Heat:
    keys = [
        Key(crowd.name, rank, crowd.units * share)
        for crowd in asking
        for rank, share in enumerate(crowd.shares, start=1)
    ]
    spread = sum((crowd.units * crowd.tail for crowd in asking), Units())
    rows = stored_rows(design, place.table, place.index, workload)
    bytes_ = factor * sum(count * (size + OVERHEAD) for count, size in rows)
    run = simulate(keys, spread, bytes_=bytes_, provisioned=provisioned_units(place.table), seed=seed)
    return Heat(place, factor, sum((crowd.units for crowd in asking), Units()), run)
