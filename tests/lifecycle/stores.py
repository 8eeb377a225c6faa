"""A store for one test: a connection with its own table names."""

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tablewright import Clock, Connection, Design, Repository, connect
from tablewright.access.procedures import Procedure, run_sync

T = TypeVar("T")


class Killed(BaseException):
    """Ends a process in the middle of its work."""


@dataclass(frozen=True)
class Store:
    connection: Connection
    prefix: str
    clock: Clock

    def open(self, design: Design, **settings: Any) -> Repository:
        return connect(design, self.connection, prefix=self.prefix, create=True, clock=self.clock, **settings)

    def items(self, table: str) -> list[dict[str, Any]]:
        """All items of a table, sorted: each endpoint scans in its own order."""
        request: dict[str, Any] = {"TableName": self.prefix + table, "ConsistentRead": True}
        found: list[dict[str, Any]] = []
        while True:
            page = self.connection.call("Scan", request)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return sorted(found, key=lambda item: json.dumps(item, sort_keys=True, default=repr))
            request["ExclusiveStartKey"] = page["LastEvaluatedKey"]

    def put(self, table: str, item: dict[str, Any]) -> None:
        self.connection.call("PutItem", {"TableName": self.prefix + table, "Item": item})


def run_on(store: Store, procedure: Procedure[T]) -> T:
    """Run a procedure; its pauses advance the clock."""
    return run_sync(procedure, store.connection.call, pause=store.clock.advance)


class Mortal:
    """A connection that fails for ever after a number of calls, as in a killed process."""

    def __init__(self, connection: Connection, calls: int) -> None:
        self._connection = connection
        self._left = calls
        self.clock = getattr(connection, "clock", None)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        self._left -= 1
        if self._left < 0:
            raise Killed
        return self._connection.call(operation, request)

    def close(self) -> None:
        pass


def killed_after(calls: int, procedure: Procedure[T], store: Store) -> None:
    """Run a procedure, and kill it after a number of calls."""
    try:
        run_sync(procedure, Mortal(store.connection, calls).call, pause=store.clock.advance)
    except Killed:
        return
    raise AssertionError("the procedure ended before it was killed")


class Writers:
    """The writes that the threads of `writers` have made."""

    def __init__(self, count: int) -> None:
        self._counts = [0] * count
        self._changed = threading.Condition()
        self.is_stopped = False
        self.failures: list[BaseException] = []

    def wait_for(self, more: int = 1) -> None:
        """Wait until each writer has made so many more writes."""
        with self._changed:
            goals = [count + more for count in self._counts]
            is_over = self._changed.wait_for(lambda: self.failures or self._reached(goals), 60)
            assert not self.failures, self.failures
            assert is_over, "a writer makes no more writes"

    def repeat(self, number: int, work: Callable[[int], None]) -> None:
        """Do the work of a writer until the block ends."""
        try:
            while not self.is_stopped:
                work(self._counts[number])
                with self._changed:
                    self._counts[number] += 1
                    self._changed.notify_all()
        except BaseException as failure:
            with self._changed:
                self.failures.append(failure)
                self._changed.notify_all()

    def _reached(self, goals: list[int]) -> bool:
        return all(count >= goal for count, goal in zip(self._counts, goals, strict=True))


@contextmanager
def writers(*works: Callable[[int], None]) -> Iterator[Writers]:
    """Threads that each repeat their work during the block."""
    made = Writers(len(works))
    threads = [threading.Thread(target=made.repeat, args=(number, work)) for number, work in enumerate(works)]
    for thread in threads:
        thread.start()
    try:
        yield made
    finally:
        made.is_stopped = True
        for thread in threads:
            thread.join()
    assert not made.failures, made.failures
