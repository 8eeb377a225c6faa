"""Engine switches: the faults and the clock of an embedded engine. Time moves forward only."""

from dataclasses import asdict, fields
from typing import Annotated, Any

from pydantic import Field

from tablewright import Faults
from tablewright.connections import Embedded
from tablewright.console.endpoints import Body
from tablewright.console.open_designs import OpenDesign
from tablewright.errors import UsageError

WHY = (
    "Faults, index lag, stale reads and the clock can be switched on the embedded engine only. This console is "
    "connected to another endpoint; open a data file, or use tablewright serve --console."
)
MAX_ADVANCE = 10 * 365 * 86_400.0
"""The most seconds of one move of the clock: ten years."""
ABOUT = {
    "throttling": "Data requests rejected with ProvisionedThroughputExceededException",
    "conflicts": "Writes and transactions rejected because of a conflicting transaction",
    "internal_errors": "Data requests that fail with InternalServerError; half of them take effect",
    "unprocessed": "Entries of batches returned as unprocessed",
    "short_pages": "Query and Scan pages cut short, with a LastEvaluatedKey",
    "stale_reads": "Eventually consistent reads that return earlier data",
    "staleness": "Seconds by which a stale read is behind",
    "index_lag": "Seconds by which global indexes are behind their table",
    "provisioned": "Limit tables and indexes to their provisioned capacity",
    "partitions": "Limit each partition key to 1,000 write and 3,000 read units a second",
    "seed": "Random seed: the same seed gives the same faults",
}

Share = Annotated[float, Field(ge=0, le=1)]
Seconds = Annotated[float, Field(ge=0, le=86_400)]


class FaultSettings(Body):
    """The faults to inject; those that are left out are off."""

    throttling: Share = 0.0
    conflicts: Share = 0.0
    internal_errors: Share = 0.0
    unprocessed: Share = 0.0
    short_pages: Share = 0.0
    stale_reads: Share = 0.0
    staleness: Seconds = 1.0
    index_lag: Seconds = 0.0
    provisioned: bool = False
    partitions: bool = False
    seed: int = 0


class ClockMove(Body):
    """A change of the clock: `advance` seconds forward; `frozen` stops it, or lets it run."""

    advance: Annotated[float, Field(ge=0, le=MAX_ADVANCE)] = 0.0
    frozen: bool | None = None


def engine_of(opened: OpenDesign) -> Embedded:
    """Return the embedded engine; `UsageError` if the design is on another endpoint."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        raise UsageError(WHY)
    return connection


def describe_engine(opened: OpenDesign) -> dict[str, Any]:
    """Return the faults and the clock of the engine, or why there are none."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        return {"available": False, "why": WHY}
    faults = connection.faults
    switches = asdict(faults or Faults())
    return {
        "available": True,
        "why": None,
        "in_memory": connection.path is None,
        "clock": {"now": connection.clock.now(), "frozen": connection.clock.frozen},
        "are_faults_on": faults is not None,
        "faults": [
            {"name": name, "value": switches[name], "default": getattr(Faults(), name), "about": about}
            for name, about in ABOUT.items()
        ],
    }


def set_faults(opened: OpenDesign, settings: FaultSettings) -> None:
    """Switch the faults; without any, the engine works without faults."""
    engine = engine_of(opened)
    chosen = Faults(**settings.model_dump())
    ignored = ("seed", "staleness")
    is_on = any(getattr(chosen, field.name) for field in fields(Faults) if field.name not in ignored)
    engine.faults = chosen if is_on else None


def move_clock(opened: OpenDesign, move: ClockMove) -> None:
    """Move the clock forward, freeze it, or let it run again from its time; but never back to the system's time."""
    clock = engine_of(opened).clock
    if move.frozen is True and not clock.frozen:
        clock.freeze()
    if move.advance:
        clock.advance(move.advance)
    if move.frozen is False and clock.frozen:
        clock.resume()
