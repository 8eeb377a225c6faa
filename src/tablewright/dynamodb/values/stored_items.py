"""Stored items: DynamoDB JSON bytes, decoded only when an attribute is needed.

A reply may contain `StoredItem`s anywhere. In a JSON reply their bytes are inserted undecoded; for a Python caller they
become dictionaries, with binary as `bytes`.
"""

from base64 import b64decode
from collections.abc import Callable
from hashlib import blake2b
from typing import Any

import orjson

from tablewright.dynamodb.values.attributes import Item, base64_text
from tablewright.errors import SerializationError

encode = orjson.dumps
decode = orjson.loads
NotJson = orjson.JSONDecodeError

# Bytes: larger bodies take so long to parse that other threads should run in between.
LARGE = 256 * 1024

_LETTER_B = ord("B")
_ITEMS_AT_ONCE = 1000


class StoredItem:
    """An item as stored: its JSON bytes, its size for metering, and its attributes, decoded on first use."""

    __slots__ = ("_attributes", "raw", "size")

    def __init__(self, raw: bytes, size: int, attributes: Item | None = None) -> None:
        self.raw = raw
        self.size = size
        self._attributes = attributes

    @classmethod
    def of(cls, attributes: Item, size: int) -> "StoredItem":
        """A new item, from its attributes."""
        return cls(orjson.dumps(attributes), size, attributes)

    @property
    def attributes(self) -> Item:
        """The decoded attributes; they are shared, so do not change them in place."""
        if self._attributes is None:
            self._attributes = orjson.loads(self.raw)
        return self._attributes

    def same_as(self, other: "StoredItem") -> bool:
        """Whether both have the same attributes, in any order."""
        if self.raw == other.raw:
            return True
        return self.size == other.size and self.attributes == other.attributes


def fingerprint(document: Any) -> str:
    """A digest of a document: equal for equal documents, in any order of their members.

    >>> fingerprint({"a": 1, "b": b"x"}) == fingerprint({"b": "eA==", "a": 1})
    True
    """
    canonical = orjson.dumps(document, default=base64_text, option=orjson.OPT_SORT_KEYS)
    return blake2b(canonical, digest_size=16).hexdigest()


def parse_body(body: bytes) -> dict[str, Any]:
    """A request body as a dictionary, or DynamoDB's SerializationError."""
    try:
        parsed = orjson.loads(body or b"{}") if len(body) <= LARGE else _decode_large(body)
    except orjson.JSONDecodeError:
        raise SerializationError() from None
    if not isinstance(parsed, dict):
        raise SerializationError()
    return parsed


def _decode_large(body: bytes) -> dict[str, Any]:
    # Imported only when such a body arrives.
    from tablewright.dynamodb.values.large_json import decode_in_pieces

    return decode_in_pieces(body)


def require_json(document: Any) -> None:
    """Reject what JSON cannot represent, such as keys that are no strings: only a Python caller can send that.

    >>> require_json({1: 2})
    Traceback (most recent call last):
    tablewright.errors.SerializationError: Dict key must be str
    """
    try:
        orjson.dumps(document, default=_skip_binary)
    except orjson.JSONEncodeError as error:
        raise SerializationError(str(error)) from None


def _skip_binary(leaf: Any) -> None:
    if not isinstance(leaf, bytes | bytearray | memoryview):
        raise TypeError


def to_json(reply: dict[str, Any]) -> bytes:
    """A reply as JSON bytes; stored items are inserted undecoded."""
    return orjson.dumps(reply, default=_splice)


def to_json_in_pieces(reply: dict[str, Any]) -> bytes:
    """As `to_json`, for a reply with many items: other threads run between pieces of `Items`.

    >>> to_json_in_pieces({"Items": [{"n": {"N": "1"}}] * 2, "Count": 2})
    b'{"Items":[{"n":{"N":"1"}},{"n":{"N":"1"}}],"Count":2}'
    """
    items = reply.get("Items")
    if not items:
        return to_json(reply)
    pieces = [
        orjson.dumps(items[first : first + _ITEMS_AT_ONCE], default=_splice)[1:-1]
        for first in range(0, len(items), _ITEMS_AT_ONCE)
    ]
    return to_json({**reply, "Items": StoredItem(b"[%b]" % b",".join(pieces), 0)})


def to_python(reply: dict[str, Any]) -> dict[str, Any]:
    """A reply as Python objects that the caller may change: stored items decoded, binary values as `bytes`.

    >>> to_python({"Item": StoredItem(b'{"raw":{"B":"YWJj"}}', 6)})
    {'Item': {'raw': {'B': b'abc'}}}
    """
    return {name: _CONVERSIONS.get(type(member), _as_it_is)(member) for name, member in reply.items()}


def shared_item(item: StoredItem) -> Item:
    """The attributes as Python objects, which the caller must not change: most items are not copied.

    >>> shared_item(StoredItem(b'{"raw":{"B":"YWJj"}}', 6))
    {'raw': {'B': b'abc'}}
    """
    return _map_to_python(item.attributes) if _may_have_binary(item.raw) else item.attributes


def _may_have_binary(raw: bytes) -> bool:
    # Searching the bytes for the type name is far cheaper than walking through an item without binary values.
    return _LETTER_B in raw and (b'"B":' in raw or b'"BS":' in raw)


def _item_to_python(item: StoredItem) -> Any:
    raw = item.raw
    attributes = orjson.loads(raw)
    # As `_may_have_binary`, without a call: every read does this.
    if _LETTER_B in raw and (b'"B":' in raw or b'"BS":' in raw):
        return _map_to_python(attributes)
    return attributes


def _map_to_python(members: dict[str, Any]) -> dict[str, Any]:
    converted: dict[str, Any] = {}
    for name, member in members.items():
        # An attribute that is named B holds a dictionary, so text under B is always a binary value.
        if name == "B" and type(member) is str:
            converted[name] = b64decode(member)
        elif name == "BS" and type(member) is list:
            converted[name] = [b64decode(text) for text in member]
        else:
            converted[name] = _CONVERSIONS.get(type(member), _as_it_is)(member)
    return converted


def _list_to_python(members: list[Any]) -> list[Any]:
    return [_CONVERSIONS.get(type(member), _as_it_is)(member) for member in members]


def _as_it_is(member: Any) -> Any:
    return member


_CONVERSIONS: dict[type, Callable[[Any], Any]] = {
    StoredItem: _item_to_python,
    dict: _map_to_python,
    list: _list_to_python,
}


def _splice(leaf: Any) -> Any:
    if isinstance(leaf, StoredItem):
        return orjson.Fragment(leaf.raw)
    raise TypeError(f"not JSON: {type(leaf).__name__}")
