"""Recorded calls: the requests that a read makes, with the items examined, the items returned and the capacity."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tablewright.connections import Connection
from tablewright.errors import Throttling, UsageError

MEASURED = frozenset({"GetItem", "BatchGetItem", "TransactGetItems", "Query", "Scan"})
"""The operations that are asked for their consumed capacity."""
PATIENCE = 3.0
"""Seconds that a request of the page waits in total before repeated attempts; then it reports the throttling."""


@dataclass(frozen=True)
class RecordedCall:
    """A request, and what its reply says about it."""

    operation: str
    request: dict[str, Any]
    examined: int | None
    """The items that DynamoDB read; None if it does not say."""
    returned: int
    capacity: dict[str, Any] | list[dict[str, Any]] | None
    seconds: float

    @property
    def units(self) -> float:
        """The consumed capacity units."""
        reported = self.capacity or []
        entries = [reported] if isinstance(reported, dict) else reported
        return float(sum(each.get("CapacityUnits", 0) for each in entries))


@dataclass
class RecordingConnection:
    """Passes requests on, and records them; a write is not passed on."""

    connection: Connection
    clock: Callable[[], float] = time.perf_counter
    calls: list[RecordedCall] = field(default_factory=list)
    waited: float = 0.0

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Send one request."""
        if operation not in MEASURED:
            # The key that hashes values is created when a value is looked up and no value was stored before.
            raise UsageError("no secret value is stored yet, so this finds nothing")
        started = self.clock()
        reply = self.connection.call(operation, {**request, "ReturnConsumedCapacity": "INDEXES"})
        seconds = self.clock() - started
        examined, returned = _counts(operation, reply)
        capacity = reply.get("ConsumedCapacity")
        self.calls.append(RecordedCall(operation, request, examined, returned, capacity, seconds))
        return reply

    def pause(self, seconds: float) -> None:
        """Wait before a repeated attempt, up to `PATIENCE` in total."""
        self.waited += seconds
        if self.waited > PATIENCE:
            raise Throttling("DynamoDB throttles this read; wait a few seconds and run it again")
        time.sleep(seconds)


def _counts(operation: str, reply: dict[str, Any]) -> tuple[int | None, int]:
    """Return the items examined and returned."""
    if operation in ("Query", "Scan"):
        return reply.get("ScannedCount"), reply.get("Count", 0)
    if operation == "GetItem":
        return 1, int("Item" in reply)
    responses = reply.get("Responses", {})
    if isinstance(responses, dict):
        count = sum(map(len, responses.values()))
    else:
        count = sum("Item" in each for each in responses)
    return None, count
