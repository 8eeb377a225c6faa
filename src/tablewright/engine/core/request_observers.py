"""Request observers: functions that see each request of a database, with its consumed capacity, after it has run.

For measurements: which requests there are, and what they cost. Without observers nothing is measured.
"""

import logging
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tablewright.dynamodb.values.capacity import DATA_OPERATIONS
from tablewright.errors import ServiceError

Reply = dict[str, Any]
Request = dict[str, Any]

_log = logging.getLogger("tablewright.engine")


@dataclass(frozen=True, slots=True)
class ObservedRequest:
    """A request that has run."""

    operation: str
    request: Mapping[str, Any]
    """As the client sent it; do not change it."""
    capacity: tuple[Mapping[str, Any], ...]
    """The ConsumedCapacity of each table, with its indexes; empty for errors and for other operations."""
    returned: int
    """The number of items in the reply of a read."""
    error: str | None
    """The code of the error, or None."""
    seconds: float


Observer = Callable[[ObservedRequest], None]


class RequestObservers:
    """The observers of a database."""

    def __init__(self, observers: tuple[Observer, ...]) -> None:
        self.observers = observers

    def reply(self, operation: str, request: Request, run: Callable[[Request], Reply]) -> Reply:
        """Run a request, and notify the observers."""
        metered = _metered(operation, request)
        began = time.perf_counter()
        try:
            reply = run(metered)
        except ServiceError as error:
            self._notify(ObservedRequest(operation, request, (), 0, error.code, time.perf_counter() - began))
            raise
        seconds = time.perf_counter() - began
        used = reply.get("ConsumedCapacity") if metered is request else reply.pop("ConsumedCapacity", None)
        capacity = () if not used else tuple(used) if isinstance(used, list) else (used,)
        self._notify(ObservedRequest(operation, request, capacity, _returned(reply), None, seconds))
        return reply

    def _notify(self, observed: ObservedRequest) -> None:
        for observer in self.observers:
            try:
                observer(observed)
            except Exception:  # a measurement never makes a request fail
                _log.exception("an observer of requests failed")


def _metered(operation: str, request: Request) -> Request:
    """The request, with a demand for its capacity if the client made none."""
    if operation not in DATA_OPERATIONS or not isinstance(request, dict):
        return request
    if request.get("ReturnConsumedCapacity", "NONE") != "NONE":
        return request
    return {**request, "ReturnConsumedCapacity": "INDEXES"}


def _returned(reply: Reply) -> int:
    if "Count" in reply:
        return int(reply["Count"])
    if "Responses" in reply:
        responses = reply["Responses"]
        groups = responses.values() if isinstance(responses, dict) else (responses,)
        return sum(len(group) for group in groups)
    return len(reply.get("Items", ())) or int("Item" in reply)
