"""Procedures: what access does, without saying how calls are made.

A procedure is a generator. It yields what it wants done (a `Call` to DynamoDB, a `Pause`, a `BlockingTask`), is sent
the reply, and returns its result. One runner makes the calls and waits, another awaits them: nothing is written twice.

    def item_count(table: str) -> Procedure[int]:
        reply = yield Call("DescribeTable", {"TableName": table})
        return reply["Table"]["ItemCount"]
"""

import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

from tablewright.errors import LostConnection, ServiceError, UsageError

T = TypeVar("T")
Reply: TypeAlias = dict[str, Any]


class Call(NamedTuple):
    """A request to DynamoDB, in its own vocabulary."""

    operation: str
    request: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait a moment before going on."""

    seconds: float


@dataclass(frozen=True, slots=True)
class BlockingTask:
    """Something slow that is not DynamoDB's, such as a call to KMS; an async runner sends a thread for it.

    What it does may be to begin something that must be awaited; only an async runner can end that.
    """

    run: Callable[[], Reply | Coroutine[Any, Any, Reply]]


Effect: TypeAlias = Call | Pause | BlockingTask
Procedure: TypeAlias = Generator[Effect, Reply, T]


class SyncRunner(Protocol):
    """Runs a procedure on one connection."""

    def __call__(self, procedure: Procedure[T], /) -> T:
        """Return the procedure's result."""


class AsyncRunner(Protocol):
    """Runs a procedure on one connection for async code."""

    async def __call__(self, procedure: Procedure[T], /) -> T:
        """Return the procedure's result."""


def run_sync(
    procedure: Procedure[T],
    call: Callable[[str, dict[str, Any]], Reply],
    pause: Callable[[float], None] = time.sleep,
) -> T:
    """Hold a procedure, making its calls one after the other."""
    answer: Reply | ServiceError | LostConnection
    send = procedure.send
    try:
        effect = next(procedure)
        while True:
            if isinstance(effect, Call):
                try:
                    answer = call(effect.operation, effect.request)
                except (ServiceError, LostConnection) as refusal:
                    answer = refusal
            elif isinstance(effect, Pause):
                pause(effect.seconds)
                answer = {}
            else:
                answer = _done(effect.run())
            effect = send(answer) if isinstance(answer, dict) else procedure.throw(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def run_async(
    procedure: Procedure[T],
    call: Callable[[str, dict[str, Any]], Awaitable[Reply]],
    pause: Callable[[float], Awaitable[None]],
) -> T:
    """Hold a procedure, awaiting its calls."""
    answer: Reply | ServiceError | LostConnection
    send = procedure.send
    try:
        effect = next(procedure)
        while True:
            if isinstance(effect, Call):
                try:
                    answer = await call(effect.operation, effect.request)
                except (ServiceError, LostConnection) as refusal:
                    answer = refusal
            elif isinstance(effect, Pause):
                await pause(effect.seconds)
                answer = {}
            else:
                answer = await _on_a_thread(effect.run)
            effect = send(answer) if isinstance(answer, dict) else procedure.throw(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


def _done(answer: Reply | Coroutine[Any, Any, Reply]) -> Reply:
    if isinstance(answer, dict):
        return answer
    answer.close()
    raise UsageError("this has to be awaited; use the async repository, db.aio")


async def _on_a_thread(run: Callable[[], Reply | Coroutine[Any, Any, Reply]]) -> Reply:
    from asyncio import to_thread  # whoever is not async need not pay for loading asyncio

    answer = await to_thread(run)
    return answer if isinstance(answer, dict) else await answer
