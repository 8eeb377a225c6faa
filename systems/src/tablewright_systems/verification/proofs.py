"""Proofs: each one runs an access pattern or flow of a system on a store and checks the result.

A proof is a function. It writes the data it needs, runs the access pattern or flow within `context.measured()`, and
asserts the result. What the system must reject, it asserts with `expect_error`. `tablewright-systems verify` runs
proofs on any endpoint and prints the measurements; the tests run the same proofs.

Proofs share tables: a proof uses its own unique IDs and asserts nothing about data that it did not write.
"""

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any, TypeVar, overload

from tablewright import Clock, Connection, Repository, Table, errors
from tablewright_systems.service.callers import Caller
from tablewright_systems.service.raw_calls import call_raw

# Seconds to wait for an index of a remote store to catch up with its table, and between two attempts.
MAX_INDEX_LAG = 5.0
POLL_INTERVAL = 0.05

Run = Callable[["ProofContext"], None]


@dataclass(frozen=True, slots=True)
class Proof:
    """Checks one requirement of a system."""

    number: str
    """Number of the access pattern (A1) or flow (F3) in REQUIREMENTS.md of the system."""
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
    """The proofs of one system, in the order of its requirements.

    >>> PROOFS = Proofs("boards")
    >>> @PROOFS("A1")
    ... def get_profile(context):
    ...     '''Get a profile by its id.'''
    >>> [proof.title for proof in PROOFS]
    ['Get a profile by its id']
    """

    def __init__(self, system: str) -> None:
        self.system = system
        self._found: dict[str, Proof] = {}

    def __call__(self, number: str) -> Callable[[Run], Run]:
        """Register a function as the proof of an access pattern or flow."""

        def register(run: Run) -> Run:
            if number in self._found:
                raise ValueError(f"{self.system} has two proofs with the number {number}")
            self._found[number] = Proof(number, run)
            return run

        return register

    def __iter__(self) -> Iterator[Proof]:
        """Iterate over access patterns, then flows, by number."""
        return iter(sorted(self._found.values(), key=lambda proof: _order(proof.number)))

    def __len__(self) -> int:
        return len(self._found)

    def include(self, others: "Proofs") -> None:
        """Add the proofs of a part of the system."""
        for proof in others:
            self(proof.number)(proof.run)


def _order(number: str) -> tuple[str, int, str]:
    digits = "".join(filter(str.isdigit, number))
    return number[0], int(digits or 0), number


@dataclass(slots=True)
class Measurement:
    """Operations, indexes, items and capacity of the measured calls of a proof, and the rejections it showed."""

    operations: list[str] = field(default_factory=list)
    indexes: list[str] = field(default_factory=list)
    items: int = 0
    capacity: float = 0.0
    rejections: list[str] = field(default_factory=list)
    """Names of the errors that the proof expected and got."""

    def record(self, operation: str, request: dict[str, Any], reply: dict[str, Any]) -> None:
        """Add a call."""
        self.operations.append(operation)
        if (index := request.get("IndexName")) and index not in self.indexes:
            self.indexes.append(index)
        self.items += _items_returned(reply) or _items_written(operation, request)
        consumed = reply.get("ConsumedCapacity") or []
        for capacity in consumed if isinstance(consumed, list) else [consumed]:
            self.capacity += capacity.get("CapacityUnits", 0.0)


def _items_returned(reply: dict[str, Any]) -> int:
    if "Count" in reply:
        return int(reply["Count"])
    if isinstance(responses := reply.get("Responses"), list):
        return sum("Item" in response for response in responses)
    if isinstance(responses, dict):
        return sum(map(len, responses.values()))
    return 1 if reply.get("Item") else 0


def _items_written(operation: str, request: dict[str, Any]) -> int:
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
    """A connection that measures the calls made through it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.measurement: Measurement | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)

    def call(self, operation: str, request: dict[str, Any]) -> dict[str, Any]:
        """Forward a call; during a measurement, request its consumed capacity too."""
        measurement = self.measurement
        if measurement is None or operation not in _METERED:
            return self._connection.call(operation, request)
        try:
            reply = self._connection.call(operation, {**request, "ReturnConsumedCapacity": "TOTAL"})
        except errors.TablewrightError:
            measurement.operations.append(operation)
            raise
        measurement.record(operation, request, reply)
        return reply

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class ProofContext:
    """What a proof runs with: a repository, a clock that it can move forward, and unique IDs."""

    def __init__(
        self, db: Repository, metered: MeteredConnection, clock: Clock, *, is_remote: bool = False
    ) -> None:
        self.db = db
        self.clock = clock
        self.measurement = Measurement()
        self._metered = metered
        self.is_remote = is_remote
        """Whether the store is reached over a network: its indexes can lag, and times depend on the network."""

    def unique_id(self, prefix: str = "x") -> str:
        """Return an ID that no other proof uses."""
        return f"{prefix}-{secrets.token_hex(6)}"

    def caller(self, user_id: str | None = None, **claims: Any) -> Caller:
        """Return a new caller, or the caller with that user ID; an e-mail address is verified."""
        return Caller(user_id or self.unique_id("user"), {"email_verified": True, **claims})

    @contextmanager
    def measured(self) -> Iterator[Measurement]:
        """Measure the calls made in this block."""
        self._metered.measurement = self.measurement
        try:
            yield self.measurement
        finally:
            self._metered.measurement = None

    @contextmanager
    def new_measurement(self) -> Iterator[Measurement]:
        """Start a new measurement for one proof."""
        self.measurement = Measurement()
        with recording(self.measurement.rejections):
            yield self.measurement

    def eventually(self, condition: Callable[[], Any]) -> None:
        """Assert a condition that becomes true when indexes have caught up, at once unless they can lag here."""
        deadline = time.monotonic() + (MAX_INDEX_LAG if self.is_remote else 0.0)
        while not (is_met := condition()) and time.monotonic() < deadline:
            time.sleep(POLL_INTERVAL)
        assert is_met, f"the condition did not become true within {MAX_INDEX_LAG:g} s"


E = TypeVar("E", bound=Exception)

_shown: ContextVar[list[str] | None] = ContextVar("shown", default=None)


@overload
def expect_error(kind: type[E], action: Callable[[], object], field: str | None = None) -> E: ...
@overload
def expect_error(kind: type[E], *, field: str | None = None) -> AbstractContextManager[None]: ...
def expect_error(
    kind: type[E], action: Callable[[], object] | None = None, field: str | None = None
) -> E | AbstractContextManager[None]:
    """Assert that an action or a block raises an error, and that the error names the field if one is given.

    `tablewright-systems verify` prints how many rejections a proof has shown.

    >>> def delete(caller):
    ...     raise PermissionError("only the owner may delete a board")
    >>> str(expect_error(PermissionError, lambda: delete("bob")))
    'only the owner may delete a board'
    >>> with expect_error(PermissionError):
    ...     delete("bob")
    """
    if action is None:
        return _expecting(kind, field)
    try:
        action()
    except kind as error:
        _record(error, field)
        return error
    raise AssertionError(f"expected {kind.__name__}, but no error was raised")


@contextmanager
def _expecting(kind: type[Exception], field: str | None) -> Iterator[None]:
    try:
        yield
    except kind as error:
        _record(error, field)
        return
    raise AssertionError(f"expected {kind.__name__}, but no error was raised")


def _record(error: Exception, field: str | None) -> None:
    named = getattr(error, "field", None)
    assert field is None or named == field, f"the error names the field {named}, not {field}"
    if (shown := _shown.get()) is not None:
        shown.append(type(error).__name__)


@contextmanager
def recording(rejections: list[str]) -> Iterator[None]:
    """Append the name of each expected error to a list."""
    token = _shown.set(rejections)
    try:
        yield
    finally:
        _shown.reset(token)


def attribute(value: Any) -> dict[str, Any]:
    """Return a JSON value as DynamoDB stores it.

    >>> attribute({"name": "Ada", "tags": ["x", 1]})
    {'M': {'name': {'S': 'Ada'}, 'tags': {'L': [{'S': 'x'}, {'N': '1'}]}}}
    """
    match value:
        case None:
            return {"NULL": True}
        case bool():
            return {"BOOL": value}
        case int() | float():
            return {"N": str(value)}
        case str():
            return {"S": value}
        case list():
            return {"L": [attribute(element) for element in value]}
        case _:
            return {"M": {name: attribute(part) for name, part in value.items()}}


def put_row(db: Repository, table: Table, row: Mapping[str, Any]) -> None:
    """Put a row of plain JSON values into a table."""
    call_raw(db, "PutItem", {"TableName": db.context.table_name(table), "Item": attribute(row)["M"]})


def change_row(db: Repository, table: Table, key: Mapping[str, str], **values: Any) -> None:
    """Change attributes of a row to plain JSON values."""
    request = {
        "TableName": db.context.table_name(table),
        "Key": attribute(key)["M"],
        "UpdateExpression": "SET " + ", ".join(f"#{name} = :{name}" for name in values),
        "ExpressionAttributeNames": {f"#{name}": name for name in values},
        "ExpressionAttributeValues": {f":{name}": attribute(value) for name, value in values.items()},
    }
    call_raw(db, "UpdateItem", request)
