"""Races: actions that run at the same time, each in its own thread, and provably overlap.

Each action stops before its first write until every other action has reached its own first write or has ended. So all
of them decide by the same stored state, and then write in a random order. `race` fails if fewer than two actions met.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest

from tablewright import errors
from tablewright.connections import Embedded
from tablewright_systems.api_errors import ApiError

Errors = tuple[type[Exception], ...]

EXPECTED_ERRORS: Errors = (ApiError, errors.TablewrightError)
"""Errors that an action may raise; any other one fails the test."""

_WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}
_MEETING_TIMEOUT = 60.0
_local = threading.local()


class _Meeting:
    """Where the actions of one race wait for each other."""

    def __init__(self, count: int, order: random.Random) -> None:
        self._missing = count
        self._waiting: list[threading.Event] = []
        self._order = order
        self._lock = threading.Lock()
        self.met = 0

    def wait_for_others(self) -> None:
        """Wait until every other action has arrived here or has ended."""
        released = threading.Event()
        with self._lock:
            self._waiting.append(released)
            self._arrived()
        assert released.wait(_MEETING_TIMEOUT), "the actions of a race wait for each other forever"

    def end(self) -> None:
        """An action ended without a write."""
        with self._lock:
            self._arrived()

    def _arrived(self) -> None:
        self._missing -= 1
        if self._missing == 0:
            self.met = len(self._waiting)
            self._order.shuffle(self._waiting)
            for released in self._waiting:
                released.set()


def race(
    *actions: Callable[[], Any], expected: Errors = EXPECTED_ERRORS, must_overlap: bool = True
) -> list[Any]:
    """Run actions at the same time; return what each one returned, or the expected error that it raised.

    With `must_overlap=False` the actions may find nothing to do, as workers do when a queue is empty.
    """
    meeting = _Meeting(len(actions), random.Random())

    def run(action: Callable[[], Any]) -> Any:
        _local.meeting = meeting
        try:
            return action()
        except expected as error:
            return error
        finally:
            if getattr(_local, "meeting", None) is not None:
                _local.meeting = None
                meeting.end()

    with ThreadPoolExecutor(len(actions)) as pool:
        outcomes = list(pool.map(run, actions))
    assert not must_overlap or meeting.met >= 2, "no two actions overlapped: this was not a race"
    return outcomes


@contextmanager
def meeting_before_writes() -> Iterator[None]:
    """Make the embedded store stop the actions of a race before their first write."""
    call = Embedded.call

    def call_after_meeting(self: Embedded, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        meeting: _Meeting | None = getattr(_local, "meeting", None)
        if meeting is not None and operation in _WRITES:
            _local.meeting = None
            meeting.wait_for_others()
        return call(self, operation, request)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Embedded, "call", call_after_meeting)
        yield


def repeat_until(is_reached: Callable[[], bool], most: int = 60) -> Iterator[int]:
    """Repeat a race until its interesting outcomes were reached; fail if they never are."""
    for attempt in range(most):
        yield attempt
        if is_reached():
            return
    raise AssertionError(f"{most} rounds did not reach every interesting outcome")


def winners(outcomes: Iterable[Any]) -> list[Any]:
    """Return the outcomes that are no errors."""
    return [outcome for outcome in outcomes if not isinstance(outcome, Exception)]


def error_counts(outcomes: Iterable[Any]) -> Counter[type]:
    """Count the errors by class."""
    return Counter(type(outcome) for outcome in outcomes if isinstance(outcome, Exception))
