"""Rate limits: count consumed capacity, and wait so that other clients keep theirs."""

import threading
from collections.abc import Callable

from tablewright.access.procedures import Call, Pause, Procedure, Reply, T, advance, consumed_units
from tablewright.dynamodb.values.capacity import DATA_OPERATIONS
from tablewright.errors import ConditionalCheckFailed, LostConnection, ServiceError, TransactionCanceled


class Meter:
    """Counts capacity units, and computes how long to wait to stay below a rate. Threads may share one.

    >>> seconds = iter([0.0, 0.0])
    >>> Meter(10, lambda: next(seconds)).charge(5)
    0.5
    """

    def __init__(self, rate: float | None = None, now: Callable[[], float] = lambda: 0.0) -> None:
        self.rate = rate
        self.units = 0.0
        self._now = now
        self._free_at: float | None = None
        self._lock = threading.Lock()

    def charge(self, units: float) -> float:
        """Count consumed units; return the seconds to wait before the next call."""
        with self._lock:
            self.units += units
            if self.rate is None:
                return 0.0
            now = self._now()
            self._free_at = max(now if self._free_at is None else self._free_at, now) + units / self.rate
            return self._free_at - now


LONGEST_PAUSE = 10.0
"""Seconds; longer pauses are split, with a heartbeat in between."""


def no_heartbeat() -> Procedure[None]:
    """Do nothing."""
    yield from ()


def metered(
    procedure: Procedure[T], meter: Meter, heartbeat: Callable[[], Procedure[None]] = no_heartbeat
) -> Procedure[T]:
    """Run a procedure with a pause after each call, as long as the meter requires."""
    reply: Reply | Exception | None = None
    while True:
        try:
            effect = advance(procedure, reply)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        is_metered = isinstance(effect, Call) and effect.operation in DATA_OPERATIONS
        if isinstance(effect, Call) and is_metered:
            effect = Call(effect.operation, {**effect.request, "ReturnConsumedCapacity": "TOTAL"})
        try:
            reply = yield effect
        except (ServiceError, LostConnection) as error:
            reply = error
        if is_metered:
            yield from pause_for(meter.charge(units_of(reply)), heartbeat)


def pause_for(wait: float, heartbeat: Callable[[], Procedure[None]] = no_heartbeat) -> Procedure[None]:
    """Pause, with a heartbeat in between when it takes long."""
    while wait > 0:
        yield Pause(min(wait, LONGEST_PAUSE))
        wait -= LONGEST_PAUSE
        if wait > 0:
            yield from heartbeat()


def units_of(reply: Reply | Exception) -> float:
    """Return the units that a call consumed. A failed condition consumes write units too, but reports none: 1."""
    if isinstance(reply, ConditionalCheckFailed | TransactionCanceled):
        return 1.0
    return 0.0 if isinstance(reply, Exception) else consumed_units(reply)
