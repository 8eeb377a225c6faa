"""Partition heat: the keys of tables and indexes that throttle, for multiples of the declared users."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from tablewright.design.designs import Design
from tablewright.planning.capacity_demand import Resource, Units
from tablewright.planning.partition_simulation import Key, Run, provisioned_units, simulate
from tablewright.planning.read_demand import stored_rows
from tablewright.planning.stored_sizes import OVERHEAD
from tablewright.planning.traffic import KeyGroup, key_groups
from tablewright.planning.workloads import Workload

TABLE_QUOTA = 40_000
"""The default quota of a table: read units, and write units, a second."""
_NEGLIGIBLE = 0.001
"""Throttling below this share is ignored."""

Verdict = Literal["cool", "settles", "throttles"]


@dataclass(frozen=True)
class Heat:
    """The result for a table or an index, with the users multiplied by `factor`."""

    resource: Resource
    factor: float
    units: Units
    """The load of its busiest second."""
    run: Run

    @property
    def verdict(self) -> Verdict:
        """`throttles` permanently, `settles` after partitions are split, or stays `cool`."""
        if self.run.throttled > _NEGLIGIBLE:
            return "throttles"
        return "settles" if self.run.throttled_at_first > _NEGLIGIBLE else "cool"

    @property
    def over_quota(self) -> bool:
        """Whether it needs a higher table quota than the default of AWS."""
        return max(self.units.read, self.units.write) > TABLE_QUOTA

    @property
    def hot(self) -> tuple[Key, ...]:
        """The keys that throttle permanently, the hottest first."""
        return tuple(key for key in self.run.keys if key.throttled > _NEGLIGIBLE)

    def figures(self) -> dict[str, Any]:
        """Its figures, for JSON: without its name, and without its keys."""
        return {
            "verdict": self.verdict,
            "read": self.units.read,
            "write": self.units.write,
            "partitions": self.run.partitions,
            "splits": self.run.splits,
            "throttled_at_first": self.run.throttled_at_first,
            "throttled": self.run.throttled,
            "over_quota": self.over_quota,
        }


def heat_of(
    design: Design,
    workload: Workload,
    factor: float = 1.0,
    seed: int = 1,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_step: Callable[[], None] = lambda: None,
) -> list[Heat]:
    """The heat of every table and index with a load, with the users multiplied by `factor`.

    `on_progress` is called before each table or index with their number so far, and in total. `on_step` is called often
    while one is simulated, and may raise an error to end the simulation.
    """
    found = key_groups(design, workload, factor)
    heats: list[Heat] = []
    for resource, groups in found.items():
        on_progress(len(heats), len(found))
        heats.append(_heat(design, workload, resource, groups, factor, seed, on_step))
    return heats


def _heat(
    design: Design,
    workload: Workload,
    resource: Resource,
    groups: list[KeyGroup],
    factor: float,
    seed: int,
    on_step: Callable[[], None],
) -> Heat:
    keys = [
        Key(group.name, rank, group.units * share, group.is_divisible)
        for group in groups
        for rank, share in enumerate(group.shares, start=1)
    ]
    spread = sum((group.units * group.tail for group in groups), Units())
    rows = stored_rows(design, resource.table, resource.index, workload)
    bytes_ = factor * sum(count * (size + OVERHEAD) for count, size in rows)
    provisioned = provisioned_units(resource.table, resource.index)
    run = simulate(keys, spread, bytes_=bytes_, provisioned=provisioned, seed=seed, on_step=on_step)
    return Heat(resource, factor, sum((group.units for group in groups), Units()), run)
