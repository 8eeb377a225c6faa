"""Rates and expectations: the load that a design declares. Checks and planning use them.

class Message(Entity, table=main, type="MESSAGE", expect=Expect(items=5_000_000, size=600, writes=PerSecond(200))):
    ...
"""

from typing import ClassVar

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import DesignError

MONTH = 730 * 3600.0
"""The seconds of a month, as AWS bills: 730 hours."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happens: a number of times in a time span.

    >>> PerDay(864).per_second, PerSecond(1).per_month
    (0.01, 2628000.0)
    """

    times: float
    span: ClassVar[float]
    """The time span in seconds."""

    def __post_init__(self) -> None:
        if not self.times >= 0:
            raise DesignError(
                f"{type(self).__name__}({self.times}) is not a rate; give a number of 0 or more"
            )

    @property
    def per_second(self) -> float:
        """The rate per second."""
        return self.times / self.span

    @property
    def per_month(self) -> float:
        """The rate per month."""
        return self.times * MONTH / self.span


class PerSecond(Rate):
    """Times per second, in the busiest second."""

    span = 1.0


class PerDay(Rate):
    """Times per day, on average."""

    span = 24 * 3600.0


class PerMonth(Rate):
    """Times per month, on average."""

    span = MONTH


@dataclass(frozen=True, slots=True)
class Expect:
    """The expected load of an entity; what is not declared is not counted."""

    items: int | None = None
    """The number of items."""
    size: int | None = None
    """The average size of an item in bytes."""
    writes: Rate | None = None
    """The rate of writes."""
    per_partition: int | None = None
    """The number of items of the largest partition key value."""
