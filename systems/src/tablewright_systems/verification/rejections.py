"""Rejections: a proof shows what a flow does, and what the system rejects.

>>> def delete(caller):
...     raise PermissionError("only the owner may delete a board")
>>> str(expect_error(PermissionError, lambda: delete("bob")))
'only the owner may delete a board'
>>> with expect_error(PermissionError):
...     delete("bob")
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from contextvars import ContextVar
from typing import TypeVar, overload

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
