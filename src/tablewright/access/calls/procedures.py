"""Procedures: sequences of calls, independent of how the calls are made.

A procedure is a generator. It yields effects (a `Call` to DynamoDB, a `Pause`, a `BlockingTask`, `Concurrent`
procedures), receives the reply of each, and returns its result. `run_sync` makes the calls and waits, `run_async`
awaits them: each procedure is written once for both.

    def item_count(table: str) -> Procedure[int]:
        reply = yield Call("DescribeTable", {"TableName": table})
        return reply["Table"]["ItemCount"]

Consumed capacity: the capacity units that a reply reports.
"""

import time
from collections.abc import Awaitable, Callable, Coroutine, Generator, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import LostConnection, ServiceError, UsageError

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
                    reply = {"results": [run_sync(each, call, pause) for each in effect.procedures]}
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

    tasks = [create_task(run_async(each, call, pause)) for each in procedures]
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
