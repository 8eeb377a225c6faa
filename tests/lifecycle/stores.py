"""A store for one test: a connection with its own table names."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tablewright import Clock, Connection, Design, Repository, connect
from tablewright.access.calls.procedures import Procedure, run_sync

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
        request: dict[str, Any] = {"TableName": self.prefix + table, "ConsistentRead": True}
        found: list[dict[str, Any]] = []
        while True:
            page = self.connection.call("Scan", request)
            found += page["Items"]
            if "LastEvaluatedKey" not in page:
                return found
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


class WriteCounter:
    """Counts the writes of several threads; a test waits for more of them, so that a race certainly happens."""

    def __init__(self, writers: int) -> None:
        self._counts = [0] * writers
        self._changed = threading.Condition()

    def add(self, writer: int) -> None:
        """Count a write."""
        with self._changed:
            self._counts[writer] += 1
            self._changed.notify_all()

    def wait_for(self, more: int) -> None:
        """Wait until each writer has made so many more writes."""
        with self._changed:
            goals = [count + more for count in self._counts]
            is_reached = self._changed.wait_for(
                lambda: all(count >= goal for count, goal in zip(self._counts, goals, strict=True)), 60
            )
        assert is_reached, "a writer stopped"


@contextmanager
def writers(*works: Callable[[int], None]) -> Iterator[None]:
    """Threads that each repeat their work during the block."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def repeat(work: Callable[[int], None]) -> None:
        number = 0
        try:
            while not stop.is_set():
                work(number)
                number += 1
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=repeat, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures, failures
