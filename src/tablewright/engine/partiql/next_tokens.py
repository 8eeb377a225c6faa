"""NextToken: where a SELECT stopped, for its next page only.

A token is opaque to callers. It holds a digest of the statement and its parameters, and the place in the statement's
reads: which of its spans, and behind which row.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.errors import ValidationError
from tablewright.values.attributes import Item, admit_item
from tablewright.values.stored_items import decode, encode, fingerprint


class Stop(NamedTuple):
    """Where a read stopped: in which span, and behind the row with which key."""

    span: int
    key: Item


def token_for(request: Mapping[str, Any], stop: Stop) -> str:
    """The token that goes on where this request stopped."""
    return urlsafe_b64encode(encode([_binding(request), stop.span, stop.key])).decode()


def stop_of(request: Mapping[str, Any]) -> Stop | None:
    """Where to go on, from the token that a request carries."""
    token = request.get("NextToken")
    if token is None:
        return None
    try:
        binding, span, key = decode(urlsafe_b64decode(token))
        stop = Stop(int(span), admit_item(key)[0])
    except (NotBase64, ValueError, TypeError, AttributeError, ValidationError):
        raise ValidationError("Invalid NextToken") from None
    if binding != _binding(request):
        raise ValidationError("NextToken does not match request")
    return stop


def _binding(request: Mapping[str, Any]) -> str:
    """What binds a token to its statement; the size of the page and its consistency may change on the way."""
    return fingerprint([request["Statement"], request.get("Parameters")])
