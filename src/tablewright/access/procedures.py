"""Procedures: sequences of calls, independent of how the calls are made.

A procedure is a generator. It yields effects (a `Call` to DynamoDB, a `Pause`, a `BlockingTask`, `Concurrent`
procedures), receives the reply of each, and returns its result. `run_sync` makes the calls and waits, `run_async`
awaits them: each procedure is written once for both.

    def item_count(table: str) -> Procedure[int]:
        reply = yield Call("DescribeTable", {"TableName": table})
        return reply["Table"]["ItemCount"]

Retries: `with_retries` repeats a call when DynamoDB throttled it, failed internally, or the network failed. boto3 could
retry by itself, but it does not know which calls are safe to repeat. So connections never retry. `retry_counts` counts
them in this process, for monitoring: nothing else shows that throttled requests are repeated.
"""

import random
import threading
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Coroutine, Generator, Mapping, Sequence
from dataclasses import field
from itertools import count
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from tablewright.deferred_dataclasses import dataclass
from tablewright.dynamodb.values.attributes import Item
from tablewright.errors import (
    InternalFailure,
    LostConnection,
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    ServiceError,
    TablewrightError,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
    UsageError,
)

T = TypeVar("T")
Reply: TypeAlias = dict[str, Any]


class Call(NamedTuple):
    """A request to DynamoDB, in its own vocabulary."""

    operation: str
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait before the next effect."""

    seconds: float


@dataclass(frozen=True, slots=True)
class BlockingTask:
    """A blocking function other than a DynamoDB call, such as a call to KMS; an async runner runs it in a thread.

    The function may return a coroutine; only an async runner can await it.
    """

    run: Callable[[], Reply | Coroutine[Any, Any, Reply]]


@dataclass(frozen=True, slots=True)
class Concurrent:
    """Run procedures at the same time where the runner is async, otherwise one after the other.

    The reply is `{"results": [...]}`, in the order of the procedures. The first error ends all of them.
    """

    procedures: "Sequence[Procedure[Any]]"


Effect: TypeAlias = Call | Pause | BlockingTask | Concurrent
Procedure: TypeAlias = Generator[Effect, Reply, T]


class SyncRunner(Protocol):
    """Runs a procedure on one connection."""

    def __call__(self, procedure: Procedure[T], /) -> T:
        """Return the procedure's result."""


class AsyncRunner(Protocol):
    """Runs a procedure on one connection for async code."""

    async def __call__(self, procedure: Procedure[T], /) -> T:
        """Return the procedure's result."""


def advance(procedure: Procedure[Any], reply: Reply | Exception | None) -> Effect:
    """Give a procedure the reply to its last effect, None at its start; return its next effect.

    It raises `StopIteration` with the result when the procedure ends, as generators do.
    """
    if isinstance(reply, Exception):
        return procedure.throw(reply)
    return next(procedure) if reply is None else procedure.send(reply)


def run_sync(
    procedure: Procedure[T],
    call: Callable[[str, dict[str, Any]], Reply],
    pause: Callable[[float], None] = time.sleep,
) -> T:
    """Run a procedure; make its calls one after the other."""
    reply: Reply | ServiceError | LostConnection
    send = procedure.send
    try:
        effect = next(procedure)
        while True:
            if isinstance(effect, Call):
                try:
                    reply = call(effect.operation, effect.request)
                except (ServiceError, LostConnection) as error:
                    reply = error
            elif isinstance(effect, Pause):
                pause(effect.seconds)
                reply = {}
            elif isinstance(effect, Concurrent):
                try:
                    reply = {"results": [run_sync(procedure, call, pause) for procedure in effect.procedures]}
                except (ServiceError, LostConnection) as error:
                    reply = error
            else:
                reply = _require_reply(effect.run())
            effect = send(reply) if isinstance(reply, dict) else procedure.throw(reply)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def run_async(
    procedure: Procedure[T],
    call: Callable[[str, dict[str, Any]], Awaitable[Reply]],
    pause: Callable[[float], Awaitable[None]],
) -> T:
    """Run a procedure; await its calls."""
    reply: Reply | ServiceError | LostConnection
    send = procedure.send
    try:
        effect = next(procedure)
        while True:
            if isinstance(effect, Call):
                try:
                    reply = await call(effect.operation, effect.request)
                except (ServiceError, LostConnection) as error:
                    reply = error
            elif isinstance(effect, Pause):
                await pause(effect.seconds)
                reply = {}
            elif isinstance(effect, Concurrent):
                try:
                    reply = {"results": await _run_together(effect.procedures, call, pause)}
                except (ServiceError, LostConnection) as error:
                    reply = error
            else:
                reply = await _run_in_thread(effect.run)
            effect = send(reply) if isinstance(reply, dict) else procedure.throw(reply)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def _run_together(
    procedures: Sequence[Procedure[Any]],
    call: Callable[[str, dict[str, Any]], Awaitable[Reply]],
    pause: Callable[[float], Awaitable[None]],
) -> list[Any]:
    from asyncio import create_task, gather  # imported here, so that sync programs do not load asyncio

    tasks = [create_task(run_async(procedure, call, pause)) for procedure in procedures]
    try:
        return await gather(*tasks)
    except BaseException:
        for task in tasks:
            task.cancel()
        await gather(*tasks, return_exceptions=True)
        raise


def _require_reply(result: Reply | Coroutine[Any, Any, Reply]) -> Reply:
    if isinstance(result, dict):
        return result
    result.close()
    raise UsageError("this has to be awaited; use the async repository, db.aio")


async def _run_in_thread(run: Callable[[], Reply | Coroutine[Any, Any, Reply]]) -> Reply:
    from asyncio import to_thread  # imported here, so that sync programs do not load asyncio

    result = await to_thread(run)
    return result if isinstance(result, dict) else await result


def consumed_units(reply: Reply) -> float:
    """Return the capacity units of a reply; 0 when the request did not ask for them.

    >>> consumed_units({"ConsumedCapacity": [{"CapacityUnits": 1.0}, {"CapacityUnits": 0.5}]})
    1.5
    """
    reported = reply.get("ConsumedCapacity") or ()
    entries = [reported] if isinstance(reported, dict) else reported
    return float(sum(entry.get("CapacityUnits", 0.0) for entry in entries))


@dataclass(frozen=True, slots=True)
class RetryCounts:
    """Numbers of requests since the process started, by the code or class of the error.

    Items and keys that a batch left unprocessed are counted as `UnprocessedItems` and `UnprocessedKeys`.
    """

    retried: Mapping[str, int] = field(default_factory=dict)
    """Requests that were repeated after a pause."""
    given_up: Mapping[str, int] = field(default_factory=dict)
    """Requests whose last attempt failed; the caller got the error."""


_lock = threading.Lock()
_retried: Counter[str] = Counter()
_given_up: Counter[str] = Counter()


def retry_counts() -> RetryCounts:
    """Return how often requests of this process were repeated or given up, because of throttling and other errors.

    >>> retry_counts().given_up.get("ProvisionedThroughputExceededException", 0) >= 0
    True
    """
    with _lock:
        return RetryCounts(dict(_retried), dict(_given_up))


def count_retry(error: Exception | str) -> None:
    """Count a request that is repeated."""
    _count(_retried, error)


def count_given_up(error: Exception | str) -> None:
    """Count a request that is not repeated any more."""
    _count(_given_up, error)


def _count(counter: Counter[str], error: Exception | str) -> None:
    name = error if isinstance(error, str) else getattr(error, "code", type(error).__name__)
    with _lock:
        counter[name] += 1


SHORTEST = 0.05
LONGEST = 5.0
ATTEMPTS = 12
"""Attempts before giving up: about half a minute."""


def backoff(attempt: int, source: random.Random | None = None) -> Pause:
    """Return a random pause. Its maximum doubles with each attempt; randomness keeps clients from retrying together.

    >>> 0 <= backoff(3, random.Random(1)).seconds <= 0.4
    True
    """
    longest: float = min(LONGEST, SHORTEST * 2**attempt)
    return Pause((source or random).uniform(0, longest))


NETWORK_ATTEMPTS = 3
"""Attempts when the network fails; each may take a minute to time out."""

RETRYABLE: tuple[type[TablewrightError], ...] = (
    ProvisionedThroughputExceeded,
    RequestLimitExceeded,
    Throttling,
    TransactionConflict,
    TransactionInProgress,
    InternalFailure,
    LostConnection,
)
"""Errors that may go away, so that a retry makes sense."""


def with_retries(call: Call) -> Procedure[Reply]:
    """Make a call that is safe to repeat; retry it on a retryable error."""
    for attempt in count():
        try:
            return (yield call)
        except RETRYABLE as error:
            yield from wait_or_raise(error, attempt)
    raise AssertionError("count() has no end")


def wait_or_raise(error: TablewrightError, attempt: int) -> Procedure[None]:
    """Wait before the next attempt; raise the error after the last one."""
    if attempt + 1 >= (NETWORK_ATTEMPTS if isinstance(error, LostConnection) else ATTEMPTS):
        count_given_up(error)
        raise error
    count_retry(error)
    yield backoff(attempt)


def is_outcome_unknown(error: TablewrightError) -> bool:
    """Whether the call may have been executed in spite of this error."""
    return isinstance(error, InternalFailure) or (isinstance(error, LostConnection) and error.was_sent)


def all_items(operation: str, request: dict[str, Any]) -> Procedure[list[Item]]:
    """Read every page of a Query or Scan; return all items."""
    items: list[Item] = []
    start: dict[str, Any] = {}
    while True:
        reply = yield from with_retries(Call(operation, request | start))
        items += reply["Items"]
        if "LastEvaluatedKey" not in reply:
            return items
        start = {"ExclusiveStartKey": reply["LastEvaluatedKey"]}
