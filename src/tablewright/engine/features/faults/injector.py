"""Faults on demand: the ways in which a real DynamoDB fails, seeded and repeatable, off by default.

    db = embedded(faults=Faults(seed=7, throttling=0.05, conflicts=0.1, index_lag=2.0))

A service that handles these faults, by a retry or by a clear error, also handles those of AWS. Shares are between 0
and 1; all requests draw from one random generator, seeded with `seed`, so a single-threaded run repeats exactly.
"""

import random
import threading
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from tablewright.errors import (
    InternalFailure,
    ProvisionedThroughputExceeded,
    TransactionCanceled,
    TransactionConflict,
)

Reply = dict[str, Any]
Request = dict[str, Any]
Run = Callable[[Request], Reply]

THROTTLED = (
    "The level of configured provisioned throughput for the table was exceeded. "
    "Consider increasing your provisioning level with the UpdateTable API."
)
_CONFLICT = "Transaction is ongoing for the item"
_BROKEN = "The request processing has failed because of an unknown error"
_LONGEST_SHORT_PAGE = 5

_WRITES = frozenset({"PutItem", "UpdateItem", "DeleteItem"})
_DATA = _WRITES | {
    "BatchExecuteStatement",
    "BatchGetItem",
    "BatchWriteItem",
    "ExecuteStatement",
    "ExecuteTransaction",
    "GetItem",
    "Query",
    "Scan",
    "SearchVectors",
    "TransactGetItems",
    "TransactWriteItems",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """Which faults to inject, and how often.

    >>> Faults(seed=1, throttling=1.5)
    Traceback (most recent call last):
    ValueError: Faults.throttling is a share between 0 and 1, not 1.5
    """

    seed: int = 0
    throttling: float = 0.0
    """The share of data requests rejected with ProvisionedThroughputExceededException, at any request rate."""
    provisioned: bool = False
    """Limit tables and global indexes to their provisioned capacity, with five minutes of burst."""
    partitions: bool = False
    """Limit every partition key to 1,000 write and 3,000 read units a second."""
    index_lag: float = 0.0
    """Seconds by which global indexes are behind their table."""
    stale_reads: float = 0.0
    """The share of eventually consistent reads that return the data of `staleness` seconds ago."""
    staleness: float = 1.0
    unprocessed: float = 0.0
    """The share of batch entries returned as unprocessed."""
    short_pages: float = 0.0
    """The share of Query and Scan pages cut short, with a LastEvaluatedKey."""
    conflicts: float = 0.0
    """The share of writes and transactions rejected because of a conflicting transaction."""
    internal_errors: float = 0.0
    """The share of data requests that fail with InternalServerError; half of those take effect nevertheless."""

    def __post_init__(self) -> None:
        for name in _SHARES:
            share = getattr(self, name)
            if not 0 <= share <= 1:
                raise ValueError(f"Faults.{name} is a share between 0 and 1, not {share}")
        for name in ("index_lag", "staleness"):
            if getattr(self, name) < 0:
                raise ValueError(f"Faults.{name} is a number of seconds, not {getattr(self, name)}")


_SHARES = ("throttling", "stale_reads", "unprocessed", "short_pages", "conflicts", "internal_errors")
assert set(_SHARES) < {field.name for field in fields(Faults)}


class RandomSource:
    """The seeded random generator that decides which requests fail."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def occurs(self, share: float) -> bool:
        """Whether a fault of this share occurs now; a fault that is off draws no number, so others stay repeatable."""
        if not share:
            return False
        with self._lock:
            return self._random.random() < share

    def below(self, bound: int) -> int:
        """A random number from 0 to `bound` - 1."""
        with self._lock:
            return self._random.randrange(bound)


class Injector:
    """Injects the faults that need no change inside of an operation, before and after it runs."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.random = RandomSource(faults.seed)

    def reply(self, operation: str, request: Request, run: Run) -> Reply:
        """Run a request with faults: return its reply, or raise the injected error."""
        if operation not in _DATA or not isinstance(request, dict):
            return run(request)
        if self.random.occurs(self.faults.throttling):
            raise ProvisionedThroughputExceeded(THROTTLED)
        if self.random.occurs(self.faults.conflicts):
            self._conflict(operation, request)
        if self.random.occurs(self.faults.internal_errors):
            if self.random.below(2):
                run(request)
            raise InternalFailure(_BROKEN)
        return self._partial(operation, request, run)

    def _conflict(self, operation: str, request: Request) -> None:
        if operation in _WRITES:
            raise TransactionConflict(_CONFLICT)
        actions = request.get("TransactItems") or request.get("TransactStatements")
        if isinstance(actions, list) and actions:
            conflicting = self.random.below(len(actions))
            raise TransactionCanceled(
                [
                    {"Code": "TransactionConflict", "Message": _CONFLICT}
                    if place == conflicting
                    else {"Code": "None"}
                    for place in range(len(actions))
                ]
            )

    def _partial(self, operation: str, request: Request, run: Run) -> Reply:
        match operation:
            case "BatchWriteItem":
                return self._run_some(request, run, "UnprocessedItems")
            case "BatchGetItem":
                return self._run_some(request, run, "UnprocessedKeys")
            case "Query" | "Scan" if self.random.occurs(self.faults.short_pages):
                limit = request.get("Limit")
                most = (
                    min(limit, _LONGEST_SHORT_PAGE)
                    if isinstance(limit, int) and limit > 0
                    else _LONGEST_SHORT_PAGE
                )
                return run({**request, "Limit": 1 + self.random.below(most)})
            case _:
                return run(request)

    def _run_some(self, request: Request, run: Run, member: str) -> Reply:
        entries = request.get("RequestItems")
        if not self.faults.unprocessed or not isinstance(entries, dict):
            return run(request)
        done: dict[str, Any] = {}
        left: dict[str, Any] = {}
        for table, requested in entries.items():
            taken, returned = self._split(requested)
            if taken:
                done[table] = taken
            if returned:
                left[table] = returned
        if not done:
            # AWS rejects a batch when it could process no entry.
            raise ProvisionedThroughputExceeded(THROTTLED)
        reply = run({**request, "RequestItems": done})
        return {**reply, member: {**reply.get(member, {}), **left}}

    def _split(self, requested: Any) -> tuple[Any, Any]:
        """One table's entries of a batch, split into those to run and those to return as unprocessed."""
        keys = requested.get("Keys") if isinstance(requested, dict) else requested
        if not isinstance(keys, list):
            return requested, None
        taken: list[Any] = []
        returned: list[Any] = []
        for key in keys:
            (returned if self.random.occurs(self.faults.unprocessed) else taken).append(key)
        if keys is requested:
            return taken, returned
        return taken and {**requested, "Keys": taken}, returned and {**requested, "Keys": returned}
