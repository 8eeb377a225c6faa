"""A store on which another write runs right before the first write of a flow."""

from collections.abc import Callable
from typing import Any

from tablewright_systems.verification import ProofContext

from tablewright import Connection, Repository

Event = Callable[[], object]
_WRITES = ("PutItem", "UpdateItem", "DeleteItem", "TransactWriteItems")


class Interrupted:
    """A connection that runs another write right before the first one; its indexes can be empty, as if they lagged."""

    def __init__(self, connection: Connection, event: Event, *, has_indexes: bool = True) -> None:
        self._connection = connection
        self._events = [event]
        self._has_indexes = has_indexes

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        if operation in _WRITES and self._events:
            self._events.pop()()
        if "IndexName" in request and not self._has_indexes:
            return {"Items": [], "Count": 0, "ScannedCount": 0}
        return self._connection.call(operation, request)

    def close(self) -> None:
        self._connection.close()


def before_first_write(context: ProofContext, event: Event, *, has_indexes: bool = True) -> Repository:
    """The store on which another write runs before the first write of the flow."""
    connection = Interrupted(context.db.connection, event, has_indexes=has_indexes)
    return Repository(context.db.design, connection, context.db.context)
