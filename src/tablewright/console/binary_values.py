"""Binary values: base64 text in JSON of the page becomes bytes, as connections take them."""

from base64 import b64decode
from binascii import Error as NotBase64
from typing import Any

from tablewright.errors import UsageError


def with_bytes(value: Any) -> Any:
    """Return a request whose binary values are bytes, as connections take them.

    >>> with_bytes({"Key": {"id": {"B": "AP8="}}})
    {'Key': {'id': {'B': b'\\x00\\xff'}}}
    """
    if isinstance(value, list):
        return [with_bytes(each) for each in value]
    if not isinstance(value, dict):
        return value
    if len(value) == 1:
        if isinstance(text := value.get("B"), str):
            return {"B": _bytes(text)}
        if isinstance(texts := value.get("BS"), list):
            return {"BS": [_bytes(each) for each in texts]}
    return {name: with_bytes(each) for name, each in value.items()}


def _bytes(text: object) -> bytes:
    if isinstance(text, bytes):
        return text
    try:
        return b64decode(str(text), validate=True)
    except (NotBase64, ValueError):
        raise UsageError(f"a binary value is base64 text, got {text!r}") from None
