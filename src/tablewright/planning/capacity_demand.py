"""Capacity demand: the capacity units that requests consume in tables and indexes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tablewright.design.indexes import Index
from tablewright.design.tables import Table


@dataclass(frozen=True)
class CapacityResource:
    """What has its own capacity: a table with its local indexes, or a global index."""

    table: Table
    index: Index | None = None

    @classmethod
    def of(cls, table: Table, index: Index | None) -> "CapacityResource":
        """The resource whose capacity an index consumes: a local index uses that of its table."""
        return cls(table, None if index is not None and index.local else index)

    def __str__(self) -> str:
        return f"{self.table.name}.{self.index.name}" if self.index else self.table.name


@dataclass(frozen=True, slots=True)
class Units:
    """Read and write units."""

    read: float = 0.0
    write: float = 0.0

    def __add__(self, other: "Units") -> "Units":
        return Units(self.read + other.read, self.write + other.write)

    def __mul__(self, factor: float) -> "Units":
        return Units(self.read * factor, self.write * factor)


Demand = Mapping[CapacityResource, Units]


def total(demand: Demand) -> Units:
    """The sum over all resources."""
    return sum(demand.values(), Units())


def added(demands: Iterable[Demand]) -> Demand:
    """The sum of several demands."""
    sums: dict[CapacityResource, Units] = {}
    for demand in demands:
        for resource, units in demand.items():
            sums[resource] = sums.get(resource, Units()) + units
    return sums


def scaled(demand: Demand, factor: float) -> Demand:
    """A demand multiplied by a factor."""
    return {resource: units * factor for resource, units in demand.items() if factor}
