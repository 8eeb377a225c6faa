"""A store on which another write runs right before the first write of a flow."""

from collections.abc import Callable
from typing import Any

from tablewright import Connection, Repository
from tablewright_systems.verification import ProofContext

Event = Callable[[], object]
_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Interrupted:
    """A connection that runs another write right before the first write."""

    def __init__(self, connection: Connection, event: Event) -> None:
        self._connection = connection
        self._events = [event]

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in _WRITES and self._events:
            self._events.pop()()
        return self._connection.call(operation, request)

    def close(self) -> None:
        self._connection.close()


def before_first_write(context: ProofContext, event: Event) -> Repository:
    """The store on which another write runs before the first write of the flow."""
    return Repository(context.db.design, Interrupted(context.db.connection, event), context.db.context)
