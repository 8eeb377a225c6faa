"""Peers: requests to the database of another region of the same process, and replies of any peer."""

from collections.abc import Callable
from typing import Any, Protocol

from tablewright.dynamodb.values.stored_items import decode, to_json
from tablewright.errors import ServiceError

WRITING = frozenset({"CreateReplica", "DeleteReplica"})
"""The operations of peers that write: these may create the file of a region."""


class JsonDatabase(Protocol):
    """A database that takes requests as JSON."""

    def call_json(self, operation: str, body: bytes) -> tuple[int, bytes]:
        """Run a request; return an HTTP status and JSON."""


class LocalPeer:
    """The database of a region in this process; `open_database` gets whether the request may write."""

    def __init__(self, open_database: Callable[[bool], JsonDatabase]) -> None:
        self._open_database = open_database

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Execute one request."""
        database = self._open_database(operation in WRITING)
        return reply_of(*database.call_json(operation, to_json(request)))


def reply_of(status: int, body: bytes) -> dict[str, Any]:
    """The reply of a peer as a dictionary, or its error.

    >>> reply_of(400, b'{"__type": "com.amazonaws.dynamodb.v20120810#ResourceNotFoundException", "message": "gone"}')
    Traceback (most recent call last):
    tablewright.errors.ResourceNotFound: gone
    """
    reply: dict[str, Any] = decode(body) if body else {}
    if status == 200:
        return reply
    code = str(reply.get("__type", "")).rpartition("#")[2] or "InternalServerError"
    raise ServiceError.of(code, str(reply.get("message") or reply.get("Message") or ""), status)
