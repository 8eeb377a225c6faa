"""Otherwise: the caller's own exception, raised in place of an error of the library.

An exception is raised as it is. A class, or a function without parameters, is called without arguments to make one: so
an exception class that needs arguments is passed as an instance or in a function, and type checkers reject the bare
class. The library's error is the `__cause__` of the exception.
"""

from collections.abc import Callable
from typing import TypeAlias

from tablewright.access.given_values import describe_given
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    CopyBlocked,
    DoesNotExist,
    TablewrightError,
    UniqueViolation,
    UsageError,
    VersionConflict,
)

Otherwise: TypeAlias = Exception | Callable[[], Exception]
"""An exception, an exception class, or a function that returns an exception."""

FAILED_PRECONDITIONS = (
    AlreadyExists,
    DoesNotExist,
    ConditionNotMet,
    VersionConflict,
    UniqueViolation,
    CopyBlocked,
)
"""The errors of a write that `otherwise` replaces. Invalid writes, lost replies and service errors are not replaced."""


def replacement(otherwise: Otherwise, error: TablewrightError) -> Exception:
    """Return the caller's exception, with the library's error as its cause.

    >>> replacement(KeyError, TablewrightError("no such user")).__cause__
    TablewrightError('no such user')
    """
    exception = otherwise if isinstance(otherwise, Exception) else _made(otherwise)
    exception.__traceback__ = None  # an instance may have been raised before
    exception.__cause__ = error
    return exception


def _made(otherwise: Callable[[], Exception]) -> Exception:
    made = otherwise() if callable(otherwise) else otherwise
    if not isinstance(made, Exception):
        raise UsageError(
            "otherwise= takes an exception, an exception class or a function that returns one, "
            f"not {describe_given(otherwise)}"
        )
    return made
