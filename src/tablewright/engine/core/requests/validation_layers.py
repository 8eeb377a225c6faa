"""Validation layers: which of AWS's two sets of error messages an operation uses.

AWS is moving the checks that need no table from an older layer to a newer one, call by call and region by region.
An operation's LAYER is one of:

    ENVELOPED   the newer messages, inside of "1 validation error detected: "
    NEWER       the newer messages as they are
    OLDER       the older messages

Operations that write one item use the older layer when the newer one cannot read a request: it lacks a required
member, or is nested too deep.
"""

from enum import Enum
from typing import Any

from tablewright.errors import ValidationError

ENVELOPE = "1 validation error detected: "
MAX_READABLE_DEPTH = 128
"""Levels of JSON: an attribute value takes two for each of its own."""


class Layer(Enum):
    """The validation layer of an operation."""

    ENVELOPED = "enveloped"
    NEWER = "newer"
    OLDER = "older"

    def error_for(self, error: ValidationError, request: Any) -> ValidationError:
        """The error with the message of this layer."""
        if self is Layer.NEWER:
            return error
        if self is Layer.OLDER or is_deep(request):
            return ValidationError(error.older)
        return ValidationError(ENVELOPE + error.message)


def is_deep(request: Any) -> bool:
    """Whether a request is nested deeper than the newer layer can read."""
    level = [request]
    for _ in range(MAX_READABLE_DEPTH):
        inner = [member for each in level for member in _members(each) if isinstance(member, dict | list)]
        if not inner:
            return False
        level = list(
            {id(member): member for member in inner}.values()
        )  # a request from Python may contain itself
    return True


def _members(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value
