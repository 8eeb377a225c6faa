"""Service messages: what an endpoint says about an error, for people; endpoints other than AWS often say nothing."""

from tablewright.errors import ServiceError, UnknownOperation

NOT_SUPPORTED = "This endpoint does not support the operation that is needed here; AWS and Tablewright do."
_UNKNOWN = "An unknown operation was requested."
"""The message of AWS and DynamoDB Local, which does not name the operation."""


def service_message(error: ServiceError) -> str:
    """Return the message of an error reply; a sentence where it has none, or has a web page in its place.

    >>> service_message(UnknownOperation(""))
    'This endpoint does not support the operation that is needed here; AWS and Tablewright do.'
    >>> service_message(ServiceError.of("Strange", ""))
    'The endpoint replied with the error Strange, and without a message.'
    """
    text = error.message.strip()
    if error.code == UnknownOperation.code and text in ("", _UNKNOWN):
        return NOT_SUPPORTED
    if not text or "<html" in text.lower() or "<!doctype" in text.lower():
        return f"The endpoint replied with the error {error.code}, and without a message."
    return error.message
