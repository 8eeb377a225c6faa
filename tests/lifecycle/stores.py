"""A store for one test: a connection, with table names of its own."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

from tablewright import Connection, Design, Repository, connect
from tablewright.access.conversations import Call, Conversation, hold

T = TypeVar("T")


class Killed(BaseException):
    """What ends a process in the middle of its work."""


@dataclass(frozen=True)
class Store:
    connection: Connection
    prefix: str

    def open(self, design: Design, **settings: Any) -> Repository:
        return connect(design, self.connection, prefix=self.prefix, create=True, **settings)

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


def held(db: Repository, conversation: Conversation[T]) -> T:
    """Hold a conversation without waiting."""
    return hold(conversation, db.connection.call, pause=lambda seconds: None)


def killed_after(
    calls: int, conversation: Conversation[T], db: Repository, operation: str | None = None
) -> None:
    """Hold a conversation and end it, as a killed process does: with no last word, after so many calls."""
    left = [calls]

    def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in (None, name):
            left[0] -= 1
            if left[0] < 0:
                raise Killed
        return db.connection.call(name, request)

    try:
        hold(conversation, call, pause=lambda seconds: None)
    except Killed:
        return
    raise AssertionError("it ended before it was killed")


@contextmanager
def writers(*works: Callable[[int], None]) -> Iterator[None]:
    """Threads that each do their work again and again, from entering until leaving."""
    stop = threading.Event()
    failures: list[BaseException] = []

    def again_and_again(work: Callable[[int], None]) -> None:
        number = 0
        try:
            while not stop.is_set():
                work(number)
                number += 1
        except BaseException as failure:
            failures.append(failure)

    threads = [threading.Thread(target=again_and_again, args=(work,)) for work in works]
    for thread in threads:
        thread.start()
    try:
        yield
    finally:
        stop.set()
        for thread in threads:
            thread.join()
    assert not failures, failures


def calls_of(conversation: Conversation[T], db: Repository) -> list[Call]:
    """Hold a conversation, and tell the calls that it made."""
    made: list[Call] = []

    def call(name: str, request: dict[str, Any]) -> dict[str, Any]:
        made.append(Call(name, request))
        return db.connection.call(name, request)

    hold(conversation, call, pause=lambda seconds: None)
    return made
