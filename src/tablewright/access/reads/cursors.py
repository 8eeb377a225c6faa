"""Cursors: the end of a page, as text that a client can pass to read the next page.

    version, then base64 of: checksum (8 bytes), binding (8 bytes), the last key as JSON

The binding is a digest of the request without its position and limit: pattern, table, index, parameters. So a
cursor continues only the read that it came from; any other read rejects it. A cursor is opaque, not secret: a client
can decode the last key.
"""

from base64 import b64decode, urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from hashlib import blake2b
from typing import Any

from tablewright.errors import BadCursor
from tablewright.values.attributes import Item, base64_text
from tablewright.values.stored_items import decode, fingerprint
from tablewright.values.stored_items import encode as to_json

VERSION = "1"
_DIGEST = 8
_UNBOUND = ("ExclusiveStartKey", "Limit", "ReturnConsumedCapacity")


def make_cursor(pattern: str, request: dict[str, Any], last_key: Item) -> str:
    """Return the cursor after the item with this key.

    >>> cursor = make_cursor("Orders", {"TableName": "shop"}, {"id": {"S": "7"}})
    >>> read_cursor("Orders", {"TableName": "shop", "Limit": 5}, cursor)
    {'id': {'S': '7'}}
    """
    body = _binding(pattern, request) + to_json(last_key, default=base64_text)
    return _text_of(_checksum(body) + body)


def read_cursor(pattern: str, request: dict[str, Any], cursor: str) -> Item:
    """Return the key after which to continue; raise `BadCursor` when the cursor is not one of this read."""
    if not isinstance(cursor, str) or not cursor:
        raise BadCursor("a cursor must be the text of a page's `cursor`")
    if cursor[0] != VERSION:
        raise BadCursor("the cursor is damaged or has another version; start again from the first page")
    try:
        whole = urlsafe_b64decode(cursor[1:] + "=" * (-len(cursor[1:]) % 4))
    except (NotBase64, ValueError):
        whole = b""
    checksum, body = whole[:_DIGEST], whole[_DIGEST:]
    if len(body) < _DIGEST or checksum != _checksum(body) or _text_of(whole) != cursor:
        raise BadCursor("the cursor is damaged; start again from the first page")
    if body[:_DIGEST] != _binding(pattern, request):
        raise BadCursor(
            f"the cursor belongs to another pattern or to other parameters than this {pattern}; "
            "start again from the first page"
        )
    return _last_key(body[_DIGEST:])


def _last_key(text: bytes) -> Item:
    """Return the key. Cursors are not signed: a client can make one with any content, so the content is checked."""
    try:
        key = decode(text)
        if any(not isinstance(each, str) for value in key.values() for each in value.values()):
            raise ValueError("key values must be texts")
        return {name: _as_bytes(value) for name, value in key.items()}
    except (ValueError, AttributeError):
        raise BadCursor("the cursor is damaged; start again from the first page") from None


def _text_of(whole: bytes) -> str:
    """Return the only accepted text of a cursor's bytes."""
    return VERSION + urlsafe_b64encode(whole).decode().rstrip("=")


def _binding(pattern: str, request: dict[str, Any]) -> bytes:
    bound = {name: member for name, member in request.items() if name not in _UNBOUND}
    return bytes.fromhex(fingerprint([pattern, bound]))[:_DIGEST]


def _checksum(body: bytes) -> bytes:
    return blake2b(body, digest_size=_DIGEST, person=b"tw-cursor").digest()


def _as_bytes(value: dict[str, Any]) -> dict[str, Any]:
    return {"B": b64decode(value["B"])} if "B" in value else value
