"""Proofs: every access pattern and flow of a document, shown to work on a store.

A proof is a function that arranges what it needs, does the one thing within `context.measured()`, and asserts what came
of it. `tablewright verify` runs them on any endpoint and prints what was measured; the tests run the same ones.

A proof meets what others left: it uses ids of its own, and says nothing about what it did not make.
"""

import secrets
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tablewright import Clock, Connection, Repository
from tablewright_systems.authentication import Caller

# Seconds: how long an index of a store that is not ours may lag behind its table.
PATIENCE = 5.0
BREATH = 0.05

Run = Callable[["ProofContext"], None]


@dataclass(frozen=True, slots=True)
class Proof:
    """That one line of a document holds."""

    number: str
    """As the inventory numbers it: A1, F3."""
    line: str
    """Where the document says so: 000:20."""
    run: Run

    @property
    def name(self) -> str:
        """The name of its function."""
        return self.run.__name__

    @property
    def title(self) -> str:
        """The first line of its docstring."""
        return (self.run.__doc__ or self.name).strip().splitlines()[0].rstrip(".")


class Proofs:
    """The proofs of one system, in the order of its document.

    >>> PROOFS = Proofs("boards")
    >>> @PROOFS("A1", "000:20")
    ... def get_profile(context):
    ...     '''Get a profile by its id.'''
    >>> [proof.title for proof in PROOFS]
    ['Get a profile by its id']
    """

    def __init__(self, system: str) -> None:
        self.system = system
        self._found: dict[str, Proof] = {}

    def __call__(self, number: str, line: str) -> Callable[[Run], Run]:
        """Make a function the proof of a number."""

        def keep(run: Run) -> Run:
            if number in self._found:
                raise ValueError(f"{self.system} has two proofs of {number}")
            self._found[number] = Proof(number, line, run)
            return run

        return keep

    def __iter__(self) -> Iterator[Proof]:
        """Patterns first, then flows, by their numbers."""
        return iter(sorted(self._found.values(), key=lambda proof: _order(proof.number)))

    def __len__(self) -> int:
        return len(self._found)

    def include(self, others: "Proofs") -> None:
        """Take in the proofs of a part of the system."""
        for proof in others:
            self(proof.number, proof.line)(proof.run)


def _order(number: str) -> tuple[str, int, str]:
    digits = "".join(filter(str.isdigit, number))
    return number[0], int(digits or 0), number


@dataclass(slots=True)
class Measurement:
    """What the measured calls of a proof asked for, and what it cost."""

    operations: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    items: int = 0
    capacity: float = 0.0

    def note(self, operation: str, request: dict[str, Any], reply: dict[str, Any]) -> None:
        """Another call."""
        self.operations.append(operation)
        if (index := request.get("IndexName")) and index not in self.indexes:
            self.indexes.append(index)
        self.items += _items(reply) or _written(operation, request)
        told = reply.get("ConsumedCapacity") or []
        for each in told if isinstance(told, list) else [told]:
            self.capacity += each.get("CapacityUnits", 0.0)


def _items(reply: dict[str, Any]) -> int:
    if "Count" in reply:
        return int(reply["Count"])
    if isinstance(responses := reply.get("Responses"), list):
        return sum("Item" in each for each in responses)
    if isinstance(responses, dict):
        return sum(map(len, responses.values()))
    return 1 if reply.get("Item") else 0


def _written(operation: str, request: dict[str, Any]) -> int:
    match operation:
        case "PutItem" | "UpdateItem" | "DeleteItem":
            return 1
        case "TransactWriteItems":
            return len(request["TransactItems"])
        case "BatchWriteItem":
            return sum(map(len, request["RequestItems"].values()))
        case _:
            return 0


_METERED = {
    *("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query", "Scan"),
    *("BatchGetItem", "BatchWriteItem", "TransactGetItems", "TransactWriteItems"),
}


class MeteredConnection:
    """A connection that tells a context what goes through it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.measure: Measurement | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Pass a request on; while something is measured, ask what it costs."""
        measure = self.measure
        if measure is None or operation not in _METERED:
            return self._connection.call(operation, request)
        reply = self._connection.call(operation, {**request, "ReturnConsumedCapacity": "TOTAL"})
        measure.note(operation, request, reply)
        return reply

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()


class ProofContext:
    """Where proofs are run: a repository, a clock that they may move forward, and names that nobody has."""

    def __init__(
        self, db: Repository, watched: MeteredConnection, clock: Clock, *, lags: bool = False
    ) -> None:
        self.db = db
        self.clock = clock
        self.measure = Measurement()
        self._watched = watched
        self._lags = lags

    def unique_id(self, prefix: str = "x") -> str:
        """A text that nobody has used."""
        return f"{prefix}-{secrets.token_hex(6)}"

    def caller(self, user_id: str | None = None, **claims: Any) -> Caller:
        """Somebody, or the one of that id."""
        return Caller(user_id or self.unique_id("user"), claims)

    @contextmanager
    def measured(self) -> Iterator[Measurement]:
        """What is done in here is what the proof is about."""
        self._watched.measure = self.measure
        try:
            yield self.measure
        finally:
            self._watched.measure = None

    @contextmanager
    def new_measurement(self) -> Iterator[Measurement]:
        """While one proof is run: what it measures, counted from nothing."""
        self.measure = Measurement()
        yield self.measure

    def eventually(self, holds: Callable[[], Any]) -> None:
        """Assert what holds once an index has caught up: at once, unless the store is one that lags."""
        until = time.monotonic() + (PATIENCE if self._lags else 0.0)
        while not (found := holds()) and time.monotonic() < until:
            time.sleep(BREATH)
        assert found, "it did not come to hold"
