"""Faults on demand: the ways in which a real DynamoDB misbehaves, seeded and repeatable, off by default.

    db = embedded(faults=Faults(seed=7, throttling=0.05, conflicts=0.1, index_lag=2.0))

A service that survives these by retrying, or by a clear error, will survive AWS. Shares are between 0 and 1; each
request draws its luck from one generator seeded with `seed`, so a single-threaded run repeats exactly.
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
Answer = Callable[[Request], Reply]

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
    "TransactGetItems",
    "TransactWriteItems",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Faults:
    """What may go wrong, and how often.

    >>> Faults(seed=1, throttling=1.5)
    Traceback (most recent call last):
    ValueError: Faults.throttling is a share between 0 and 1, not 1.5
    """

    seed: int = 0
    throttling: float = 0.0
    """The share of data requests refused with ProvisionedThroughputExceededException, whatever their rate."""
    provisioned: bool = False
    """Hold tables and global indexes to their provisioned capacity, with five minutes of burst."""
    partitions: bool = False
    """Hold every partition key to 1,000 write and 3,000 read units a second."""
    index_lag: float = 0.0
    """Seconds by which global indexes are behind their table."""
    stale_reads: float = 0.0
    """The share of eventually consistent reads that see the past, `staleness` seconds ago."""
    staleness: float = 1.0
    unprocessed: float = 0.0
    """The share of batch entries handed back as unprocessed."""
    short_pages: float = 0.0
    """The share of Query and Scan pages cut short, with a LastEvaluatedKey."""
    conflicts: float = 0.0
    """The share of writes and transactions refused because another transaction holds an item."""
    internal_errors: float = 0.0
    """The share of data requests answered with InternalServerError; half of those take effect all the same."""

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


class Luck:
    """The seeded generator that decides who is hit."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)
        self._lock = threading.Lock()

    def strikes(self, share: float) -> bool:
        """Whether a fault of this share happens now; a fault that is off draws nothing, so others stay repeatable."""
        if not share:
            return False
        with self._lock:
            return self._random.random() < share

    def below(self, bound: int) -> int:
        """A number from 0 to `bound` - 1."""
        with self._lock:
            return self._random.randrange(bound)


class Injector:
    """Stands at the gate and spoils requests: what can be done from outside of an operation is done here."""

    def __init__(self, faults: Faults) -> None:
        self.faults = faults
        self.luck = Luck(faults.seed)

    def answer(self, operation: str, request: Request, answer: Answer) -> Reply:
        """The reply to a request, or what went wrong with it."""
        if operation not in _DATA or not isinstance(request, dict):
            return answer(request)
        if self.luck.strikes(self.faults.throttling):
            raise ProvisionedThroughputExceeded(THROTTLED)
        if self.luck.strikes(self.faults.conflicts):
            self._conflict(operation, request)
        if self.luck.strikes(self.faults.internal_errors):
            if self.luck.below(2):
                answer(request)
            raise InternalFailure(_BROKEN)
        return self._partly(operation, request, answer)

    def _conflict(self, operation: str, request: Request) -> None:
        if operation in _WRITES:
            raise TransactionConflict(_CONFLICT)
        actions = request.get("TransactItems") or request.get("TransactStatements")
        if isinstance(actions, list) and actions:
            struck = self.luck.below(len(actions))
            raise TransactionCanceled(
                [
                    {"Code": "TransactionConflict", "Message": _CONFLICT}
                    if place == struck
                    else {"Code": "None"}
                    for place in range(len(actions))
                ]
            )

    def _partly(self, operation: str, request: Request, answer: Answer) -> Reply:
        match operation:
            case "BatchWriteItem":
                return self._leave_some(request, answer, "UnprocessedItems")
            case "BatchGetItem":
                return self._leave_some(request, answer, "UnprocessedKeys")
            case "Query" | "Scan" if self.luck.strikes(self.faults.short_pages):
                limit = request.get("Limit")
                most = (
                    min(limit, _LONGEST_SHORT_PAGE)
                    if isinstance(limit, int) and limit > 0
                    else _LONGEST_SHORT_PAGE
                )
                return answer({**request, "Limit": 1 + self.luck.below(most)})
            case _:
                return answer(request)

    def _leave_some(self, request: Request, answer: Answer, member: str) -> Reply:
        entries = request.get("RequestItems")
        if not self.faults.unprocessed or not isinstance(entries, dict):
            return answer(request)
        done: dict[str, Any] = {}
        left: dict[str, Any] = {}
        for table, wanted in entries.items():
            taken, refused = self._split(wanted)
            if taken:
                done[table] = taken
            if refused:
                left[table] = refused
        if not done:
            # AWS refuses a batch of which it could do nothing.
            raise ProvisionedThroughputExceeded(THROTTLED)
        reply = answer({**request, "RequestItems": done})
        return {**reply, member: {**reply.get(member, {}), **left}}

    def _split(self, wanted: Any) -> tuple[Any, Any]:
        """One table's entries of a batch, parted into what is done and what is handed back."""
        keys = wanted.get("Keys") if isinstance(wanted, dict) else wanted
        if not isinstance(keys, list):
            return wanted, None
        taken: list[Any] = []
        refused: list[Any] = []
        for key in keys:
            (refused if self.luck.strikes(self.faults.unprocessed) else taken).append(key)
        if keys is wanted:
            return taken, refused
        return taken and {**wanted, "Keys": taken}, refused and {**wanted, "Keys": refused}
