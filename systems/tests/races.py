"""Races: actions that run at the same time, each in its own thread, and provably overlap.

Each action stops before its first write until every other action has reached its own first write or has ended. So all
of them decide by the same stored state, and then write in a random order; with `race_in_order`, in the order of the
actions, so that a test can assert each possible outcome. `race` fails if fewer than two actions met.
"""

import random
import threading
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import pytest
from tablewright_systems.service.errors import ApiError

from tablewright import errors
from tablewright.connections import Embedded

Action = Callable[[], Any]
Errors = tuple[type[Exception], ...]
IsContested = Callable[[str, dict[str, Any]], bool]

EXPECTED_ERRORS: Errors = (ApiError, errors.TablewrightError)
"""Errors that an action may raise; any other one fails the test."""

_WRITES = {"PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems", "BatchWriteItem"}
_MEETING_TIMEOUT = 300.0
_local = threading.local()


def is_write(operation: str, request: dict[str, Any]) -> bool:
    """Whether a call writes items."""
    return operation in _WRITES


class _Meeting:
    """Where the actions of one race wait for each other; without a random order, they write in their own order."""

    def __init__(self, count: int, order: random.Random | None, is_contested: IsContested) -> None:
        self.is_contested = is_contested
        self.met = 0
        self._missing = count
        self._waiting: dict[int, threading.Event] = {}
        self._turns: list[int] = []
        self._order = order
        self._lock = threading.Lock()

    @contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """Wait until every other action has arrived here or has ended, and until it is this action's turn."""
        released = threading.Event()
        with self._lock:
            self._waiting[number] = released
            self._arrived()
        assert released.wait(_MEETING_TIMEOUT), "the actions of a race wait for each other forever"
        try:
            yield
        finally:
            with self._lock:
                self._release_next()

    def end(self) -> None:
        """An action ended without a write."""
        with self._lock:
            self._arrived()

    def _arrived(self) -> None:
        self._missing -= 1
        if self._missing == 0:
            self.met = len(self._waiting)
            self._turns = sorted(self._waiting)
            if self._order is not None:
                self._order.shuffle(self._turns)
            self._release_next()

    def _release_next(self) -> None:
        if self._turns:
            self._waiting[self._turns.pop(0)].set()


def race(
    *actions: Action,
    expected: Errors = EXPECTED_ERRORS,
    must_overlap: bool = True,
    is_contested: IsContested = is_write,
) -> list[Any]:
    """Run actions at the same time; return what each one returned, or the expected error that it raised.

    With `must_overlap=False` the actions may find nothing to do, as workers do when a queue is empty. With
    `is_contested` they meet before another call than their first write.
    """
    meeting = _Meeting(len(actions), random.Random(), is_contested)
    outcomes = _run(actions, meeting, expected)
    assert not must_overlap or meeting.met >= 2, "no two actions overlapped: this was not a race"
    return outcomes


def race_in_order(*actions: Action, expected: Errors = EXPECTED_ERRORS) -> list[Any]:
    """Run actions at the same time as `race` does, but let their first writes follow the order of the actions."""
    meeting = _Meeting(len(actions), None, is_write)
    outcomes = _run(actions, meeting, expected)
    assert meeting.met >= 2, "no two actions overlapped: this was not a race"
    return outcomes


def _run(actions: Sequence[Action], meeting: _Meeting, expected: Errors) -> list[Any]:
    def run(number: int) -> Any:
        _local.meeting, _local.number = meeting, number
        try:
            return actions[number]()
        except expected as error:
            return error
        finally:
            if _local.meeting is not None:
                _local.meeting = None
                meeting.end()

    with ThreadPoolExecutor(len(actions)) as pool:
        return list(pool.map(run, range(len(actions))))


@contextmanager
def meeting_before_writes() -> Iterator[None]:
    """Make the embedded store stop the actions of a race before their first write."""
    call = Embedded.call

    def call_after_meeting(self: Embedded, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        meeting: _Meeting | None = getattr(_local, "meeting", None)
        if meeting is None or not meeting.is_contested(operation, request):
            return call(self, operation, request)
        _local.meeting = None
        with meeting.turn(_local.number):
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
