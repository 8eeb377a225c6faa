"""Problems: why a service refuses what it is asked, as its caller should hear it.

What a store refuses (a name that is taken, an item that is not there) is raised by Tablewright itself; here is what
only a service can know. `web` turns both into replies.
"""


class ApiError(Exception):
    """A refusal; `field` is what the caller would have to change."""

    status = 400
    code = "bad_request"

    def __init__(self, why: str, field: str | None = None) -> None:
        super().__init__(why)
        self.why = why
        self.field = field


class Unauthenticated(ApiError):
    """Nobody knows who is asking."""

    status = 401
    code = "unauthenticated"


class Forbidden(ApiError):
    """The caller may not."""

    status = 403
    code = "forbidden"


class NotFound(ApiError):
    """There is no such thing, or none that the caller may know of.

    >>> str(NotFound("board b1"))
    'there is no board b1'
    """

    status = 404
    code = "not_found"

    def __init__(self, what: str) -> None:
        super().__init__(f"there is no {what}")


class Conflict(ApiError):
    """It contradicts what is there."""

    status = 409
    code = "conflict"


class Gone(ApiError):
    """It was there, and is used up or has expired."""

    status = 410
    code = "gone"


class Invalid(ApiError):
    """It makes no sense."""

    status = 422
    code = "invalid"


class TooManyRequests(ApiError):
    """Not so often; again after so many seconds."""

    status = 429
    code = "too_many"

    def __init__(self, why: str, retry_after: int) -> None:
        super().__init__(why)
        self.retry_after = retry_after


class Unavailable(ApiError):
    """Something that this needs is not there; it is not the caller's fault."""

    status = 503
    code = "unavailable"
