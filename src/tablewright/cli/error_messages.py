"""Error messages: what the user sees of an error that is not a bug."""

from tablewright.errors import ServiceError, TablewrightError, UnknownOperation

_UNKNOWN = ("", "An unknown operation was requested.")
"""What endpoints other than AWS say about an operation that they lack."""


def error_message(error: TablewrightError, location: str | None) -> str:
    """Return the text of an error; an operation that the endpoint at the location lacks is named.

    >>> error_message(UnknownOperation(""), "http://127.0.0.1:8000")
    'http://127.0.0.1:8000 does not support an operation of this command; give another location'
    """
    if not isinstance(error, ServiceError):
        return str(error)
    if not isinstance(error, UnknownOperation) or str(error) not in _UNKNOWN:
        from tablewright.console.service_messages import service_message

        return service_message(error)
    operation = getattr(error.__cause__, "operation_name", None) or "an operation of this command"
    return f"{location or 'the endpoint'} does not support {operation}; give another location"
