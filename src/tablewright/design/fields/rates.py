"""Expectations: what a design says of the load it will bear. Checks and planning reckon with them.

class Message(Entity, table=main, type="MESSAGE", expect=Expect(items=5_000_000, size=600, writes=PerSecond(200))):
    ...
"""

from dataclasses import dataclass
from typing import ClassVar

from tablewright.errors import DesignError

MONTH = 730 * 3600.0
"""Seconds of a month, as AWS bills them: 730 hours."""


@dataclass(frozen=True, slots=True)
class Rate:
    """How often something happens: so many times in a span.

    >>> PerDay(864).per_second, PerSecond(1).per_month
    (0.01, 2628000.0)
    """

    times: float
    span: ClassVar[float]
    """The seconds it is counted over."""

    def __post_init__(self) -> None:
        if not self.times >= 0:
            raise DesignError(f"{type(self).__name__}({self.times}) is no rate; give a number from 0")

    @property
    def per_second(self) -> float:
        """How often in a second."""
        return self.times / self.span

    @property
    def per_month(self) -> float:
        """How often in a month, if it goes on like that."""
        return self.times * MONTH / self.span


class PerSecond(Rate):
    """So many times a second, at its busiest."""

    span = 1.0


class PerDay(Rate):
    """So many times a day, spread over it."""

    span = 24 * 3600.0


class PerMonth(Rate):
    """So many times a month, spread over it."""

    span = MONTH


@dataclass(frozen=True, slots=True)
class Expect:
    """What is expected of an entity; whatever is not said is not reckoned with."""

    items: int | None = None
    """How many items there will be."""
    size: int | None = None
    """The bytes of an average item."""
    writes: Rate | None = None
    """How often items are written."""
    per_partition: int | None = None
    """How many items the largest partition key value will hold."""
