"""Expectations: what a design says of the load it will bear. Checks and planning reckon with them.

class Message(Entity, table=main, type="MESSAGE", expect=Expect(items=5_000_000, size=600, writes=PerSecond(200))):
    ...
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class PerSecond:
    """How often something happens, at its busiest."""

    times: float


@dataclass(frozen=True, slots=True)
class Expect:
    """What is expected of an entity; whatever is not said is not reckoned with."""

    items: int | None = None
    """How many items there will be."""
    size: int | None = None
    """The bytes of an average item."""
    writes: PerSecond | None = None
    """How many items are written each second."""
    per_partition: int | None = None
    """How many items the largest partition key value will hold."""
