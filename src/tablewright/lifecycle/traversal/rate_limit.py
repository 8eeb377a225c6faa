"""Meters: how much capacity work consumes, and how long it has to wait so that others keep theirs."""

import threading
from collections.abc import Callable
from typing import Any

from tablewright.access.calls.procedures import Call, Pause, Procedure, Reply, T
from tablewright.errors import ConditionalCheckFailed, LostConnection, ServiceError, TransactionCanceled

_METERED = {
    "BatchGetItem",
    "DeleteItem",
    "GetItem",
    "PutItem",
    "Query",
    "Scan",
    "TransactGetItems",
    "TransactWriteItems",
    "UpdateItem",
}


class Meter:
    """Counts units, and says how long to wait to stay under so many a second. Many threads may share one.

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
        """Take note of units that were consumed; how many seconds to wait before the next."""
        with self._lock:
            self.units += units
            if self.rate is None:
                return 0.0
            now = self._now()
            self._free_at = max(now if self._free_at is None else self._free_at, now) + units / self.rate
            return self._free_at - now


LONGEST_PAUSE = 10.0
"""Seconds; longer pauses are made in parts, with a sign of life between them."""


def no_sign() -> Procedure[None]:
    """For those of whom nobody expects one."""
    yield from ()


def metered(
    procedure: Procedure[T], meter: Meter, sign_of_life: Callable[[], Procedure[None]] = no_sign
) -> Procedure[T]:
    """The same procedure, with a pause behind each call as the meter says."""
    answer: Reply | Exception | None = None
    while True:
        try:
            if isinstance(answer, Exception):
                effect = procedure.throw(answer)
            else:
                effect = next(procedure) if answer is None else procedure.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        is_metered = isinstance(effect, Call) and effect.operation in _METERED
        if isinstance(effect, Call) and is_metered:
            effect = Call(effect.operation, {**effect.request, "ReturnConsumedCapacity": "TOTAL"})
        try:
            answer = yield effect
        except (ServiceError, LostConnection) as refusal:
            answer = refusal
        wait = meter.charge(units_of(answer)) if is_metered else 0.0
        while wait > 0:
            yield Pause(min(wait, LONGEST_PAUSE))
            wait -= LONGEST_PAUSE
            if wait > 0:
                yield from sign_of_life()


def units_of(answer: Reply | Exception) -> float:
    """What a call consumed, by its reply; a condition that did not hold costs a write, and does not say how large."""
    if isinstance(answer, ConditionalCheckFailed | TransactionCanceled):
        return 1.0
    if isinstance(answer, Exception):
        return 0.0
    told: Any = answer.get("ConsumedCapacity") or ()
    entries = [told] if isinstance(told, dict) else told
    return float(sum(entry.get("CapacityUnits", 0.0) for entry in entries))
