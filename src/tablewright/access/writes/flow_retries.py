"""Retry a whole flow that reads, decides and writes, when what it has read was changed by another writer.

    @db.retrying
    def rename(page_id: str, title: str) -> Wiki:
        page = db.get_or_raise(WikiById(page_id=page_id))
        return db.update(page, set={"title": title})

These errors mean "read again":

- `VersionConflict`: always, because the version that the flow has read is not the stored one.
- `TransactionFailed`, when one of its failures is such an error.
- Any exception that was raised from such an error, as `otherwise` does.
- Other errors only when the caller names them with `on`. `ConditionNotMet` can mean that the entity was changed since
  it was read, or that a rule does not allow the write; only the caller knows which.

`Contended` and throttling are not retried by default: the library has repeated such a write for half a minute.
`OutcomeUnknown` must not be retried: the write may have been executed.
"""

import random
import time
from collections.abc import Callable, Coroutine, Iterable, Iterator
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, ParamSpec, Protocol, TypeVar, overload

from tablewright.errors import TablewrightError, TransactionFailed, UsageError, VersionConflict

P = ParamSpec("P")
R = TypeVar("R")

ATTEMPTS = 10
_SHORTEST = 0.01
_LONGEST = 1.0


class Decorator(Protocol):
    """Keeps the parameters and the result of the function that it decorates."""

    def __call__(self, flow: Callable[P, R], /) -> Callable[P, R]:
        """Return the decorated function."""


@overload
def retrying(
    flow: Callable[P, R],
    /,
    *,
    attempts: int = ATTEMPTS,
    on: type[TablewrightError] | tuple[type[TablewrightError], ...] = VersionConflict,
) -> Callable[P, R]: ...
@overload
def retrying(
    flow: None = None,
    /,
    *,
    attempts: int = ATTEMPTS,
    on: type[TablewrightError] | tuple[type[TablewrightError], ...] = VersionConflict,
) -> Decorator: ...
def retrying(
    flow: Callable[..., Any] | None = None,
    /,
    *,
    attempts: int = ATTEMPTS,
    on: type[TablewrightError] | tuple[type[TablewrightError], ...] = VersionConflict,
) -> Callable[..., Any]:
    """Return a function that runs a flow again, after a random pause, when what the flow has read was changed.

    The flow is a function or a coroutine function, and must be safe to run again. It runs at most `attempts` times; the
    last error is raised. `on` has the errors that mean "read again". Use it as `retrying(flow)(...)`, as a decorator
    `@retrying`, or as `@retrying(attempts=5)`.
    """
    if attempts < 1:
        raise UsageError(f"attempts must be at least 1, got {attempts}")
    if flow is None:
        return partial(retrying, attempts=attempts, on=on)
    return (_retrying_async if iscoroutinefunction(flow) else _retrying_sync)(flow, attempts, on)


def is_read_again(
    error: BaseException, on: type[TablewrightError] | tuple[type[TablewrightError], ...]
) -> bool:
    """Return whether an error, or the error that it was raised from, means that the flow has to read again."""
    return any(isinstance(each, on) for each in _meant(error))


def _meant(error: BaseException) -> Iterator[BaseException]:
    for each in (error, error.__cause__):
        if each is not None:
            yield each
        if isinstance(each, TransactionFailed):
            yield from (failure for failure in each.failures if failure is not None)


def _pauses(attempts: int) -> Iterable[float]:
    """The pause before each further attempt. Its maximum doubles; randomness keeps writers from retrying together."""
    return (random.uniform(0, min(_LONGEST, _SHORTEST * 2**number)) for number in range(attempts - 1))


def _retrying_sync(flow: Callable[..., Any], attempts: int, on: Any) -> Callable[..., Any]:
    @wraps(flow)
    def run(*given: Any, **named: Any) -> Any:
        for pause in _pauses(attempts):
            try:
                return _require_result(flow(*given, **named))
            except Exception as error:
                if not is_read_again(error, on):
                    raise
            time.sleep(pause)
        return _require_result(flow(*given, **named))

    return run


def _retrying_async(flow: Callable[..., Any], attempts: int, on: Any) -> Callable[..., Any]:
    @wraps(flow)
    async def run(*given: Any, **named: Any) -> Any:
        from asyncio import sleep  # imported here, so that sync programs do not load asyncio

        for pause in _pauses(attempts):
            try:
                return await flow(*given, **named)
            except Exception as error:
                if not is_read_again(error, on):
                    raise
            await sleep(pause)
        return await flow(*given, **named)

    return run


def _require_result(result: Any) -> Any:
    """Reject a coroutine: its errors would be raised where they are not retried."""
    if isinstance(result, Coroutine):
        result.close()
        raise UsageError(
            "retrying takes a coroutine function (async def), not a function that returns a coroutine"
        )
    return result
