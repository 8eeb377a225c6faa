"""Request rates: how many requests a second the embedded database executes, by operation."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign

if TYPE_CHECKING:
    from tablewright.connections.embedded import ObservedRequest

INTERVAL = 1.0
"""Seconds between two rates."""
COUNTED = (
    "all requests that the process of this console executes on the embedded database: of the console itself, of other "
    "designs on it, and of clients that it serves"
)
NOT_COUNTED = (
    "Requests are counted on the embedded database only. AWS has them in CloudWatch, as SuccessfulRequestLatency "
    "(sample count) of each table and operation."
)


def request_rates(
    opened: OpenDesign, now: Callable[[], float] = time.monotonic
) -> Iterator[dict[str, Any] | None]:
    """Return a rate for each second, and None in between; one event that says why where nothing is counted.

    Requests are counted until the iterator is closed.
    """
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        yield {"available": False, "why": NOT_COUNTED}
        return
    counts: Counter[str] = Counter()
    lock = threading.Lock()

    def count(observed: "ObservedRequest") -> None:
        with lock:
            counts[observed.operation] += 1

    end = connection.observe(count)
    try:
        since = now()
        yield {"available": True, "counted": COUNTED, **rate({}, 1.0)}
        while True:
            passed = now() - since
            if passed < INTERVAL:
                yield None
                continue
            since += passed
            with lock:
                found = dict(counts)
                counts.clear()
            yield {"available": True, "counted": COUNTED, **rate(found, passed)}
    finally:
        end()


def rate(counts: Mapping[str, int], seconds: float) -> dict[str, Any]:
    """Return the requests a second, in total and by operation.

    >>> rate({"GetItem": 30, "PutItem": 5}, 10.0)
    {'per_second': 3.5, 'operations': {'GetItem': 3.0, 'PutItem': 0.5}}
    """
    operations = {name: round(count / seconds, 2) for name, count in counts.items()}
    return {"per_second": round(sum(counts.values()) / seconds, 2), "operations": operations}
