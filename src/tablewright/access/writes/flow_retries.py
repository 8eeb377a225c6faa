"""Retry a whole flow that reads, decides and writes, when what it has read was changed by another writer.

    @db.retrying
    def rename(page_id: str, title: str) -> Wiki:
        page = db.get_or_raise(WikiById(page_id=page_id))
        return db.update(page, set={"title": title})

These errors mean "read again":

- `VersionConflict`: always, because the version that the flow has read is not the stored one.
- Other errors only when the caller names them with `on`. `ConditionNotMet` can mean that the entity was changed since
  it was read, or that a rule does not allow the write; only the caller knows which.
- `TransactionFailed`, when one of its failures is such an error.
- Any exception that was raised from a `VersionConflict`, as `otherwise` does. An exception raised from another error is
  the caller's decision, and ends the flow.

When the last attempt fails too, its error is raised, or the caller's own: `retrying(otherwise=Conflict("try again"))`.

`Contended` and throttling are not retried by default: the library has repeated such a write for half a minute.
`OutcomeUnknown` must not be retried: the write may have been executed.
"""

import random
import time
from collections.abc import Callable, Coroutine, Iterator
from functools import partial, wraps
from inspect import iscoroutinefunction
from typing import Any, ParamSpec, Protocol, TypeAlias, TypeVar, overload

from tablewright.access.otherwise import Otherwise, replacement
from tablewright.deferred_dataclasses import dataclass
from tablewright.errors import TablewrightError, TransactionFailed, UsageError, VersionConflict

P = ParamSpec("P")
R = TypeVar("R")
Errors: TypeAlias = type[TablewrightError] | tuple[type[TablewrightError], ...]

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
    on: Errors = (),
    otherwise: Otherwise | None = None,
) -> Callable[P, R]: ...
@overload
def retrying(
    flow: None = None,
    /,
    *,
    attempts: int = ATTEMPTS,
    on: Errors = (),
    otherwise: Otherwise | None = None,
) -> Decorator: ...
def retrying(
    flow: Callable[..., Any] | None = None,
    /,
    *,
    attempts: int = ATTEMPTS,
    on: Errors = (),
    otherwise: Otherwise | None = None,
) -> Callable[..., Any]:
    """Return a function that runs a flow again, after a random pause, when what the flow has read was changed.

    The flow is a function or a coroutine function, and must be safe to run again. It runs at most `attempts` times;
    then `otherwise` is raised, or the last error. `on` names further errors that mean "read again". Use it as
    `retrying(flow)(...)`, as a decorator `@retrying`, or as `@retrying(attempts=5)`.
    """
    if attempts < 1:
        raise UsageError(f"attempts must be at least 1, got {attempts}")
    if flow is None:
        return partial(retrying, attempts=attempts, on=on, otherwise=otherwise)
    retries = _Retries(attempts, (VersionConflict, *(on if isinstance(on, tuple) else (on,))), otherwise)
    return (_retrying_async if iscoroutinefunction(flow) else _retrying_sync)(flow, retries)


@dataclass(frozen=True, slots=True)
class _Retries:
    """How often a flow runs again, on which errors, and what is raised when the last attempt fails too."""

    attempts: int
    on: tuple[type[TablewrightError], ...]
    otherwise: Otherwise | None

    def pause_after(self, attempt: int, error: Exception) -> float:
        """The pause before the next attempt. Raise when the flow does not run again.

        The maximum doubles each time; randomness keeps writers from retrying together.
        """
        if not is_read_again(error, self.on):
            raise error
        if attempt == self.attempts:
            if self.otherwise is None or not isinstance(error, TablewrightError):
                raise error
            raise replacement(self.otherwise, error)
        return random.uniform(0, min(_LONGEST, _SHORTEST * 2 ** (attempt - 1)))


def is_read_again(error: BaseException, on: tuple[type[TablewrightError], ...]) -> bool:
    """Return whether an error means that the flow has to read again."""
    return any(isinstance(failure, on) for failure in _failures(error)) or any(
        isinstance(failure, VersionConflict) for failure in _failures(error.__cause__)
    )


def _failures(error: BaseException | None) -> Iterator[BaseException]:
    """The error; of a transaction also the errors of its writes."""
    if error is not None:
        yield error
    if isinstance(error, TransactionFailed):
        yield from (failure for failure in error.failures if failure is not None)


def _retrying_sync(flow: Callable[..., Any], retries: _Retries) -> Callable[..., Any]:
    @wraps(flow)
    def run(*arguments: Any, **named: Any) -> Any:
        attempt = 0
        while True:
            attempt += 1
            try:
                return _require_result(flow(*arguments, **named))
            except Exception as error:
                pause = retries.pause_after(attempt, error)
            time.sleep(pause)

    return run


def _retrying_async(flow: Callable[..., Any], retries: _Retries) -> Callable[..., Any]:
    @wraps(flow)
    async def run(*arguments: Any, **named: Any) -> Any:
        from asyncio import sleep  # imported here, so that sync programs do not load asyncio

        attempt = 0
        while True:
            attempt += 1
            try:
                return await flow(*arguments, **named)
            except Exception as error:
                pause = retries.pause_after(attempt, error)
            await sleep(pause)

    return run


def _require_result(result: Any) -> Any:
    """Reject a coroutine: its errors would be raised where they are not retried."""
    if isinstance(result, Coroutine):
        result.close()
        raise UsageError(
            "retrying takes a coroutine function (async def), not a function that returns a coroutine"
        )
    return result
