"""Demands: capacity units, taken from tables and indexes."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tablewright.design.tables.tables import Index, Table


@dataclass(frozen=True)
class Place:
    """What has capacity of its own: a table with its local indexes, or a global index."""

    table: Table
    index: Index | None = None

    @classmethod
    def of(cls, table: Table, index: Index | None) -> "Place":
        """Where an index takes its capacity from."""
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


Demand = Mapping[Place, Units]


def total(demand: Demand) -> Units:
    """All units, wherever they are taken."""
    return sum(demand.values(), Units())


def added(demands: Iterable[Demand]) -> Demand:
    """Several demands as one."""
    found: dict[Place, Units] = {}
    for demand in demands:
        for place, units in demand.items():
            found[place] = found.get(place, Units()) + units
    return found


def scaled(demand: Demand, factor: float) -> Demand:
    """A demand so many times."""
    return {place: units * factor for place, units in demand.items() if factor}
