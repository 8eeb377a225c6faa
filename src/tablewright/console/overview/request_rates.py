"""Request rates: how many requests a second the embedded database executes, by operation."""

import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tablewright.connections import Embedded
from tablewright.console.open_designs import OpenDesign

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
    """Return a rate for each second, and None in between; one event that says why where nothing is counted."""
    connection = opened.db.connection
    if not isinstance(connection, Embedded):
        yield {"available": False, "why": NOT_COUNTED}
        return
    before, since = connection.request_counts(), now()
    yield {"available": True, "counted": COUNTED, "per_second": 0.0, "operations": {}}
    while True:
        passed = now() - since
        if passed < INTERVAL:
            yield None
            continue
        counts = connection.request_counts()
        yield {"available": True, "counted": COUNTED, **rate(before, counts, passed)}
        before, since = counts, since + passed


def rate(before: Mapping[str, int], counts: Mapping[str, int], seconds: float) -> dict[str, Any]:
    """Return the requests a second between two counts, in total and by operation.

    >>> rate({"GetItem": 10}, {"GetItem": 40, "PutItem": 5}, 10.0)
    {'per_second': 3.5, 'operations': {'GetItem': 3.0, 'PutItem': 0.5}}
    """
    grown = {name: count - before.get(name, 0) for name, count in counts.items()}
    operations = {name: round(count / seconds, 2) for name, count in grown.items() if count}
    return {"per_second": round(sum(grown.values()) / seconds, 2), "operations": operations}
