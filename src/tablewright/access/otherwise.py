"""Otherwise: the caller's own exception, raised in place of an error of the library.

An exception is raised as it is. A class, or a function without parameters, is called without arguments to make one: so
an exception class that needs arguments is passed as an instance or in a function, and type checkers reject the bare
class. The library's error is the `__cause__` of the exception. With a mapping, errors of other classes are raised
unchanged.
"""

from collections.abc import Callable, Mapping
from typing import TypeAlias

from tablewright.design.fields.descriptions import describe_argument
from tablewright.errors import (
    AlreadyExists,
    ConditionNotMet,
    CopyBlocked,
    DoesNotExist,
    OutOfBounds,
    ParentAbsent,
    TablewrightError,
    UniqueViolation,
    UsageError,
    VersionConflict,
)

Reason: TypeAlias = Exception | Callable[[], Exception]
"""An exception, an exception class, or a function that returns an exception."""

Otherwise: TypeAlias = Reason | Mapping[type[TablewrightError], Reason]
"""The exception to raise; or one for each class of error: `{errors.UniqueViolation: EmailTaken}`."""

FAILED_PRECONDITIONS = (
    AlreadyExists,
    DoesNotExist,
    ConditionNotMet,
    OutOfBounds,
    VersionConflict,
    UniqueViolation,
    CopyBlocked,
    ParentAbsent,
)
"""The errors of a write that `otherwise` replaces. Invalid writes, lost replies and service errors are not replaced."""


def replacement(
    otherwise: Otherwise, error: TablewrightError, failure: TablewrightError | None = None
) -> Exception:
    """Return the caller's exception, with the library's error as its cause; the error itself if there is none for it.

    `failure` is the error that a mapping is searched for: in a transaction, that of the write.

    >>> replacement(KeyError, TablewrightError("no such user")).__cause__
    TablewrightError('no such user')
    """
    reason = _reason(otherwise, failure or error) if isinstance(otherwise, Mapping) else otherwise
    if reason is None:
        return error
    exception = reason if isinstance(reason, Exception) else _made(reason)
    exception.__traceback__ = None  # an instance may have been raised before
    exception.__cause__ = error
    return exception


def _reason(reasons: Mapping[type[TablewrightError], Reason], failure: TablewrightError) -> Reason | None:
    for kind, reason in reasons.items():
        if not (isinstance(kind, type) and issubclass(kind, TablewrightError)):
            raise UsageError(
                f"otherwise= maps errors of the library to exceptions, not {describe_argument(kind)}; "
                "write otherwise={errors.UniqueViolation: EmailTaken}"
            )
        if isinstance(failure, kind):
            return reason
    return None


def _made(otherwise: Callable[[], Exception]) -> Exception:
    made = otherwise() if callable(otherwise) else otherwise
    if not isinstance(made, Exception):
        raise UsageError(
            "otherwise= takes an exception, an exception class or a function that returns one, "
            f"not {describe_argument(otherwise)}"
        )
    return made
