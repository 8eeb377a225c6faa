"""Binary values: base64 text becomes bytes at any depth, and other members stay."""

import pytest

from tablewright.console.binary_values import with_bytes
from tablewright.errors import UsageError


def test_base64_becomes_bytes_at_any_depth() -> None:
    given = {"B": {"S": "name"}, "all": {"L": [{"M": {"x": {"BS": ["AP8=", ""]}}}, {"B": "/w=="}]}}
    found = {"B": {"S": "name"}, "all": {"L": [{"M": {"x": {"BS": [b"\x00\xff", b""]}}}, {"B": b"\xff"}]}}
    assert with_bytes(given) == found
    assert with_bytes(found) == found


def test_text_that_is_not_base64_is_an_error() -> None:
    with pytest.raises(UsageError, match="a binary value is base64 text, got 'a b'"):
        with_bytes({"B": "a b"})
