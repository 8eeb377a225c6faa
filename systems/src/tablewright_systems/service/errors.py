"""Errors that a service raises for its caller, each with an HTTP status and a stable code.

Errors of the store (a name that is taken, an item that does not exist) are raised by Tablewright itself. Here are the
errors that only a service can detect. `error_replies` turns both into HTTP replies.
"""

from typing import Protocol, TypeVar


class ApiError(Exception):
    """The request cannot be served; `field` names the part of the request to change."""

    status = 400
    code = "bad_request"

    def __init__(self, message: str, field: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.field = field


class Unauthenticated(ApiError):
    """The request has no valid token."""

    status = 401
    code = "unauthenticated"


class Forbidden(ApiError):
    """The caller lacks the permission for this action."""

    status = 403
    code = "forbidden"


class NotFound(ApiError):
    """The resource does not exist, or the caller may not know that it exists.

    >>> str(NotFound("board b1"))
    'board b1 was not found'
    """

    status = 404
    code = "not_found"

    def __init__(self, resource: str) -> None:
        super().__init__(f"{resource} was not found")


class Conflict(ApiError):
    """The request contradicts the current state of the resource."""

    status = 409
    code = "conflict"


class Gone(ApiError):
    """The resource existed, and has expired or was used up."""

    status = 410
    code = "gone"


class PreconditionFailed(ApiError):
    """The resource was changed since the client read it: its version is not the one that `If-Match` demands."""

    status = 412
    code = "precondition_failed"

    def __init__(self, message: str = "the resource was changed since it was read; read it again") -> None:
        super().__init__(message, "If-Match")


class IfMatchUnsupported(ApiError):
    """The request has the header `If-Match`, and the operation cannot demand a version."""

    code = "if_match_unsupported"

    def __init__(self) -> None:
        super().__init__("this operation does not support If-Match; send the request without it", "If-Match")


class Invalid(ApiError):
    """The request is well-formed, but its content is invalid."""

    status = 422
    code = "invalid"


class TooManyRequests(ApiError):
    """The caller exceeded a rate limit and can try again after `retry_after` seconds."""

    status = 429
    code = "too_many"

    def __init__(self, message: str, retry_after: int) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class Unavailable(ApiError):
    """A service that this request depends on is unavailable; the request itself is not at fault."""

    status = 503
    code = "unavailable"


T = TypeVar("T")


def require_found(value: T | None, resource: str) -> T:
    """Return what a read found, or raise `NotFound`.

    >>> require_found(None, "board b1")
    Traceback (most recent call last):
    tablewright_systems.service.errors.NotFound: board b1 was not found
    """
    if value is None:
        raise NotFound(resource)
    return value


class Versioned(Protocol):
    """An entity with a version."""

    @property
    def version(self) -> int:
        """Number of its writes."""
        ...


def require_version(entity: Versioned, expected: int | None) -> None:
    """Raise `PreconditionFailed` unless the entity has the version that the client expects; None expects any.

    The write must demand the version of the entity too: a write of the entity itself does.
    """
    if expected is not None and entity.version != expected:
        raise PreconditionFailed
