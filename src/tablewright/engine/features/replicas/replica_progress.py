"""Replica progress: how far the replicas of tables are, and how other regions are reached, in memory.

After a restart it is learned again. Only the removal of old deletions depends on it: see `tombstones`.

Peers: requests to the database of another region of the same process, and replies of any peer.
"""

from collections.abc import Callable
from typing import Any, Protocol

from tablewright.dynamodb.values.stored_items import decode, to_json
from tablewright.engine.core.state.catalog import StoredTable
from tablewright.engine.core.state.engine_state import EngineState
from tablewright.errors import ServiceError


class Peer(Protocol):
    """The database of another region: in this process, or in another server."""

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Execute one request; raises ServiceError, or Unreachable when there is no reply."""


class ReplicaProgress:
    """What other regions have read of the tables of this one, and when this one had read all of theirs."""

    def __init__(self) -> None:
        self._read: dict[tuple[int, str], int] = {}
        self._complete: dict[tuple[int, str], float] = {}
        self._missing: set[tuple[int, str]] = set()
        self._failures: dict[tuple[str, str], str] = {}

    def is_new_failure(self, table: str, region: str, error: str) -> bool:
        """Remember the error of a table with a region; return whether its last error was another one."""
        is_new = self._failures.get((table, region)) != error
        self._failures[table, region] = error
        return is_new

    def note_success(self, table: str, region: str) -> None:
        """Forget the last error of a table with a region: if it occurs again, it is a new one."""
        self._failures.pop((table, region), None)

    def note_read(self, space: int, region: str, number: int) -> None:
        """A region has stored all changes up to a number."""
        self._read[space, region] = number

    def read_by(self, space: int, region: str) -> int:
        """The number up to which a region has stored all changes; -1 when it is unknown."""
        return self._read.get((space, region), -1)

    def note_complete(self, space: int, region: str, now: float) -> None:
        """All changes that a region has were read, at a time."""
        self._complete[space, region] = now

    def complete_at(self, space: int, region: str) -> float:
        """When all changes of a region were last read; 0 when that is unknown."""
        return self._complete.get((space, region), 0.0)

    def note_missing(self, space: int, region: str, *, is_missing: bool) -> None:
        """Whether a region says that it does not have its replica of a table."""
        (self._missing.add if is_missing else self._missing.discard)((space, region))

    def is_missing(self, space: int, region: str) -> bool:
        """Whether a region said, when it was last asked, that it does not have its replica."""
        return (space, region) in self._missing


class ReplicaLinks:
    """What replication keeps in memory about one database; `Regions` sets the functions."""

    def __init__(self) -> None:
        self.peer: Callable[[str], Peer | None] = lambda region: None
        """The database of another region."""
        self.serves_region: Callable[[str], bool] = lambda region: True
        """Whether a client can use a region, of this server or of another one."""
        self.wake_replication: Callable[[], None] = lambda: None
        """Starts the replication between regions."""
        self.progress = ReplicaProgress()


def new_links(state: EngineState) -> None:
    """Create the links of a new database."""
    state.parts["replicas"] = ReplicaLinks()


def links_of(state: EngineState) -> ReplicaLinks:
    """The links of a database."""
    return state.parts["replicas"]  # type: ignore[no-any-return]


def replicated_tables(state: EngineState) -> list[StoredTable]:
    """The tables that have replicas in other regions."""
    return list(state.catalog.having("Replication"))


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
