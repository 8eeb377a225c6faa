"""NextToken: the position where a SELECT stopped, for its next page only.

A token is opaque to clients. It holds a digest of the statement and its parameters, and the position in the
statement's reads: the number of the span, and the key of the last row.
"""

from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any, NamedTuple

from tablewright.dynamodb.values.attributes import Item, admit_item
from tablewright.dynamodb.values.stored_items import decode, encode, fingerprint
from tablewright.errors import ValidationError


class Stop(NamedTuple):
    """The position where a read stopped: the number of the span, and the key of the last row."""

    span: int
    key: Item


def token_for(request: Mapping[str, Any], stop: Stop) -> str:
    """The token with which the next request continues where this one stopped."""
    return urlsafe_b64encode(encode([_binding(request), stop.span, stop.key])).decode()


def stop_of(request: Mapping[str, Any]) -> Stop | None:
    """The position in the token of a request, or None without a token."""
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
    """A digest that ties a token to its statement; Limit and ConsistentRead may change between pages."""
    return fingerprint([request["Statement"], request.get("Parameters")])
