"""Conversations: what access does, without saying how calls are made.

A conversation is a generator. It yields what it wants done (a `Call` to DynamoDB, a `Pause`, an `Errand`), is sent the
reply, and returns its result. One runner makes the calls and waits, another awaits them: nothing is written twice.

    def item_count(table: str) -> Conversation[int]:
        reply = yield Call("DescribeTable", {"TableName": table})
        return reply["Table"]["ItemCount"]
"""

import time
from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias, TypeVar

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
class Errand:
    """Something slow that is not DynamoDB's, such as a call to KMS; an async runner sends a thread for it.

    What it does may be to begin something that must be awaited; only an async runner can end that.
    """

    run: Callable[[], Reply | Coroutine[Any, Any, Reply]]


Wish: TypeAlias = Call | Pause | Errand
Conversation: TypeAlias = Generator[Wish, Reply, T]


def hold(
    conversation: Conversation[T],
    call: Callable[[str, dict[str, Any]], Reply],
    pause: Callable[[float], None] = time.sleep,
) -> T:
    """Hold a conversation, making its calls one after the other."""
    answer: Reply | ServiceError | LostConnection
    send = conversation.send
    try:
        wish = next(conversation)
        while True:
            if isinstance(wish, Call):
                try:
                    answer = call(wish.operation, wish.request)
                except (ServiceError, LostConnection) as refusal:
                    answer = refusal
            elif isinstance(wish, Pause):
                pause(wish.seconds)
                answer = {}
            else:
                answer = _done(wish.run())
            wish = send(answer) if isinstance(answer, dict) else conversation.throw(answer)
    except StopIteration as end:
        return end.value  # type: ignore[no-any-return]


async def hold_async(
    conversation: Conversation[T],
    call: Callable[[str, dict[str, Any]], Awaitable[Reply]],
    pause: Callable[[float], Awaitable[None]],
) -> T:
    """Hold a conversation, awaiting its calls."""
    answer: Reply | ServiceError | LostConnection
    send = conversation.send
    try:
        wish = next(conversation)
        while True:
            if isinstance(wish, Call):
                try:
                    answer = await call(wish.operation, wish.request)
                except (ServiceError, LostConnection) as refusal:
                    answer = refusal
            elif isinstance(wish, Pause):
                await pause(wish.seconds)
                answer = {}
            else:
                answer = await _on_a_thread(wish.run)
            wish = send(answer) if isinstance(answer, dict) else conversation.throw(answer)
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
