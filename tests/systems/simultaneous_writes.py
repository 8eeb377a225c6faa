"""Races in which all participants read before any of them writes.

Threads that only start together may run one after the other, and such a race tests nothing. Here each participant
waits before its first write until all others have reached theirs, or have ended. A race with fewer than two writers
fails. `race_in_order` also fixes the order of the first writes, so that a test can assert each possible result.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Condition, local
from typing import Any

from tablewright import Connection, Repository, errors
from tablewright_systems.api_errors import ApiError

Action = Callable[[], Any]
IsContested = Callable[[str, dict[str, Any]], bool]

EXPECTED_ERRORS = (ApiError, errors.TablewrightError)
"""Errors that are results of a race; any other error fails the test."""

_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem", "BatchWriteItem", "TransactWriteItems"})
_TIMEOUT = 300.0
"""Seconds after which a race that is stuck fails."""


def is_write(operation: str, request: dict[str, Any]) -> bool:
    """Whether a call writes items."""
    return operation in _WRITES


class _Race:
    """The participants of a race, and which of them have reached their first contested write."""

    def __init__(self, size: int, is_contested: IsContested, *, in_order: bool) -> None:
        self.is_contested = is_contested
        self.writers: set[int] = set()
        self._size = size
        self._in_order = in_order
        self._arrived: set[int] = set()
        self._written: set[int] = set()
        self._condition = Condition()

    @contextmanager
    def turn(self, number: int) -> Iterator[None]:
        """Wait for the participant's turn to write."""
        with self._condition:
            self.writers.add(number)
            self._arrive(number)
            self._wait_for(lambda: len(self._arrived) == self._size)
            if self._in_order:
                self._wait_for(lambda: min(self.writers - self._written) == number)
        try:
            yield
        finally:
            with self._condition:
                self._written.add(number)
                self._condition.notify_all()

    def has_arrived(self, number: int) -> bool:
        """Whether a participant has reached its first contested write."""
        return number in self._arrived

    def leave(self, number: int) -> None:
        """Record that a participant has ended."""
        with self._condition:
            self._arrive(number)

    def _arrive(self, number: int) -> None:
        self._arrived.add(number)
        self._condition.notify_all()

    def _wait_for(self, is_reached: Callable[[], bool]) -> None:
        assert self._condition.wait_for(is_reached, _TIMEOUT), "the race is stuck"


class _Participant(local):
    race: _Race | None = None
    number: int = 0


_participant = _Participant()


class RaceConnection:
    """A connection that lets participants of a race wait for each other; other threads are not affected."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        race, number = _participant.race, _participant.number
        if race is None or race.has_arrived(number) or not race.is_contested(operation, request):
            return self._connection.call(operation, request)
        with race.turn(number):
            return self._connection.call(operation, request)

    def close(self) -> None:
        self._connection.close()


def with_races(db: Repository) -> Repository:
    """Return the repository on a connection for races."""
    return Repository(db.design, RaceConnection(db.connection), db.context)


def race(*actions: Action, is_contested: IsContested = is_write) -> list[Any]:
    """Run actions that all read before any writes; return what each returned or raised."""
    return _run(actions, _Race(len(actions), is_contested, in_order=False))


def race_in_order(*actions: Action, is_contested: IsContested = is_write) -> list[Any]:
    """Run actions that all read before any writes, with their first writes in the order of the actions."""
    return _run(actions, _Race(len(actions), is_contested, in_order=True))


def _run(actions: tuple[Action, ...], race: _Race) -> list[Any]:
    def run(number: int) -> Any:
        _participant.race, _participant.number = race, number
        try:
            return actions[number]()
        except EXPECTED_ERRORS as error:
            return error
        finally:
            race.leave(number)

    with ThreadPoolExecutor(len(actions)) as pool:
        results = list(pool.map(run, range(len(actions))))
    assert len(race.writers) > 1, "no two participants wrote at the same time"
    return results
