"""Layers: in whose words a call refuses what a request says.

AWS is moving the checks that need no table from an older layer to a newer one, call by call and region by region.
An operation's LAYER tells where its call stands:

    ENVELOPED   the newer words, inside of "1 validation error detected: "
    NEWER       the newer words as they are
    OLDER       the older words

Calls that write one item fall back on the older layer where the newer one cannot read a request: it lacks a required
member, or is nested too deep.
"""

from enum import Enum
from typing import Any

from tablewright.errors import ValidationError

ENVELOPE = "1 validation error detected: "
MAX_READABLE_DEPTH = 128
"""Levels of JSON: an attribute value takes two for each of its own."""


class Layer(Enum):
    """Where a call stands."""

    ENVELOPED = "enveloped"
    NEWER = "newer"
    OLDER = "older"

    def worded(self, refusal: ValidationError, request: Any) -> ValidationError:
        """The refusal of a request, in this layer's words."""
        if self is Layer.NEWER:
            return refusal
        if self is Layer.OLDER or is_deep(request):
            return ValidationError(refusal.older)
        return ValidationError(ENVELOPE + refusal.message)


def is_deep(request: Any) -> bool:
    """Whether a request is nested deeper than the newer layer can read."""
    level = [request]
    for _ in range(MAX_READABLE_DEPTH):
        inner = [member for each in level for member in _members(each) if isinstance(member, dict | list)]
        if not inner:
            return False
        level = list(
            {id(member): member for member in inner}.values()
        )  # a Python caller's may contain itself
    return True


def _members(value: Any) -> Any:
    return value.values() if isinstance(value, dict) else value
