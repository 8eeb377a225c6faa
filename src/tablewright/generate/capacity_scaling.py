"""Scaling targets: what AWS Application Auto Scaling scales for a table with autoscaled capacity."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from tablewright.design.tables.billing import Autoscaled, Billing
from tablewright.design.tables.tables import Table


@dataclass(frozen=True, slots=True)
class ScalingTarget:
    """The read or write capacity of a table, or of one of its indexes."""

    kind: Literal["Read", "Write"]
    index: str | None
    least: int
    most: int
    percent: int
    """The share of the capacity that traffic should use."""

    @property
    def dimension(self) -> str:
        """The capacity, in the words of Application Auto Scaling."""
        return f"dynamodb:{'index' if self.index else 'table'}:{self.kind}CapacityUnits"

    @property
    def metric(self) -> str:
        """The measured use of the capacity."""
        return f"DynamoDB{self.kind}CapacityUtilization"

    @property
    def index_path(self) -> str:
        """The path of the index below its table."""
        return f"/index/{self.index}" if self.index else ""

    @property
    def label(self) -> str:
        """A name for the target within its table, of letters and digits."""
        return "".join(part.capitalize() for part in _words(self.index or "")) + self.kind


def _words(name: str) -> list[str]:
    return "".join(letter if letter.isalnum() else " " for letter in name).split()


def scaling_targets(table: Table) -> Iterator[ScalingTarget]:
    """The targets of a table and its global indexes."""
    capacities: list[tuple[str | None, Billing]] = [(None, table.billing)]
    capacities += [(index.name, table.billing_of(index)) for index in table.indexes if not index.local]
    for index, billing in capacities:
        if isinstance(billing, Autoscaled):
            yield ScalingTarget("Read", index, billing.read, billing.max_read, billing.target)
            yield ScalingTarget("Write", index, billing.write, billing.max_write, billing.target)
